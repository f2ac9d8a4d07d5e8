// Sign-in and security: password, authenticator app, recovery codes, passkeys, connected accounts.
import { accountPagesOpener, accountPath, errorsOf, mount, textOf } from '../support/account-pages.js';
import { fieldsOf, unescaped } from '../support/admin-pages.js';
import { codeAt, wrongCodeAt } from '../support/authenticator-app.js';
import { validPassword } from '../support/http-site.js';

const openAccount = accountPagesOpener();
const newPassword = 'a battery that is a horse';

describe('the password', () => {
  it('changes with the current one, and signs out every other device but not this one', async () => {
    const { browser, me, open, site } = await openAccount();
    const other = await site.post('/password/login', { email: me.email, password: validPassword });
    await open('/security/password');
    const changed = await browser.press('/security/password', {
      current: validPassword,
      password: newPassword,
    });
    expect(changed.location).toBe(`${accountPath}/security?done=password`);
    expect(textOf(await browser.follow())).toContain('Password saved.');
    expect((await site.get('/session', { cookie: other.cookie() })).status).toBe(401);
    const login = { email: me.email, password: newPassword };
    expect((await site.post('/password/login', login)).status).toBe(200);
  });

  it.each([
    [{ current: '', password: newPassword }, 'current: Enter your current password.'],
    [{ current: 'wrong password', password: newPassword }, 'current: This isn’t your current password.'],
    [{ current: validPassword, password: '' }, 'password: Enter a new password.'],
    [
      { current: validPassword, password: 'short' },
      'password: This password is too short. Choose a longer one.',
    ],
  ])('says what is wrong with %j next to the field, and repeats no password', async (fields, error) => {
    const { browser, open } = await openAccount();
    await open('/security/password');
    const refused = await browser.press('/security/password', fields);
    expect([refused.status, errorsOf(refused)]).toEqual([422, [error]]);
    for (const password of [fields.current, fields.password].filter((each) => each.length > 5))
      expect(refused.text).not.toContain(password);
  });

  it('is set without a current one if the account has none', async () => {
    const { browser, me, open, site } = await openAccount({ byCode: true });
    const page = await open('/security/password');
    expect(page.text).not.toContain('name="current"');
    expect((await browser.press('/security/password', { password: newPassword })).status).toBe(303);
    const login = { email: me.email, password: newPassword };
    expect((await site.post('/password/login', login)).status).toBe(200);
  });

  it('cannot be replaced by leaving the current one out', async () => {
    const { browser, me, open, site } = await openAccount();
    await open('/security/password');
    await browser.press('/security/password', { password: newPassword, current: '' });
    const login = { email: me.email, password: newPassword };
    expect((await site.post('/password/login', login)).status).toBe(401);
  });
});

describe('the authenticator app', () => {
  /** Sets an app up and returns its secret and the page with the recovery codes. */
  async function setUp({ browser, open, site }: Awaited<ReturnType<typeof openAccount>>) {
    await open('/security/authenticator');
    const scan = await browser.press('/authenticator/start');
    const secret = secretIn(scan.text);
    await browser.press('/authenticator/confirm', { code: wrongCodeAt(secret, site.clock.now()) });
    const codes = await browser.press('/authenticator/confirm', { code: codeAt(secret, site.clock.now()) });
    return { scan, secret, codes };
  }

  const secretIn = (text: string) => (/secret-text[^>]*>([^<]*)</.exec(text)?.[1] ?? '').replace(/\s/g, '');
  const codesIn = (text: string) =>
    [...text.matchAll(/<code>([A-Z2-7]{5}-[A-Z2-7]{5})<\/code>/g)].map(([, code]) => code);

  it('is set up with a QR code, and a wrong code shows the same QR code again', async () => {
    const { browser, me, open, site } = await openAccount();
    await open('/security/authenticator');
    const scan = await browser.press('/authenticator/start');
    expect(scan.text).toContain('<svg class="qr"');
    const secret = secretIn(scan.text);
    const wrong = await browser.press('/authenticator/confirm', {
      code: wrongCodeAt(secret, site.clock.now()),
    });
    expect(errorsOf(wrong)).toEqual(['code: This code is wrong. Check it and try again.']);
    expect(secretIn(wrong.text)).toBe(secret);
    expect(wrong.text).toContain(/<path d="M[^"]*"/.exec(scan.text)?.[0]);
    const codes = await browser.press('/authenticator/confirm', { code: codeAt(secret, site.clock.now()) });
    expect(codesIn(codes.text)).toHaveLength(10);
    expect(await site.service.totp.isEnabled(me.user.id as string)).toBe(true);
    // The browser stays signed in, and the codes are not shown again.
    const security = await open('/security');
    expect(textOf(security)).toContain('10 codes left');
    expect(codesIn(security.text)).toEqual([]);
  });

  it('the recovery codes can be downloaded without a script', async () => {
    const scene = await openAccount();
    const { codes } = await setUp(scene);
    const link = unescaped(
      /href="(data:text\/plain[^"]*)"\s+download="recovery-codes.txt"/.exec(codes.text)?.[1] ?? '',
    );
    const file = decodeURIComponent(link.slice(link.indexOf(',') + 1));
    expect(file.split('\r\n').slice(2, 12)).toEqual(codesIn(codes.text));
    expect(file).toContain(scene.me.email);
  });

  it('the page with the recovery codes has the form token of the new session', async () => {
    const scene = await openAccount();
    await setUp(scene);
    expect((await scene.browser.press('/sign-out')).location).toBe(`${mount}/sign-in?notice=signed_out`);
  });

  it('the recovery codes are replaced, and the earlier ones stop working', async () => {
    const scene = await openAccount();
    const { browser, me, open, site } = scene;
    const { codes } = await setUp(scene);
    await open('/security/recovery-codes');
    const fresh = await browser.press('/security/recovery-codes');
    expect(codesIn(fresh.text)).toHaveLength(10);
    const userId = me.user.id as string;
    const [old = '', replaced = ''] = [codesIn(codes.text)[0], codesIn(fresh.text)[0]];
    expect(await site.service.totp.verifyRecoveryCode(userId, old)).toBe(false);
    expect(await site.service.totp.verifyRecoveryCode(userId, replaced)).toBe(true);
    await open('/security');
  });

  it('is turned off on a page that says what happens', async () => {
    const scene = await openAccount();
    await setUp(scene);
    const { browser, me, open, site } = scene;
    expect(textOf(await open('/security/authenticator/turn-off'))).toContain(
      'Your recovery codes stop working',
    );
    expect((await browser.press('/authenticator/turn-off')).location).toBe(
      `${accountPath}/security?done=authenticatorOff`,
    );
    expect(await site.service.totp.isEnabled(me.user.id as string)).toBe(false);
    expect((await browser.get(`${accountPath}/security/authenticator/turn-off`)).status).toBe(404);
  });

  it('no other address than that of an authenticator app gets into the page', async () => {
    const { browser, open } = await openAccount();
    for (const uri of ['javascript:alert(1)', 'otpauth://totp/" onclick=x', 'https://evil.test/', '']) {
      await open('/security/authenticator');
      await browser.press('/authenticator/start');
      const page = await browser.press('/authenticator/confirm', { code: '123456', uri });
      expect(errorsOf(page)).toEqual(['This set-up has expired. Start again.']);
      expect(page.text).not.toContain('evil.test');
      expect(page.text).not.toContain('javascript:');
    }
  });
});

describe('passkeys and connected accounts', () => {
  it('a passkey or an account of another user is not found, and stays', async () => {
    const { browser, me, site } = await openAccount();
    const { sessionsProvider, identities } = site.service;
    const guest = await sessionsProvider.createGuest();
    const theirs = { userId: guest.user.id, provider: 'google', providerAccountId: 'g-1' };
    await sessionsProvider.upgrade(theirs);
    const [identity] = await identities.list(guest.user.id);
    const path = `/security/connected/${identity?.id}/disconnect`;
    expect((await browser.get(accountPath + path)).status).toBe(404);
    // The form of the right path, sent with an id of another user: nothing happens.
    await browser.get(`${accountPath}/profile`);
    const body = new URLSearchParams(fieldsOf((await browser.get(`${accountPath}/profile`)).text)).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await site.send('POST', accountPath + path, body, { headers, cookie: me.cookie });
    expect(await identities.list(guest.user.id)).toHaveLength(1);
  });

  it('the last way to sign in cannot be disconnected, and the page says so', async () => {
    const { browser, site } = await openAccount();
    const guest = await site.service.sessionsProvider.createGuest();
    const userId = guest.user.id;
    await site.service.sessionsProvider.upgrade({ userId, provider: 'google', providerAccountId: 'g-2' });
    const { token } = await site.service.sessionsProvider.create({ userId });
    browser.forget();
    browser.adopt(`svc_session=${token}`);
    expect(textOf(await browser.get(`${accountPath}/security`))).toContain(
      'Add an email address to set a password.',
    );
    const [identity] = await site.service.identities.list(userId);
    await browser.get(`${accountPath}/security/connected/${identity?.id}/disconnect`);
    const refused = await browser.press('/disconnect');
    expect(errorsOf(refused)).toEqual(['This is your only way to sign in. Add another one first.']);
    expect(await site.service.identities.list(userId)).toHaveLength(1);
  });

  it('connecting leads to the provider by a page, because a form may not leave the site', async () => {
    const { browser, open } = await openAccount();
    await open('/security');
    const page = await browser.press('/connect/acme');
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/<meta http-equiv="refresh" content="0; url=http:\/\/127.0.0.1:9\/authorize\?/);
    expect(textOf(page)).toContain('Continue to Acme');
    // Opening the address only shows the section.
    expect((await browser.get(`${accountPath}/security/connect/acme`)).location).toBe(
      `${accountPath}/security`,
    );
  });

  it('says how connecting an account has ended: green if it is connected, neutral if nothing was changed', async () => {
    const { browser, open } = await openAccount();
    const ended = async (outcome: string, provider = 'acme') =>
      (await open(`/security?done=${outcome}&provider=${provider}`)).text;
    expect(await ended('connected')).toMatch(/<p class="banner good" role="status">Acme connected\.<\/p>/);
    expect(await ended('connectCanceled')).toMatch(
      /<p class="banner note" role="status">Connecting Acme was canceled\.<\/p>/,
    );
    expect(await ended('connectTaken')).toContain('This Acme account is connected to another user.');
    for (const provider of ['unknown', '__proto__', ''])
      expect(await ended('connected', provider)).not.toContain('role="status"');
    // The provider sends a user back who has canceled: the page that started it is shown, and does not say that it is connected.
    await browser.get(`${accountPath}/security`);
    await browser.press('/connect/acme');
    const back = await browser.get(`${mount}/sign-in?error=oauth_error&provider=acme&reason=access_denied`);
    expect(back.location).toBe(`${accountPath}/security?done=connectCanceled&provider=acme`);
  });

  it('an unknown provider cannot be connected', async () => {
    const { me, open, site } = await openAccount();
    const body = new URLSearchParams(fieldsOf((await open('/security')).text)).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const name of ['__proto__', 'phone', 'unknown']) {
      const request = { headers, cookie: me.cookie };
      const path = `${accountPath}/security/connect/${name}`;
      expect((await site.send('POST', path, body, request)).location).toBe(`${accountPath}/security`);
    }
  });

  it('a new passkey needs a script, and the page says so without one', async () => {
    const { open } = await openAccount();
    const { text } = await open('/security/passkeys/add');
    expect(text).toMatch(/<noscript>[^]*Passkeys need JavaScript/);
    expect(text).toMatch(/data-passkey-add="\/api\/auth\/passkeys\/register"/);
  });
});
