// Every form of every page has the access of the JSON route with the same effect, and one function checks both.
import { accountPages } from '../../src/pages/account/account-pages.js';
import { impersonationPage } from '../../src/admin/impersonation.js';
import { pages as adminPages } from '../../src/admin/pages.js';
import { adminRoutes } from '../../src/http/admin-router.js';
import { proRoutes } from '../../src/http/pro-router.js';
import { freeRoutes } from '../../src/http/router.js';
import { definePage } from '../../src/pages-kit/page.js';
import { pages as signInPages } from '../../src/pages/pages.js';
import { defaultPaths } from '../../src/pages/paths.js';
import { accountPagesOpener, accountPath, mount, textOf } from '../support/account-pages.js';
import { pageVisitor } from '../support/page-visitor.js';
import { validPassword as password } from '../support/http-site.js';

const routes = new Map(
  [...freeRoutes, ...proRoutes, ...adminRoutes].map(({ method, path, endpoint }) => [
    `${method} ${String(path)}`,
    endpoint,
  ]),
);

/** The forms that act for the session of the browser, and the route with the same effect. */
const twins: Record<string, string> = {
  '/sign-in/passkey': 'POST /passkeys/register/finish',
  '/sign-up': 'POST /guest/upgrade',
  '/sign-up/code': 'POST /guest/upgrade',
  '/sign-up/code/again': 'POST /guest/upgrade/send',
  '/verify': 'POST /account/verify-email',
  '/verify/again': 'POST /account/verify-email/send',
  '/verify/new': 'POST /account/email/confirm',
  '/verify/new/again': 'POST /account/email',
  '/verify/address': 'POST /account/email',
  '/join': 'POST /orgs/invites/accept',
  '/join/decline': 'POST /orgs/invites/decline',
  '/join/verify': 'POST /account/verify-email/send',
  '/account/profile/upgrade': 'POST /guest/upgrade',
  '/account/profile/upgrade/code': 'POST /guest/upgrade',
  '/account/profile/upgrade/code/send': 'POST /guest/upgrade/send',
  '/account/profile/email': 'POST /account/email',
  '/account/profile/email/code': 'POST /account/email/confirm',
  '/account/profile/email/code/send': 'POST /account/email',
  '/account/profile/verify-email': 'POST /account/verify-email',
  '/account/profile/verify-email/send': 'POST /account/verify-email/send',
  '/account/profile/name': 'PATCH /account/profile',
  '/account/profile/username': 'PUT /username',
  '/account/profile/username/remove': 'PUT /username',
  '/account/profile/language': 'PUT /account/language',
  '/account/security/password': 'POST /account/password',
  '/account/security/authenticator/start': 'POST /totp/enroll',
  '/account/security/authenticator/confirm': 'POST /totp/confirm',
  '/account/security/authenticator/turn-off': 'POST /totp/disable',
  '/account/security/authenticator/:id/rename': 'PATCH /totp/apps/:id',
  '/account/security/authenticator/:id/remove': 'DELETE /totp/apps/:id',
  '/account/security/email-codes': 'POST /second-factor/email/enable',
  '/account/security/email-codes/turn-off': 'POST /second-factor/email/disable',
  '/account/security/preferred': 'PUT /second-factor/preferred',
  '/account/security/recovery-codes': 'POST /totp/recovery-codes',
  '/account/security/passkeys/:id/rename': 'PATCH /passkeys/:id',
  '/account/security/passkeys/:id/remove': 'DELETE /passkeys/:id',
  '/account/security/phones/add': 'POST /phone/link/send',
  '/account/security/phones/code': 'POST /phone/link',
  '/account/security/phones/code/send': 'POST /phone/link/send',
  '/account/security/phones/:id/remove': 'DELETE /phones/:id',
  '/account/security/connect/:name': 'POST /oauth/:name/link',
  '/account/security/connected/:id/disconnect': 'DELETE /identities/:id',
  '/account/devices/sign-out-others': 'POST /devices/revoke-others',
  '/account/devices/:kind/:id/end': 'DELETE /devices/:kind/:id',
  '/account/apps/:id/remove': 'DELETE /connected-apps/:clientId',
  '/account/tokens/new': 'POST /api-keys',
  '/account/tokens/keys/:id/revoke': 'DELETE /api-keys/:id',
  '/account/tokens/apps/:id/sign-out': 'DELETE /tokens/:id',
  '/account/organizations/new': 'POST /orgs',
  '/account/organizations/:org/edit': 'PATCH /orgs/:id',
  '/account/organizations/:org/members/:user/role': 'PUT /orgs/:id/members/:userId',
  '/account/organizations/:org/members/:user/remove': 'DELETE /orgs/:id/members/:userId',
  '/account/organizations/:org/invite': 'POST /orgs/:id/invites',
  '/account/organizations/:org/invites/:invite/revoke': 'DELETE /orgs/:id/invites/:inviteId',
  '/account/organizations/:org/keys/new': 'POST /orgs/:id/api-keys',
  '/account/organizations/:org/keys/:key/revoke': 'DELETE /orgs/:id/api-keys/:keyId',
  '/account/organizations/:org/delete': 'DELETE /orgs/:id',
  '/account/data/download': 'GET /account/export',
  '/account/data/delete': 'DELETE /account',
};

/** Forms without a route of the same effect and access, and why. */
const withoutTwin: Record<string, string> = {
  '/sign-in/passkey/later': 'it changes only a cookie: this browser offers the user no passkey for some time',
  '/verify/sign-out': 'POST /logout is open: it also ends a session that has expired',
  '/device/enter': 'the OAuth server asks on a page alone',
  '/device/allow': 'the OAuth server asks on a page alone',
  '/device/deny': 'the OAuth server asks on a page alone',
  '/consent/allow': 'the OAuth server asks on a page alone',
  '/consent/deny': 'the OAuth server asks on a page alone',
  '/account/sign-out': 'POST /logout is open: it also ends a session that has expired',
  '/account/impersonation': 'an impersonation has no route: it ends with the cookie of its session',
  '/account/profile/email/forget':
    'it changes only the cookie of the pages in this browser, which no longer names the address that waits for its code',
  '/account/*': 'it changes nothing: no page has the address',
  '/account/confirm': 'a sign-in that confirms the session',
  '/account/confirm/mail': 'a sign-in that confirms the session',
  '/account/confirm/phone': 'a sign-in that confirms the session',
  '/account/confirm/code/verify': 'a sign-in that confirms the session',
  '/account/confirm/phone/verify': 'a sign-in that confirms the session',
  '/account/organizations/:org/leave':
    'DELETE /orgs/:id/members/:userId exempts users who remove themselves from its age of the sign-in',
};

const accessOf: Record<string, string> = {};
for (const page of signInPages) {
  for (const [name, form] of Object.entries(page.forms ?? {}))
    accessOf[[page.path(defaultPaths), name].filter(Boolean).join('/')] =
      form.access === 'open' ? (form.ofGuest ?? 'open') : form.access;
}
for (const page of accountPages) {
  for (const [name, { access }] of Object.entries(page.forms ?? {}))
    accessOf[[`/account${page.path}`, name].filter(Boolean).join('/')] = access;
}
const acting = Object.entries(accessOf).filter(([, access]) => access !== 'open');

// A-101
describe('the access of forms', () => {
  it.each([
    ['a page', {}],
    ['a page with an unknown access', { access: 'everyone' }],
    ['a form', { access: 'session', forms: { '': {} } }],
    ['a form with only the access of guests', { access: 'open', forms: { '': { ofGuest: 'session' } } }],
  ])('%s that states no access does not start', (_name, page) => {
    expect(() => definePage(page as never)).toThrow('must state its access');
  });

  it('every page that is served has been defined with an access', () => {
    for (const { access } of [...signInPages, ...accountPages, ...adminPages, impersonationPage])
      expect(['open', 'session', 'no-impersonation', 'recent']).toContain(access);
    for (const { access } of [...accountPages, ...adminPages, impersonationPage])
      expect(access).not.toBe('open');
  });

  it.each(Object.entries(accessOf))('the form %s states its access: %s', (_path, access) => {
    expect(['open', 'session', 'no-impersonation', 'recent']).toContain(access);
  });

  it('every form that acts for a session is compared with a route, or the list says why not', () => {
    const listed = [...Object.keys(twins), ...Object.keys(withoutTwin)];
    expect(acting.map(([path]) => path).sort()).toEqual(listed.sort());
  });

  it.each(Object.entries(twins))('the form %s has the access of %s', (form, route) => {
    expect(routes.has(route)).toBe(true);
    expect(accessOf[form]).toBe(routes.get(route)?.access);
  });

  const adminRules = [...adminPages, impersonationPage].flatMap((page) => [
    [`page ${page.path}`, page] as const,
    ...Object.entries(page.forms ?? {}).map(([name, form]) => [`form ${page.path}${name}`, form] as const),
  ]);

  it.each(adminRules.filter(([, { action }]) => action !== null))(
    'the administration %s has the access of the routes with its action',
    (_name, { access, action }) => {
      const same = [...routes.values()].filter((endpoint) => endpoint.action === action);
      // Impersonation has no route: it starts a session of this browser. Neither have the clients of the OAuth server.
      const ofPages: Partial<Record<string, string[]>> = {
        'users.impersonate': ['recent'],
        ...Object.fromEntries(
          ['create', 'update', 'remove', 'addSecret', 'removeSecret'].map((change) => [
            `oauthClients.${change}`,
            ['recent'],
          ]),
        ),
        'oauthClients.list': ['no-impersonation'],
      };
      const expected = ofPages[action!] ?? same.map((endpoint) => endpoint.access);
      expect(expected).toContain(access);
    },
  );
});

const openAccount = accountPagesOpener();

async function withoutAddress() {
  const scene = await openAccount();
  const { site } = scene;
  const user = await site.service.users.create({ username: 'ada.lovelace' });
  const { token } = await site.service.sessionsProvider.create({ userId: user.id });
  const browser = pageVisitor(site);
  browser.adopt(`svc_session=${token}`);
  // The mail of the sign-up is sent in the background.
  await site.settle();
  site.mail.clear();
  return { ...scene, browser, user };
}

/** The cookie of the pages, which the browser controls. */
function flowCookie(values: object): string {
  const flow = { formToken: 'f'.repeat(22), ...values };
  return `svc_pages=${Buffer.from(JSON.stringify(flow)).toString('base64url')}`;
}

// A-102
describe('an account without an address', () => {
  const foreign = 'mallory@example.com';

  it.each([
    ['newEmail', { newEmail: foreign }],
    ['a pending address without its proof', { pending: { email: { value: foreign } } }],
    [
      'a pending address with an invented proof',
      { pending: { email: { value: foreign, proof: 'x'.repeat(43) } } },
    ],
  ])('does not get an address from an unsigned cookie with %s', async (_name, flow) => {
    const { browser, site, user } = await withoutAddress();
    browser.adopt(flowCookie(flow));
    for (const path of ['/verify', '/verify/again', '/verify/new', '/verify/new/again']) {
      const fields = new URLSearchParams({ form_token: 'f'.repeat(22), email: foreign, code: '123456' });
      await browser.post(mount + path, fields);
    }
    expect(site.mail.messages).toEqual([]);
    expect((await site.service.users.get(user.id)).email).toBeNull();
  });

  it('does not get the address that is pending for another account of the browser', async () => {
    const { browser, me, site, user } = await withoutAddress();
    const other = pageVisitor(site);
    other.adopt(me.cookie);
    await other.get(`${accountPath}/profile/email`);
    await other.press('/profile/email', { email: foreign });
    expect(site.mail.messages.map(({ to }) => to)).toContain(foreign);
    site.mail.clear();
    browser.adopt(`svc_pages=${other.cookie('svc_pages')}`);
    await browser.get(`${mount}/reset`);
    await browser.post(`${mount}/verify/new/again`, new URLSearchParams({ form_token: browser.formToken() }));
    expect(site.mail.messages).toEqual([]);
    expect((await site.service.users.get(user.id)).email).toBeNull();
  });

  it('needs a recent sign-in for its first address', async () => {
    const { browser, site, user, waitUntilOld } = await withoutAddress();
    await browser.get(`${accountPath}/profile/email`);
    await browser.press('/profile/email', { email: foreign });
    const code = site.mail.lastCode(foreign) ?? '';
    site.mail.clear();
    waitUntilOld();
    await browser.get(`${mount}/verify`);
    const confirm = `${accountPath}/confirm?next=${encodeURIComponent(`${mount}/verify`)}`;
    expect(await browser.press('/verify/new', { code })).toMatchObject({ status: 303, location: confirm });
    await browser.get(`${mount}/verify`);
    expect(await browser.press('/verify/new/again')).toMatchObject({ status: 303, location: confirm });
    expect(site.mail.messages).toEqual([]);
    expect((await site.service.users.get(user.id)).email).toBeNull();
  });
});

describe('a guest who is impersonated', () => {
  async function impersonatedGuest(isPrivate = false) {
    const scene = await openAccount({
      byCode: true,
      site: {
        service: {
          providers: { sessions: { canImpersonate: () => true } },
          ...(isPrivate && { signUp: { revealExisting: false } }),
        },
      },
    });
    const { me, site } = scene;
    const { user } = await site.service.sessionsProvider.createGuest();
    const admin = await site.service.users.find({ email: me.email });
    const { token } = await site.service.sessionsProvider.impersonate(admin!.id, user.id);
    const browser = pageVisitor(site);
    browser.adopt(`svc_session=${token}`);
    site.mail.clear();
    return { ...scene, browser, guestId: user.id };
  }

  it.each([false, true])(
    'does not become a user at the sign-up page (private sign-up: %s)',
    async (isPrivate) => {
      const { browser, guestId, site } = await impersonatedGuest(isPrivate);
      await browser.get(`${mount}/sign-up`);
      const refused = await browser.press('/sign-up', { email: site.uniqueEmail(), password });
      expect(refused.status).toBe(403);
      expect(textOf(refused)).toContain('Not available while impersonating');
      expect(await site.service.users.get(guestId)).toMatchObject({ isGuest: true, email: null });
      expect(site.mail.messages).toEqual([]);
    },
  );

  it('does not become a user with a code that was mailed before', async () => {
    const { browser, guestId, site } = await impersonatedGuest(true);
    const email = site.uniqueEmail();
    await site.service.emailCode.sendUpgradeCode({ userId: guestId, email });
    await browser.get(`${mount}/sign-up`);
    const fields = { form_token: browser.formToken(), email, code: site.mail.lastCode(email) ?? '' };
    expect((await browser.post(`${mount}/sign-up/code`, new URLSearchParams(fields))).status).toBe(403);
    expect(await site.service.users.get(guestId)).toMatchObject({ isGuest: true, email: null });
  });
});
