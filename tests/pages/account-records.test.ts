// Devices, apps, API keys and the data of the account.
import { accountPagesOpener, accountPath, errorsOf, textOf } from '../support/account-pages.js';
import { fieldsOf } from '../support/admin-pages.js';
import { codeAt } from '../support/authenticator-app.js';
import { validPassword } from '../support/http-site.js';
import { day, minute } from '../support/make-pro-service.js';

const openAccount = accountPagesOpener();
const markup = '<script>alert(1)</script>"\'';

const rowsOf = (text: string) =>
  text
    .split('<li class="entry">')
    .slice(1)
    .map((each) =>
      each
        .split('</li>')[0]!
        .replace(/<svg[^]*?<\/svg>|<[^>]+>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    );

describe('the devices', () => {
  it('one device is signed out on a page that asks, and this one stays', async () => {
    const { browser, me, open, site } = await openAccount();
    const userId = me.user.id as string;
    const device = { userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/130.0', ip: '203.0.113.9' };
    const other = await site.service.sessionsProvider.create({ userId, device });
    const text = textOf(await open('/devices'));
    expect(text).toContain('Firefox on Linux');
    expect(text).toContain('203.0.113.9');
    const path = `/devices/browser/${other.session.id}/end`;
    await open(path);
    expect((await browser.press(path)).location).toBe(`${accountPath}/devices?done=deviceSignedOut`);
    await expect(site.service.getSessionUser(other.token)).rejects.toMatchObject({ code: 'token_invalid' });
    expect(textOf(await open('/devices'))).not.toContain('Firefox on Linux');
  });

  it('every other device and app is signed out at once', async () => {
    const { browser, me, open, site } = await openAccount();
    const userId = me.user.id as string;
    await site.service.sessionsProvider.create({ userId });
    await site.service.refresh.issue({ userId });
    await open('/devices/sign-out-others');
    expect((await browser.press('/sign-out-others')).status).toBe(303);
    expect(await site.service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    expect(await site.service.refresh.list(userId)).toEqual([]);
    await open('/devices');
  });

  it('a device of another user is not found, and a form with its id changes nothing', async () => {
    const { another, browser, me, site } = await openAccount();
    const { account: other } = await another();
    const [session] = await site.service.sessionsProvider.listDevices(other.user.id as string);
    const path = `${accountPath}/devices/browser/${session?.id}/end`;
    expect((await browser.get(path)).status).toBe(404);
    const body = new URLSearchParams(fieldsOf((await browser.get(`${accountPath}/profile`)).text)).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await site.send('POST', path, body, { headers, cookie: me.cookie });
    expect((await site.get('/session', { cookie: other.cookie })).status).toBe(200);
  });

  it('names of devices, apps, keys and organizations never become markup', async () => {
    const { me, open, site } = await openAccount({ byCode: true });
    const { apiKeys, orgs, refresh, sessionsProvider } = site.service;
    const userId = me.user.id as string;
    await sessionsProvider.create({ userId, device: { name: markup, ip: markup } });
    await sessionsProvider.create({ userId, device: { userAgent: markup } });
    await refresh.issue({ userId, device: { name: markup } });
    await apiKeys.create({ userId, name: markup });
    const { org } = await orgs.create({ name: markup, ownerUserId: userId });
    await apiKeys.create({ orgId: org.id, name: markup });
    const [device] = await sessionsProvider.listDevices(userId);
    const [key] = await apiKeys.list({ userId });
    const paths = [
      '/devices',
      `/devices/browser/${device?.id}/end`,
      '/tokens',
      `/tokens/keys/${key?.id}/revoke`,
      '/organizations',
      `/organizations/${org.id}`,
      `/organizations/${org.id}/delete`,
      `/organizations/${org.id}/leave`,
    ];
    for (const path of paths) expect((await open(path)).text).not.toContain('<script>alert');
  });

  it('browsers, apps and trusted browsers are one list, each with its end', async () => {
    const { browser, me, open, site } = await openAccount();
    const userId = me.user.id as string;
    const { totp, refresh, secondFactor } = site.service;
    const { secret } = await totp.beginEnrollment(userId);
    await totp.confirmEnrollment(userId, codeAt(secret, site.clock.now()));
    site.clock.advance(minute);
    const login = await site.post('/password/login', { email: me.email, password: validPassword });
    const code = codeAt(secret, site.clock.now());
    const step = await site.post(
      '/mfa/verify',
      { code, trustBrowser: true },
      { cookie: login.cookie('svc_mfa') },
    );
    for (const { name, value } of step.cookies) browser.adopt(`${name}=${value}`);
    await refresh.issue({ userId, device: { name: 'Acme for Android' } });
    const first = await open('/devices');
    const rows = rowsOf(first.text);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(
      /This device Trusted until \w+ \d+(, \d+)? .*Active now · Signed in now Stop trusting/,
    );
    expect(rows[1]).toMatch(/^Acme for Android App .*Signed in now · never used .*Sign out/);
    expect(textOf(first)).not.toContain('expires');
    const [trusted] = await secondFactor.listTrustedBrowsers(userId);
    const path = `/devices/trusted_browser/${trusted?.id}/end`;
    expect(textOf(await open(path))).toContain('needs the second step again');
    expect((await browser.press(path)).location).toBe(`${accountPath}/devices?done=untrusted`);
    expect(await secondFactor.listTrustedBrowsers(userId)).toEqual([]);
    // The session of the same browser remains valid.
    await open('/devices');
  });

  it('shows one row for each browser, this one first, with its trust, its place and how long ago it was active', async () => {
    const places: Record<string, string> = { '203.0.113.9': 'Hamburg, Germany' };
    const { browser, me, open, site } = await openAccount({
      site: { service: { locate: (ip: string) => places[ip] ?? null } },
    });
    const userId = me.user.id as string;
    const { secondFactor, sessionsProvider, totp } = site.service;
    const { secret } = await totp.beginEnrollment(userId);
    await totp.confirmEnrollment(userId, codeAt(secret, site.clock.now()));
    const signIn = async (userAgent: string) => {
      site.clock.advance(minute);
      const headers = { 'User-Agent': userAgent };
      const login = await site.post(
        '/password/login',
        { email: me.email, password: validPassword },
        { headers },
      );
      const code = codeAt(secret, site.clock.now());
      const cookie = login.cookie('svc_mfa');
      return site.post('/mfa/verify', { code, trustBrowser: true }, { cookie, headers });
    };
    const first = await signIn('Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0');
    const second = await signIn('Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Safari/604.1');
    site.clock.advance(2 * 60 * minute);
    await sessionsProvider.create({ userId, device: { name: 'Laptop', ip: '203.0.113.9' } });
    for (const { name, value } of first.cookies) browser.adopt(`${name}=${value}`);
    const page = await open('/devices');
    const rows = rowsOf(page.text);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toContain('Firefox on Linux This device Trusted until');
    expect(rows[1]).toMatch(/^Laptop Hamburg, Germany · 203\.0\.113\.9 /);
    expect(rows[2]).toMatch(/Trusted until .*Last active 2 hours ago · Signed in 2 hours ago Sign out/);
    expect(page.text).toMatch(/<time datetime="[^"]+" title="[^"]+ UTC" data-ago>2 hours ago<\/time>/);
    // A browser that is signed out keeps its trust, and its row.
    await site.post('/logout', {}, { cookie: second.cookie('svc_session') });
    const after = rowsOf((await open('/devices')).text);
    expect(after).toHaveLength(3);
    expect(after[2]).toContain('Signed out. The next sign-in in this browser skips the second step.');
    const [, other] = await secondFactor.listTrustedBrowsers(userId);
    const path = `/devices/trusted_browser/${other!.id}/end`;
    await open(path);
  });

  it('signs a trusted browser out with all its sessions, and ends the trust in it', async () => {
    const { browser, me, open, site } = await openAccount();
    const userId = me.user.id as string;
    const { secondFactor, sessionsProvider, totp } = site.service;
    const { secret } = await totp.beginEnrollment(userId);
    await totp.confirmEnrollment(userId, codeAt(secret, site.clock.now()));
    site.clock.advance(minute);
    const login = await site.post('/password/login', { email: me.email, password: validPassword });
    const code = codeAt(secret, site.clock.now());
    const step = await site.post(
      '/mfa/verify',
      { code, trustBrowser: true },
      { cookie: login.cookie('svc_mfa') },
    );
    site.clock.advance(minute);
    // The browser has forgotten its session, and signs in again.
    const again = await site.post(
      '/password/login',
      { email: me.email, password: validPassword },
      { cookie: step.cookie('svc_trust') },
    );
    const own = await sessionsProvider.create({ userId });
    browser.adopt(`svc_session=${own.token}`);
    const rows = rowsOf((await open('/devices')).text);
    expect(rows).toHaveLength(2);
    const { devices } = await sessionsProvider.listAllDevices(userId);
    const trusted = devices.find(({ trust }) => trust !== null)!;
    const path = `/devices/browser/${trusted.id}/end`;
    await open(path);
    expect((await browser.press(path)).location).toBe(`${accountPath}/devices?done=deviceSignedOut`);
    for (const response of [step, again])
      expect((await site.get('/session', { cookie: response.cookie('svc_session') })).status).toBe(401);
    expect(await secondFactor.listTrustedBrowsers(userId)).toEqual([]);
    expect(rowsOf((await open('/devices')).text)).toHaveLength(1);
  });

  it.each([
    ['ja', '心当たりのないデバイスからはログアウトしてください。ログインできる'],
    ['zh-Hans', '请让其退出登录。你最多'],
  ])('joins sentences in %s without a space', async (language, text) => {
    const { browser } = await openAccount({ site: { service: { session: { maxPerUser: 3 } } } });
    const page = await browser.get(`${accountPath}/devices`, { 'Accept-Language': language });
    expect(textOf(page)).toContain(text);
  });

  it('a device is not found under another kind, and an unknown kind changes nothing', async () => {
    const { browser, me, open, site } = await openAccount();
    const userId = me.user.id as string;
    const { session } = await site.service.sessionsProvider.create({ userId });
    for (const kind of ['app', 'trusted_browser', 'unknown', '__proto__', 'toString'])
      expect((await browser.get(`${accountPath}/devices/${kind}/${session.id}/end`)).status).toBe(404);
    const token = fieldsOf((await open('/profile')).text);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const kind of ['app', 'unknown', '__proto__']) {
      const body = new URLSearchParams(token).toString();
      const path = `${accountPath}/devices/${kind}/${session.id}/end`;
      await site.send('POST', path, body, { headers, cookie: me.cookie });
    }
    expect(await site.service.sessionsProvider.listDevices(userId)).toHaveLength(2);
  });

  it('the page says how many devices can be signed in, if the application limits them', async () => {
    const limited = await openAccount({ site: { service: { session: { maxPerUser: 3 } } } });
    expect(textOf(await limited.open('/devices'))).toContain('You can be signed in on up to 3 devices.');
    const { open } = await openAccount();
    expect(textOf(await open('/devices'))).not.toContain('You can be signed in on');
  });

  it('a long list has a link to its next page', async () => {
    const { me, browser, open, site } = await openAccount();
    const userId = me.user.id as string;
    for (let count = 0; count < 55; count += 1) await site.service.sessionsProvider.create({ userId });
    const first = await open('/devices');
    const next = /<a href="([^"]*\?devices=[^"]*)"/.exec(first.text)?.[1] ?? '';
    const second = await browser.get(next);
    expect(second.status).toBe(200);
    const countOf = (text: string) => text.match(/<li class="entry">/g)?.length;
    expect([countOf(first.text), countOf(second.text)]).toEqual([50, 6]);
    expect((await browser.get(`${accountPath}/devices?devices=forged`)).status).toBe(400);
  });
});

describe('the keys and the apps', () => {
  it('a key is created with permissions and an end, and shown once', async () => {
    const { browser, me, open, site } = await openAccount({ byCode: true });
    await open('/tokens/new');
    const created = await browser.press('/tokens/new', { name: 'Deploy', 'scope:read': 'yes', days: '30' });
    expect(created.status).toBe(200);
    const key = /id="new-key"[^>]*>([^<]*)</.exec(created.text)?.[1] ?? '';
    const record = await site.service.apiKeys.verify(key);
    expect(record).toMatchObject({ name: 'Deploy', scopes: ['read'], userId: me.user.id });
    expect(record.expiresAt).toEqual(new Date(site.clock.now() + 30 * day));
    const list = await open('/tokens');
    expect(list.text).not.toContain(key);
    expect(textOf(list)).toContain('Deploy');
  });

  it.each([
    ['without a name', { name: ' ', days: '30' }, 'name: Enter a name of at most 100 characters.'],
    [
      'with a lifetime that the form does not offer',
      { name: 'Deploy', days: '99999' },
      'days: Check the form and try again.',
    ],
  ])('no key is created %s', async (_, fields, error) => {
    const { browser, me, open, site } = await openAccount({ byCode: true });
    await open('/tokens/new');
    const refused = await browser.press('/tokens/new', fields);
    expect([refused.status, errorsOf(refused)]).toEqual([422, [error]]);
    expect(await site.service.apiKeys.list({ userId: me.user.id as string })).toEqual([]);
  });

  it('a user with an unverified address is asked to verify it first', async () => {
    const { browser, open } = await openAccount();
    await open('/tokens/new');
    const refused = await browser.press('/tokens/new', { name: 'Deploy', days: '' });
    expect(errorsOf(refused)).toEqual(['Verify your email address first.']);
  });

  it('a permission that the application does not offer is not given', async () => {
    const { browser, me, open, site } = await openAccount({ byCode: true });
    await open('/tokens/new');
    await browser.press('/tokens/new', { name: 'Deploy', 'scope:admin': 'yes', days: '' });
    const [key] = await site.service.apiKeys.list({ userId: me.user.id as string });
    expect(key).toMatchObject({ scopes: [], expiresAt: null });
  });

  it('a key is revoked on a page that asks, and a key of another user is not found', async () => {
    const { another, browser, me, open, site } = await openAccount({ byCode: true });
    const { browser: stranger } = await another();
    const { key, record } = await site.service.apiKeys.create({
      userId: me.user.id as string,
      name: 'Deploy',
    });
    const path = `/tokens/keys/${record.id}/revoke`;
    expect((await stranger.get(accountPath + path)).status).toBe(404);
    expect(textOf(await open(path))).toContain('Deploy');
    expect((await browser.press(path)).location).toBe(`${accountPath}/tokens?done=keyRevoked`);
    await expect(site.service.apiKeys.verify(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
    expect((await browser.get(accountPath + path)).status).toBe(404);
  });

  it('an app is signed out on a page that asks', async () => {
    const { browser, me, open, site } = await openAccount();
    const userId = me.user.id as string;
    await site.service.refresh.issue({ userId, device: { name: 'Acme for Android' } });
    expect(textOf(await open('/devices'))).toContain('Acme for Android App');
    const [family] = await site.service.refresh.list(userId);
    const path = `/devices/app/${family?.id}/end`;
    expect(textOf(await open(path))).toContain('The app has to sign in again.');
    expect((await browser.press(path)).location).toBe(`${accountPath}/devices?done=appRevoked`);
    expect(await site.service.refresh.list(userId)).toEqual([]);
  });
});

describe('the data of the account', () => {
  it('is downloaded as a file, with a recent sign-in only', async () => {
    const { browser, me, open, waitUntilOld } = await openAccount();
    await open('/data');
    const file = await browser.press('/data/download');
    expect(file.headers).toMatchObject({
      'content-disposition': 'attachment; filename="account.json"',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(JSON.parse(file.text)).toMatchObject({ user: { email: me.email } });
    await open('/data');
    waitUntilOld();
    expect((await browser.press('/data/download')).location).toContain('/account/confirm?next=');
  });

  it('the account is deleted after its address was typed in', async () => {
    const { browser, me, open, site } = await openAccount();
    await open('/data/delete');
    const refused = await browser.press('/data/delete', { confirmation: 'delete' });
    expect(errorsOf(refused)).toEqual(['confirmation: The text doesn’t match.']);
    const deleted = await browser.press('/data/delete', { confirmation: ` ${me.email.toUpperCase()} ` });
    expect(textOf(deleted)).toContain('Account deleted');
    expect(browser.cookieNames()).not.toContain('svc_session');
    await expect(site.service.users.get(me.user.id as string)).rejects.toMatchObject({
      code: 'user_not_found',
    });
  });

  it('the last owner of an organization reads what to do first', async () => {
    const { browser, me, open, site } = await openAccount({ byCode: true });
    const userId = me.user.id as string;
    const { org } = await site.service.orgs.create({ name: 'Engines', ownerUserId: userId });
    const { account: other } = await (async () => ({ account: await site.signInByCode() }))();
    await site.service.orgs.addMember(org.id, other.user.id as string, 'member');
    await open('/data/delete');
    const refused = await browser.press('/data/delete', { confirmation: me.email });
    expect(errorsOf(refused)).toEqual([
      'You’re the last owner of an organization. Make another member an owner, or delete it, first.',
    ]);
    expect((await site.service.users.get(userId)).email).toBe(me.email);
  });
});
