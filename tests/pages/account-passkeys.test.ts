// Passkeys and phone numbers of an account: their names, their last uses, and their end.
import { runInNewContext } from 'node:vm';
import { outbox, softwareAuthenticator } from 'svc-auth/testing';
import { accountPagesOpener, accountPath, errorsOf, textOf } from '../support/account-pages.js';
import type { AccountScene } from '../support/account-pages.js';
import { fieldsOf } from '../support/admin-pages.js';
import { validPassword } from '../support/http-site.js';
import { cheapHasher } from '../support/make-service.js';

const openAccount = accountPagesOpener();
const markup = '<script>alert(1)</script>"\'';
const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
const phone = '+14155552671';

const idOf = ({ me }: AccountScene) => me.user.id as string;

async function register(
  { site }: AccountScene,
  userId: string,
  name?: string,
  authenticator = softwareAuthenticator({ origin: 'https://app.test' }),
) {
  const { webauthn } = site.service;
  const { options, challenge: expectedChallenge } = await webauthn.startRegistration(userId);
  const response = authenticator.create(options);
  const named = name === undefined ? {} : { name };
  const { credential } = await webauthn.finishRegistration({
    userId,
    response,
    expectedChallenge,
    ...named,
  });
  return { credential, authenticator };
}

/** Sends a form of the user with a right token to any path. */
async function post(scene: AccountScene, path: string, fields: Record<string, string> = {}) {
  const form_token = fieldsOf((await scene.open('/profile')).text)['form_token'] ?? '';
  const body = new URLSearchParams({ form_token, ...fields }).toString();
  return scene.site.send('POST', accountPath + path, body, { headers: formType, cookie: scene.me.cookie });
}

describe('the passkeys', () => {
  it('are listed with their names, and with the time and the device of their last use', async () => {
    const scene = await openAccount();
    const { site } = scene;
    const { authenticator } = await register(scene, idOf(scene), 'Work laptop');
    expect(textOf(await scene.open('/security'))).toMatch(/Work laptop .* never used/);
    const { options, challenge } = await site.service.webauthn.startAuthentication();
    const response = authenticator.get(options);
    const userAgent = 'Mozilla/5.0 (X11; Linux) Firefox/130.0';
    await site.service.webauthn.finishAuthentication(
      { response, expectedChallenge: challenge },
      { ip: '203.0.113.9', userAgent },
    );
    const used = /Work laptop .* last used .* with Firefox on Linux ?· 203\.0\.113\.9/;
    expect(textOf(await scene.open('/security'))).toMatch(used);
  });

  it.each([
    [{ backupEligible: true, backedUp: true }, 'Synced', false],
    [{ backupEligible: true, backedUp: false }, 'Not synced', false],
    [{ backupEligible: false, backedUp: false }, 'Not synced', true],
  ])('one with %j is shown as %s, and as one of a single device: %j', async (flags, badge, isOneDevice) => {
    const scene = await openAccount();
    const authenticator = softwareAuthenticator({ origin: 'https://app.test', flags });
    await register(scene, idOf(scene), 'Laptop', authenticator);
    const text = textOf(await scene.open('/security'));
    expect(text).toContain(`Laptop ${badge} `);
    expect(text.includes('Works only on the device or security key that created it')).toBe(isOneDevice);
  });

  it('the page asks the browser to forget others only where the list is, and after a change', async () => {
    const scene = await openAccount();
    const mark = 'data-passkey-signals="/api/auth/passkeys/signals"';
    expect((await scene.open('/security')).text).toContain(mark);
    expect((await scene.open('/profile?done=usernameChanged')).text).toContain(mark);
    for (const path of ['/profile', '/security/passkeys/add', '/data'])
      expect((await scene.open(path)).text).not.toContain(mark);
    const { credential } = await register(scene, idOf(scene));
    await register(scene, idOf(scene));
    const refused = await scene.site.send(
      'POST',
      `${accountPath}/security/passkeys/${credential.id}/remove`,
      '',
      {
        headers: formType,
        cookie: scene.me.cookie,
      },
    );
    expect(refused.status).toBeGreaterThan(399);
    expect(refused.text).not.toContain(mark);
  });

  it('neither a name nor the user agent of the last use becomes markup', async () => {
    const scene = await openAccount();
    const { site } = scene;
    const { authenticator, credential } = await register(scene, idOf(scene), markup);
    const { options, challenge } = await site.service.webauthn.startAuthentication();
    await site.service.webauthn.finishAuthentication(
      { response: authenticator.get(options), expectedChallenge: challenge },
      { ip: markup, userAgent: `${markup} Firefox/130.0` },
    );
    const path = `/security/passkeys/${credential.id}`;
    for (const shown of ['/security', `${path}/rename`, `${path}/remove`])
      expect((await scene.open(shown)).text).not.toContain('<script>alert');
  });

  it('one gets another name', async () => {
    const scene = await openAccount();
    const { browser, open, site } = scene;
    const { credential } = await register(scene, idOf(scene));
    await open(`/security/passkeys/${credential.id}/rename`);
    const refused = await browser.press('/rename', { name: 'a'.repeat(101) });
    expect(errorsOf(refused)).toEqual(['name: Enter a name of at most 100 characters.']);
    expect((await browser.press('/rename', { name: 'Old phone' })).location).toBe(
      `${accountPath}/security?done=renamed`,
    );
    expect((await site.service.webauthn.listCredentials(idOf(scene)))[0]?.name).toBe('Old phone');
    expect(textOf(await browser.follow())).toContain('Name saved.');
  });

  it('one is removed on a page that asks', async () => {
    const scene = await openAccount();
    const { browser, open, site } = scene;
    const { credential } = await register(scene, idOf(scene), 'Work laptop');
    const path = `/security/passkeys/${credential.id}/remove`;
    expect(textOf(await open(path))).toContain('Work laptop');
    expect((await browser.press('/remove')).location).toBe(`${accountPath}/security?done=passkeyRemoved`);
    expect(await site.service.webauthn.listCredentials(idOf(scene))).toEqual([]);
    expect((await browser.get(accountPath + path)).status).toBe(404);
  });

  it('the only way to sign in is not removed, and the page says what to do', async () => {
    const webauthn = { rpId: 'app.test', origins: ['https://app.test'], signUp: true as const };
    const { browser, site } = await openAccount({ site: { service: { providers: { webauthn } } } });
    const { options, challenge } = await site.service.webauthn.startSignUp({});
    const response = softwareAuthenticator({ origin: 'https://app.test' }).create(options);
    const signedUp = { response, expectedChallenge: challenge };
    const { user } = await site.service.webauthn.finishSignUp(signedUp);
    const [credential] = await site.service.webauthn.listCredentials(user.id);
    const { token } = await site.service.sessionsProvider.create({ userId: user.id });
    browser.forget();
    browser.adopt(`svc_session=${token}`);
    await browser.get(`${accountPath}/security/passkeys/${credential?.id}/remove`);
    const refused = await browser.press('/remove');
    expect(errorsOf(refused)).toEqual(['This is your only way to sign in. Add another one first.']);
    expect(await site.service.webauthn.listCredentials(user.id)).toHaveLength(1);
  });

  it('one of another user is not found, and a form with its id changes nothing', async () => {
    const scene = await openAccount();
    const { account } = await scene.another();
    const theirs = account.user.id as string;
    const { credential } = await register(scene, theirs, 'Theirs');
    for (const action of ['rename', 'remove']) {
      const path = `/security/passkeys/${credential.id}/${action}`;
      expect((await scene.browser.get(accountPath + path)).status).toBe(404);
      await post(scene, path, { name: 'Stolen' });
    }
    const left = await scene.site.service.webauthn.listCredentials(theirs);
    expect(left.map(({ name }) => name)).toEqual(['Theirs']);
  });
});

describe('the phone numbers', () => {
  async function add(scene: AccountScene, number = phone) {
    await scene.open('/security/phones/add');
    return scene.browser.press('/phones/add', { phone: number });
  }

  it('one is added with a code, after a reload too, and signs in', async () => {
    const scene = await openAccount();
    const { browser, open, site } = scene;
    expect((await add(scene, '+1 (415) 555-2671')).location).toBe(`${accountPath}/security/phones/code`);
    expect(textOf(await open('/security/phones/code'))).toContain('+1 415 555 2671');
    const wrong = await browser.press('/phones/code', { code: '000000' });
    expect(errorsOf(wrong)).toEqual(['code: This code is wrong. Check it and try again.']);
    await open('/security/phones/code');
    const added = await browser.press('/phones/code', { code: site.sms.lastCode(phone) ?? '' });
    expect(added.location).toBe(`${accountPath}/security?done=phoneAdded`);
    expect(textOf(await open('/security'))).toContain('+1 415 555 2671');
    await site.service.phoneOtp.sendCode({ phone });
    const { user } = await site.service.phoneOtp.verify({ phone, code: site.sms.lastCode(phone) ?? '' });
    expect(user.id).toBe(idOf(scene));
    // The number is no longer in the cookie.
    expect((await browser.get(`${accountPath}/security/phones/code`)).location).toBe(
      `${accountPath}/security/phones/add`,
    );
  });

  it.each([[''], ['12'], ['41555526711234'], [markup]])(
    'the number %j is refused next to the field, and is not markup',
    async (number) => {
      const scene = await openAccount();
      const refused = await add(scene, number);
      expect(refused.status).toBe(422);
      expect(errorsOf(refused)).toEqual([
        'phone: This phone number isn’t valid. Check the country and the number.',
      ]);
      expect(refused.text).not.toContain('<script>alert');
      expect(scene.site.sms.messages).toEqual([]);
    },
  );

  it('the code is sent again, and the earlier one is replaced', async () => {
    const scene = await openAccount();
    await add(scene);
    await scene.open('/security/phones/code');
    expect((await scene.browser.press('/code/send')).location).toBe(`${accountPath}/security/phones/code`);
    expect(scene.site.sms.messages).toHaveLength(2);
  });

  it('the number of another account is refused only after its code, with what to do', async () => {
    const scene = await openAccount();
    const { browser, open, site } = scene;
    await site.service.phoneOtp.sendCode({ phone });
    await site.service.phoneOtp.verify({ phone, code: site.sms.lastCode(phone) ?? '' });
    expect((await add(scene)).status).toBe(303);
    await open('/security/phones/code');
    const refused = await browser.press('/phones/code', { code: site.sms.lastCode(phone) ?? '' });
    expect(errorsOf(refused)).toEqual(['Another account has this phone number. Remove it there first.']);
  });

  it('a number in a forged cookie is neither shown nor added', async () => {
    const scene = await openAccount();
    const form = { formToken: 'a'.repeat(24), pending: { phone: { value: markup, proof: 'a'.repeat(43) } } };
    scene.browser.adopt(`svc_pages=${Buffer.from(JSON.stringify(form)).toString('base64url')}`);
    const response = await scene.browser.get(`${accountPath}/security/phones/code`);
    expect(response).toMatchObject({ status: 303, location: `${accountPath}/security/phones/add` });
    expect((await scene.site.service.phoneOtp.list(idOf(scene))).phones).toEqual([]);
  });

  it('one is removed on a page that asks; the only way to sign in is not', async () => {
    const scene = await openAccount();
    const { browser, site } = scene;
    await site.service.phoneOtp.sendCode({ phone });
    const { user } = await site.service.phoneOtp.verify({ phone, code: site.sms.lastCode(phone) ?? '' });
    const { token } = await site.service.sessionsProvider.create({ userId: user.id });
    const { phones } = await site.service.phoneOtp.list(user.id);
    const path = `/security/phones/${phones[0]?.id}/remove`;
    // Another user's number is not found.
    expect((await browser.get(accountPath + path)).status).toBe(404);
    await post(scene, path);
    browser.forget();
    browser.adopt(`svc_session=${token}`);
    expect(textOf(await browser.get(accountPath + path))).toMatch(/\+1\s415\s555\s2671/);
    const refused = await browser.press('/remove');
    expect(errorsOf(refused)).toEqual(['This is your only way to sign in. Add another one first.']);
    await register(scene, user.id);
    await browser.get(accountPath + path);
    expect((await browser.press('/remove')).location).toBe(`${accountPath}/security?done=phoneRemoved`);
    expect((await site.service.phoneOtp.list(user.id)).phones).toEqual([]);
  });
});

describe('the password', () => {
  const refusalOf = async (password: string | null, scene: AccountScene) => {
    await scene.open('/security/password');
    const fields = { current: validPassword, password: password ?? scene.me.email.toUpperCase() };
    const refused = await scene.browser.press('/security/password', fields);
    expect(refused.status).toBe(422);
    return errorsOf(refused);
  };

  it.each([
    ['a common one', 'password123', 'Many people use this password. Choose another one.'],
    ['one that is too long', 'a'.repeat(1025), 'This password is too long. Choose a shorter one.'],
    [
      'the address',
      null,
      'This password contains your address, your username or the name of this product. Choose another one.',
    ],
  ])('%s is refused with the reason next to the field', async (_, password, reason) => {
    expect(await refusalOf(password, await openAccount())).toEqual([`password: ${reason}`]);
  });

  it('one that was breached is refused with the reason next to the field', async () => {
    const breached = 'a password of a breach';
    const emailPassword = {
      sender: outbox(),
      resetUrl: 'https://app.test/reset',
      hasher: cheapHasher(),
      checkPassword: (password: string) => (password === breached ? ('breached' as const) : true),
    };
    const scene = await openAccount({ site: { service: { providers: { emailPassword } } } });
    const reason = 'This password has appeared in a data breach. Choose another one.';
    expect(await refusalOf(breached, scene)).toEqual([`password: ${reason}`]);
  });

  it('has an estimate of its strength, whose script is a file of this site', async () => {
    const { browser, open } = await openAccount();
    const { text } = await open('/security/password');
    const [, path = ''] = /data-strength="([^"]*)"/.exec(text) ?? [];
    const file = await browser.get(path);
    expect([file.status, file.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    // As a script, because Jest imports modules by their path only.
    const source = file.text.replace('export const scoreOf =', 'globalThis.scoreOf =');
    const scoreOf = runInNewContext(source) as (password: string, names: string[]) => number;
    expect(scoreOf('password123', [])).toBeLessThan(2);
    const names = ['lovelace', 'acme'];
    expect(scoreOf('acme-lovelace', names)).toBeLessThan(scoreOf('acme-lovelace', []));
    expect(scoreOf('correct horse battery staple', [])).toBe(4);
  });
});
