// An administrator who acts as a user sees whose account it is on every page, finds the way out, and no button that is refused.
import { createAdminPages } from 'svc-auth/admin';
import { accountPagesOpener, accountPath, mount, textOf } from '../support/account-pages.js';

const openAccount = accountPagesOpener();
const admin = '/app/admin';

async function openPages() {
  const scene = await openAccount({
    byCode: true,
    site: {
      before(app, { service }) {
        app.use(admin, createAdminPages(service, { authorize: ({ roles }) => roles.includes('admin') }));
      },
    },
  });
  const { me, site } = scene;
  const { account, browser } = await scene.another();
  await site.service.users.update(account.user.id as string, { roles: ['admin'] });
  return { site, browser, administrator: account, target: me };
}

/** Begins the impersonation on the admin pages. */
async function impersonate() {
  const scene = await openPages();
  const { browser, target } = scene;
  await browser.get(`${admin}/users/${target.user.id as string}/impersonate`);
  const begun = await browser.submit({});
  expect(begun.status).toBe(303);
  return scene;
}

const banner = (email: string) => `You’re viewing Acme as ${email} . Stop`;

describe('an impersonation', () => {
  it('has a banner on every page, of the account and of the sign-in', async () => {
    const { browser, target } = await impersonate();
    for (const path of [
      '/account/profile',
      '/account/security',
      '/account/data',
      '/reset',
      '/account/confirm',
    ])
      expect([path, textOf(await browser.get(mount + path))]).toEqual([
        path,
        expect.stringContaining(banner(target.email)),
      ]);
  });

  it('ends with the button of the banner, on the page of the user in the administration', async () => {
    const { administrator, browser, site, target } = await impersonate();
    const page = await browser.get(`${accountPath}/devices`);
    expect(page.text).not.toContain('/account/sign-out');
    const stopped = await browser.press('/account/impersonation');
    expect(stopped).toMatchObject({ status: 307, location: `${admin}/impersonation` });
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(page.text) ?? [];
    const ended = await browser.post(stopped.location!, new URLSearchParams({ form_token: token }));
    expect(ended.location).toContain(`${admin}/users/${target.user.id as string}`);
    expect(textOf(await browser.follow())).toContain('Impersonation ended.');
    expect(browser.cookieNames()).not.toContain('svc_admin_path');
    const own = await site.get('/session', { cookie: `svc_session=${browser.cookie('svc_session')}` });
    expect(own.json.user.email).toBe(administrator.email);
    expect(textOf(await browser.get(`${accountPath}/profile`))).not.toContain('You’re viewing');
  });

  it('leads home if the application began it', async () => {
    const { browser, site, administrator, target } = await openPages();
    const { token } = await site.service.sessionsProvider.impersonate(
      administrator.user.id as string,
      target.user.id as string,
    );
    browser.forget();
    browser.adopt(`svc_session=${token}`);
    await browser.get(`${accountPath}/profile`);
    expect(await browser.press('/account/impersonation')).toMatchObject({ status: 303, location: '/' });
    expect(browser.cookieNames()).not.toContain('svc_session');
  });

  it('leads nowhere that a planted cookie says', async () => {
    const { browser } = await impersonate();
    const path = Buffer.from('/app/evil').toString('base64url');
    browser.adopt(`svc_admin_path=${'x'.repeat(43)}.${path}`);
    await browser.get(`${accountPath}/profile`);
    expect(await browser.press('/account/impersonation')).toMatchObject({ status: 303, location: '/' });
  });

  it('ends nothing without the token of its session', async () => {
    const { browser } = await impersonate();
    await browser.get(`${accountPath}/profile`);
    const refused = await browser.press('/account/impersonation', { form_token: 'x' });
    expect(refused.status).toBe(303);
    expect(textOf(await browser.get(`${accountPath}/profile`))).toContain('You’re viewing');
  });

  it('offers no button that it may not use, and every other one', async () => {
    const { browser } = await impersonate();
    for (const section of ['profile', 'security', 'devices', 'tokens', 'organizations', 'data']) {
      const { text } = await browser.get(`${accountPath}/${section}`);
      const links = [...text.matchAll(/<a class="button[^"]*" href="([^"]+)"/g)].map(([, path]) => path!);
      for (const path of links) expect([path, (await browser.get(path)).status]).toEqual([path, 200]);
      const forms = [...text.matchAll(/<form[^>]*action="([^"]+)"/g)].map(([, path]) => path);
      expect(forms).toEqual([`${accountPath}/impersonation`]);
      expect(text).not.toMatch(/<div class="actions">\s*<\/div>/);
    }
  });

  it('offers the user all of them', async () => {
    const { browser, site, target } = await openPages();
    browser.forget();
    browser.adopt(target.cookie);
    const { text } = await browser.get(`${accountPath}/security`);
    expect(text).toContain(`href="${accountPath}/security/passkeys/add"`);
    expect(text).not.toContain('class="impersonation"');
    expect((await site.get('/session', { cookie: target.cookie })).status).toBe(200);
  });
});
