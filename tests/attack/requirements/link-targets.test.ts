// where links may lead, as the configuration is judged.
import { createAuthRouter } from 'svc-auth';
import { goodPassword } from '../../support/http-site.js';
import { makeService } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';

describe('Links', () => {
  it.each([
    '//evil.test',
    '/\\evil.test',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.test',
    '',
    ' /in',
    '/in\r\nSet-Cookie: a=b',
    'https:/evil',
    'ftp://evil.test/',
  ])('A-35 is refused as a target at construction: %j', async (target) => {
    const { service } = await makeService();
    for (const options of [{ successRedirect: target }, { failureRedirect: target }])
      expect(await outcomeOf(() => createAuthRouter(service, options))).toBe('config_invalid');
  });

  it.each([
    'https://evil.test/',
    'https://app.test.evil.test/',
    'https://app.test@evil.test/',
    'http://app.test/',
    'https://app.test:8443/',
    '//app.test/',
    'javascript:alert(1)',
    'https://user:pass@app.test/',
  ])('A-35 is mailed to no other origin by redirectTo: %s', async (redirectTo) => {
    const { service, mail } = await makeService();
    const email = 'ada@example.com';
    await service.emailPassword.signup({ email, password: goodPassword });
    expect(await outcomeOf(() => service.magicLink.sendLink({ email, redirectTo }))).toBe('invalid_request');
    expect(await outcomeOf(() => service.emailPassword.requestReset({ email, redirectTo }))).toBe(
      'invalid_request',
    );
    await service.close();
    expect(mail.messages).toEqual([]);
  });
});
