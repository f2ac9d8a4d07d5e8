// Who may open the account pages, and which requests their forms refuse.
import {
  accountPagesOpener,
  accountPath,
  errorsOf,
  mount,
  textOf,
  type AccountScene,
} from '../support/account-pages.js';
import { fieldsOf } from '../support/admin-pages.js';
import { validPassword } from '../support/http-site.js';
import { minute, unknownId } from '../support/make-pro-service.js';
import { enrollTotp } from '../support/site-actions.js';

const openAccount = accountPagesOpener();

/** Every page of the account, with an id of no record. */
const paths = [
  '/profile',
  '/profile/email',
  '/profile/email/code',
  '/profile/verify-email',
  '/profile/username',
  '/profile/username/remove',
  '/profile/upgrade',
  '/profile/upgrade/code',
  '/security',
  '/security/password',
  '/security/authenticator',
  '/security/authenticator/turn-off',
  `/security/authenticator/${unknownId}/rename`,
  `/security/authenticator/${unknownId}/remove`,
  '/security/email-codes',
  '/security/email-codes/turn-off',
  '/security/preferred',
  '/security/recovery-codes',
  '/security/passkeys/add',
  `/security/passkeys/${unknownId}/rename`,
  `/security/passkeys/${unknownId}/remove`,
  '/security/phones/add',
  '/security/phones/code',
  `/security/phones/${unknownId}/remove`,
  '/security/connect/google',
  `/security/connected/${unknownId}/disconnect`,
  '/devices',
  '/devices/sign-out-others',
  `/devices/browser/${unknownId}/end`,
  '/tokens',
  '/tokens/new',
  `/tokens/keys/${unknownId}/revoke`,
  '/organizations',
  '/organizations/new',
  `/organizations/${unknownId}`,
  `/organizations/${unknownId}/members/${unknownId}/role`,
  `/organizations/${unknownId}/members/${unknownId}/remove`,
  `/organizations/${unknownId}/invite`,
  `/organizations/${unknownId}/invites/${unknownId}/revoke`,
  `/organizations/${unknownId}/keys/new`,
  `/organizations/${unknownId}/keys/${unknownId}/revoke`,
  `/organizations/${unknownId}/leave`,
  `/organizations/${unknownId}/delete`,
  '/data',
  '/data/delete',
  '/confirm',
];

/** The pages whose change a forgotten session must not make. */
const sensitive = [
  '/profile/email',
  '/profile/email/code',
  '/security/password',
  '/security/authenticator',
  '/security/authenticator/turn-off',
  `/security/authenticator/${unknownId}/remove`,
  '/security/email-codes',
  '/security/email-codes/turn-off',
  '/security/recovery-codes',
  '/security/passkeys/add',
  `/security/passkeys/${unknownId}/remove`,
  '/security/phones/add',
  '/security/phones/code',
  `/security/phones/${unknownId}/remove`,
  `/security/connected/${unknownId}/disconnect`,
  '/tokens/new',
  `/tokens/keys/${unknownId}/revoke`,
  `/organizations/${unknownId}/members/${unknownId}/role`,
  `/organizations/${unknownId}/members/${unknownId}/remove`,
  `/organizations/${unknownId}/invite`,
  `/organizations/${unknownId}/invites/${unknownId}/revoke`,
  `/organizations/${unknownId}/keys/new`,
  `/organizations/${unknownId}/keys/${unknownId}/revoke`,
  `/organizations/${unknownId}/delete`,
  '/data/delete',
];

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('who may open the account pages', () => {
  it('a visitor without a session is sent to the sign-in from every page, and comes back to it', async () => {
    const { browser } = await openAccount();
    browser.forget();
    for (const path of paths) {
      const next = encodeURIComponent(`${accountPath}${path}?a=b`);
      expect(await browser.get(`${accountPath}${path}?a=b`)).toMatchObject({
        status: 303,
        location: `${mount}/sign-in?next=${next}`,
      });
    }
  });

  it('a session that has ended is sent to the sign-in, also when it sends a form', async () => {
    const { browser, me, open, site } = await openAccount();
    await open('/profile/username');
    await site.service.sessionsProvider.revokeAll(me.user.id as string);
    const refused = await browser.press('/profile/username', { username: 'ada' });
    const next = encodeURIComponent(`${accountPath}/profile/username`);
    expect(refused).toMatchObject({
      status: 303,
      location: `${mount}/sign-in?next=${next}&notice=session_ended`,
    });
    expect((await site.service.users.get(me.user.id as string)).username).toBeNull();
  });

  it('the address of the account leads to its first section', async () => {
    const { browser } = await openAccount();
    expect(await browser.get(accountPath)).toMatchObject({ status: 303, location: `${accountPath}/profile` });
  });

  // A-16
  it('a sensitive page asks for the second factor that the sign-in in a trusted browser has skipped', async () => {
    const { browser, me, open, site } = await openAccount();
    const { code } = await enrollTotp(site, me.cookie);
    // Such a session has one factor, and is as recent as any.
    const { token } = await site.service.sessionsProvider.create({ userId: me.user.id as string });
    browser.adopt(`svc_session=${token}`);
    for (const path of sensitive) {
      const location = `${accountPath}/confirm?next=${encodeURIComponent(accountPath + path)}`;
      expect([path, await browser.get(accountPath + path)]).toMatchObject([path, { status: 303, location }]);
    }
    await open('/confirm');
    const step = await browser.press('/confirm', { current: validPassword });
    expect(step).toMatchObject({ status: 303, location: `${mount}/two-factor` });
    await browser.follow();
    expect((await browser.submit({ code: code() })).status).toBe(303);
    await open('/security/authenticator/turn-off');
  });

  it('a sensitive page asks an old sign-in to confirm before anything is typed into it', async () => {
    const { browser, waitUntilOld } = await openAccount();
    waitUntilOld();
    for (const path of sensitive) {
      const location = `${accountPath}/confirm?next=${encodeURIComponent(accountPath + path)}`;
      expect(await browser.get(accountPath + path)).toMatchObject({ status: 303, location });
    }
  });

  it('a sensitive form of an old sign-in changes nothing and asks to confirm', async () => {
    const { browser, me, open, site, waitUntilOld } = await openAccount();
    await open('/tokens/new');
    waitUntilOld();
    const refused = await browser.press('/tokens/new', { name: 'Deploy' });
    const location = `${accountPath}/confirm?next=${encodeURIComponent(`${accountPath}/tokens/new`)}`;
    expect(refused).toMatchObject({ status: 303, location });
    expect(await site.service.apiKeys.list({ userId: me.user.id as string })).toEqual([]);
  });

  it('the age of a recent sign-in is an option', async () => {
    const { browser, open, site } = await openAccount({ pages: { freshMs: 60 * minute } });
    site.clock.advance(59 * minute);
    await open('/tokens/new');
    site.clock.advance(2 * minute);
    expect((await browser.get(`${accountPath}/tokens/new`)).status).toBe(303);
  });

  it('an impersonation sees the sections, and neither opens nor sends a form that changes something', async () => {
    const { browser, me, site, another } = await openAccount();
    const { account: admin } = await another();
    const [adminId, userId] = [admin.user.id as string, me.user.id as string];
    const { token } = await site.service.sessionsProvider.impersonate(adminId, userId);
    browser.forget();
    browser.adopt(`svc_session=${token}`);
    const page = await browser.get(`${accountPath}/profile`);
    expect(page.status).toBe(200);
    expect(textOf(page)).toContain(`You’re viewing Acme as ${me.email}`);
    for (const path of [...sensitive, '/profile/username', '/organizations/new', '/confirm'])
      expect([path, (await browser.get(accountPath + path)).status]).toEqual([path, 403]);
    const { form_token: formToken = '' } = fieldsOf(page.text);
    const body = new URLSearchParams({ form_token: formToken, username: 'admin' }).toString();
    const request = { headers: formType, cookie: `svc_session=${token}` };
    expect((await site.send('POST', `${accountPath}/profile/username`, body, request)).status).toBe(403);
    expect((await site.service.users.get(userId)).username).toBeNull();
  });

  it('only what is configured has a page or a link', async () => {
    const off = undefined as never;
    const providers = {
      totp: off,
      webauthn: off,
      apiKeys: off,
      refresh: off,
      orgs: off,
      account: off,
      sessions: off,
      google: off,
      phoneOtp: off,
      oauth: {},
    };
    const { browser, open } = await openAccount({
      site: { service: { providers, usernames: { enabled: false } } },
    });
    const profile = textOf(await open('/profile'));
    expect(profile).toContain('Sign-in and security');
    for (const title of ['Devices', 'Keys and apps', 'Organizations', 'Your data', 'Username'])
      expect(profile).not.toContain(title);
    const security = textOf(await open('/security'));
    for (const title of ['Two-factor', 'Passkeys', 'Connected accounts'])
      expect(security).not.toContain(title);
    const gone = paths.filter((path) =>
      /devices|tokens|organizations|data|authenticator|username/.test(path),
    );
    for (const path of gone)
      expect([path, (await browser.get(accountPath + path)).status]).toEqual([path, 404]);
  });

  it('without a license the address and the connected accounts remain', async () => {
    const { open } = await openAccount({ site: { pro: undefined } });
    const text = textOf(await open('/profile'));
    for (const title of ['Devices', 'Organizations']) expect(text).not.toContain(title);
    const security = textOf(await open('/security'));
    expect(security).toContain('Connected accounts');
    for (const title of ['Two-factor', 'Passkeys', 'Password']) expect(security).not.toContain(title);
  });
});

describe('which forms the account pages refuse', () => {
  const send = ({ site, me }: AccountScene, fields: Record<string, string>, headers = {}) =>
    site.send('POST', `${accountPath}/profile/username`, new URLSearchParams(fields).toString(), {
      headers: { ...formType, ...headers },
      cookie: me.cookie,
    });
  const tokenOf = async ({ open }: AccountScene) =>
    fieldsOf((await open('/profile')).text)['form_token'] ?? '';
  const usernameIn = async ({ site, me }: AccountScene) =>
    (await site.service.users.get(me.user.id as string)).username;

  it('a form without a token, with a wrong one or with that of another session changes nothing', async () => {
    const scene = await openAccount();
    const { browser } = await scene.another();
    const other = fieldsOf((await browser.get(`${accountPath}/profile`)).text)['form_token'] ?? '';
    for (const token of [undefined, '', 'x', other]) {
      const refused = await send(scene, {
        username: 'ada',
        ...(token !== undefined && { form_token: token }),
      });
      expect(errorsOf(refused)).toEqual(['This page has expired. Send the form again.']);
      // What was sent may be the attacker's: the page that is shown again contains none of it.
      expect(refused.text).not.toContain('"ada"');
      expect(await usernameIn(scene)).toBeNull();
    }
    expect(await send(scene, { username: 'ada', form_token: await tokenOf(scene) })).toMatchObject({
      status: 303,
    });
    expect(await usernameIn(scene)).toBe('ada');
  });

  it('the token of the sign-in pages is not one of the account', async () => {
    const scene = await openAccount();
    scene.browser.forget();
    const page = await scene.browser.get(`${mount}/sign-in`);
    const refused = await send(scene, {
      username: 'ada',
      form_token: fieldsOf(page.text)['form_token'] ?? 'missing',
    });
    expect(errorsOf(refused)).toHaveLength(1);
    expect(await usernameIn(scene)).toBeNull();
  });

  it('a form of another site is refused even with the right token', async () => {
    const scene = await openAccount();
    const form_token = await tokenOf(scene);
    for (const headers of [
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ])
      expect((await send(scene, { username: 'ada', form_token }, headers)).status).toBe(403);
    expect(await usernameIn(scene)).toBeNull();
  });

  it('a body that is not a form is refused', async () => {
    const { site, me } = await openAccount();
    const request = { headers: { 'Content-Type': 'application/json' }, cookie: me.cookie };
    const refused = await site.send('POST', `${accountPath}/profile/username`, '{"username":"ada"}', request);
    expect(refused.status).toBe(400);
  });

  it('no GET changes anything: the address of a form leads to its page', async () => {
    const { browser, open } = await openAccount();
    for (const [address, page] of [
      ['/sign-out', '/profile'],
      ['/data/download', '/data'],
      ['/profile/verify-email/send', '/profile/verify-email'],
      ['/security/authenticator/start', '/security/authenticator'],
      ['/security/authenticator/confirm', '/security/authenticator'],
    ] as const)
      expect((await browser.get(accountPath + address)).location).toBe(accountPath + page);
    await open('/profile');
  });

  it('signing out ends the session on the server', async () => {
    const { browser, me, open, site } = await openAccount();
    await open('/profile');
    expect(await browser.press('/sign-out')).toMatchObject({
      status: 303,
      location: `${mount}/sign-in?notice=signed_out`,
    });
    expect(browser.cookieNames()).not.toContain('svc_session');
    expect((await site.get('/session', { cookie: me.cookie })).status).toBe(401);
  });

  it('every page forbids frames, inline code and caches', async () => {
    const { open } = await openAccount();
    for (const path of ['/profile', '/security', '/devices', '/tokens', '/organizations', '/data']) {
      const { headers, text } = await open(path);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['cache-control']).toBe('no-store');
      expect(text).not.toMatch(/<script(?! src=)|<style|\sstyle=|\son\w+=/);
    }
  });
});
