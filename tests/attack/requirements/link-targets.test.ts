// Where links may lead, as checked at construction and per call.
import { createAuthRouter } from 'svc-auth';
import { validPassword } from '../../support/http-site.js';
import { makeService } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';

describe('Link targets', () => {
  //
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
  ])('rejects %j as a redirect target at construction', async (target) => {
    const { service } = await makeService();
    for (const options of [{ successRedirect: target }, { failureRedirect: target }])
      expect(await outcomeOf(() => createAuthRouter(service, options))).toBe('config_invalid');
  });

  //
  it.each([
    'https://evil.test/',
    'https://app.test.evil.test/',
    'https://app.test@evil.test/',
    'http://app.test/',
    'https://app.test:8443/',
    '//app.test/',
    'javascript:alert(1)',
    'https://user:pass@app.test/',
  ])('rejects redirectTo outside the allowed origins: %s', async (redirectTo) => {
    const { service, mail } = await makeService();
    const email = 'ada@example.com';
    await service.emailPassword.signup({ email, password: validPassword });
    expect(await outcomeOf(() => service.magicLink.sendLink({ email, redirectTo }))).toBe('invalid_request');
    expect(await outcomeOf(() => service.emailPassword.requestReset({ email, redirectTo }))).toBe(
      'invalid_request',
    );
    await service.close();
    expect(mail.messages).toEqual([]);
  });
});
