// What happened in the meantime is said, and every page leads out, back and on.
import { createAdminPages } from 'svc-auth/admin';
import { createPages } from 'svc-auth/pages';
import { outbox } from 'svc-auth/testing';
import * as z from 'zod';
import {
  accountPagesOpener,
  accountPath,
  errorsOf,
  mount,
  textOf,
  type AccountScene,
} from '../support/account-pages.js';
import { fullSiteOpener, type FullSite } from '../support/full-site.js';
import { validPassword } from '../support/http-site.js';
import { pageVisitor } from '../support/page-visitor.js';
import { minute } from '../support/make-pro-service.js';
import { enrollTotp, requestResetToken } from '../support/site-actions.js';

const openAccount = accountPagesOpener();
const openSite = fullSiteOpener();
const username = '/profile/username';
const asBrowser = { Accept: 'text/html,application/xhtml+xml' };

/** Another user signs in, in a second tab of the same browser. */
async function switchUser(scene: AccountScene) {
  const { account } = await scene.another();
  scene.browser.adopt(account.cookie);
  return account;
}

const usernameOf = async ({ site }: AccountScene, id: unknown) =>
  (await site.service.users.get(id as string)).username;

describe('a form whose session has ended', () => {
  async function endAndSend(fields: Record<string, string> = { username: 'ada' }) {
    const scene = await openAccount();
    await scene.open(username);
    const { browser, me, site } = scene;
    await site.service.sessionsProvider.revokeAll(me.user.id as string);
    const sent = await browser.press(username, fields);
    return { ...scene, sent };
  }
  const signIn = async ({ browser }: AccountScene, email: string) => {
    await browser.submit({ email });
    await browser.follow();
    return browser.submit({ password: validPassword });
  };

  it('asks to sign in, says why, and prefills the address', async () => {
    const { browser, me } = await endAndSend();
    const page = await browser.follow();
    expect(textOf(page)).toContain('Your session has ended. Sign in to continue.');
    expect(page.text).toContain(`value="${me.email}"`);
  });

  it('is shown again with what was typed, after its user has signed in', async () => {
    const scene = await endAndSend();
    await scene.browser.follow();
    expect((await signIn(scene, scene.me.email)).location).toBe(`${accountPath}${username}`);
    const page = await scene.browser.follow();
    expect(page.status).toBe(200);
    expect(textOf(page)).toContain('You’re signed in again. Nothing has been saved yet.');
    expect(page.text).toContain('value="ada"');
    expect(await usernameOf(scene, scene.me.user.id)).toBeNull();
    expect((await scene.open(username)).text).not.toContain('value="ada"');
  });

  it('shows another user nothing of it', async () => {
    const scene = await endAndSend();
    await scene.browser.follow();
    await switchUser(scene);
    expect((await scene.open(username)).text).not.toContain('"ada"');
  });

  it('never keeps a password', async () => {
    const scene = await openAccount();
    await scene.open('/security/password');
    await scene.site.service.sessionsProvider.revokeAll(scene.me.user.id as string);
    await scene.browser.press('/security/password', {
      current: validPassword,
      password: 'another secret 42',
    });
    const flow = Buffer.from(scene.browser.cookie('svc_pages') ?? '', 'base64url').toString();
    expect(flow).toContain(scene.me.email);
    expect(flow).not.toMatch(/another secret/);
  });

  it('a page that is opened says so too, and not to a browser without a session', async () => {
    const { browser, me, site } = await openAccount();
    await site.service.sessionsProvider.revokeAll(me.user.id as string);
    expect((await browser.get(accountPath + username)).location).toContain('notice=session_ended');
    browser.forget();
    expect((await browser.get(accountPath + username)).location).not.toContain('notice');
  });
});

describe('a tab whose account has changed', () => {
  it('says which account it is now, and changes neither', async () => {
    const scene = await openAccount();
    await scene.open(username);
    const other = await switchUser(scene);
    const refused = await scene.browser.press(username, { username: 'ada' });
    expect(errorsOf(refused)).toEqual([`You’re now signed in as ${other.email}. Nothing was changed.`]);
    expect(refused.text).not.toContain('"ada"');
    for (const { user } of [scene.me, other]) expect(await usernameOf(scene, user.id)).toBeNull();
  });

  it('keeps what was typed if the same user has signed in again', async () => {
    const scene = await openAccount();
    await scene.open(username);
    const { me, site, browser } = scene;
    const again = await site.post('/password/login', { email: me.email, password: validPassword });
    browser.adopt(again.cookie('svc_session'));
    const refused = await browser.press(username, { username: 'ada' });
    expect(errorsOf(refused)).toEqual(['This page has expired. Send the form again.']);
    expect(refused.text).toContain('value="ada"');
  });

  it('shows nothing of a form that claims to be of the account', async () => {
    const scene = await openAccount();
    await scene.open(username);
    const forged = { username: 'ada', form_token: 'x', form_account: `${'x'.repeat(43)}.${scene.me.email}` };
    const refused = await scene.browser.press(username, forged);
    expect(refused.status).toBe(422);
    expect(refused.text).not.toContain('"ada"');
  });

  it('does not sign the other user out before it has asked', async () => {
    const scene = await openAccount();
    const { browser, site } = scene;
    await scene.open('/profile');
    const other = await switchUser(scene);
    const asked = await browser.press('/sign-out');
    expect(errorsOf(asked)).toEqual([`You’re now signed in as ${other.email}. Nothing was changed.`]);
    expect((await site.get('/session', { cookie: other.cookie })).status).toBe(200);
    expect((await browser.submit({})).location).toBe(`${mount}/sign-in?notice=signed_out`);
    expect((await site.get('/session', { cookie: other.cookie })).status).toBe(401);
  });

  it('says that one is signed out, also if the session had ended before', async () => {
    const { browser, me, open, site } = await openAccount();
    await open('/profile');
    await site.service.sessionsProvider.revokeAll(me.user.id as string);
    await browser.press('/sign-out');
    expect(textOf(await browser.follow())).toContain('You’ve been signed out.');
  });
});

describe('a blocked user', () => {
  it('gets a page without a form, whichever way the sign-in goes', async () => {
    const { browser, me, site } = await openAccount({ byCode: true });
    browser.forget();
    await site.service.users.block(me.user.id as string);
    await browser.get(`${mount}/sign-in`);
    await browser.submit({ email: me.email });
    await browser.follow();
    await browser.press('/use-code');
    await browser.follow();
    const refused = await browser.submit({ code: site.mail.lastCode(me.email) ?? '' });
    const redirected = await browser.get(`${mount}/sign-in?error=user_blocked`);
    for (const page of [refused, redirected]) {
      expect([page.status, textOf(page)]).toEqual([403, expect.stringContaining('You can’t sign in')]);
      expect(textOf(page)).toContain('This account is blocked. Contact support.');
      expect(page.text).not.toMatch(/<button class="primary"|name="code"/);
      expect(page.text).toContain(`href="${mount}/sign-in"`);
    }
  });
});

describe('a refused sign-in of a user who is signed in', () => {
  it('says what was refused, unless it is a link, which leads on', async () => {
    const { browser } = await openAccount();
    const blocked = await browser.get(`${mount}/sign-in?error=user_blocked`);
    expect([blocked.status, textOf(blocked)]).toEqual([200, expect.stringContaining('This account is blocked')]);
    expect(blocked.text).toContain(`href="${mount}/account"`);
    for (const code of ['token_invalid', 'code_expired'])
      expect((await browser.get(`${mount}/sign-in?error=${code}`)).location).toBe('/');
  });
});

describe('a closed sign-up', () => {
  it('says so at the start, and the sign-in offers no account', async () => {
    const { site } = await openSiteWithInvite();
    const browser = pageVisitor(site);
    expect(textOf(await browser.get(`${mount}/sign-in`))).not.toContain('Create an account');
    const page = await browser.get(`${mount}/sign-up`);
    expect(textOf(page)).toContain('Sign-up is by invitation only');
    expect(page.text).not.toMatch(/name="email"|Continue with/);
    expect(page.text).toContain(`href="${mount}/sign-in"`);
    expect((await browser.get(`${mount}/sign-up/passkey`)).location).toBe(`${mount}/sign-up`);
  });

  it('shows the form to a visitor whom an invitation has led there, and it creates the account', async () => {
    const { site, invited, join } = await openSiteWithInvite();
    const browser = pageVisitor(site);
    await browser.get(`${mount}/sign-in?next=${encodeURIComponent(join)}`);
    expect(textOf(await browser.get(`${mount}/sign-in?next=${encodeURIComponent(join)}`))).toContain(
      'Create an account',
    );
    await browser.get(`${mount}/sign-up`);
    const done = await browser.submit({ email: invited, password: validPassword });
    expect(errorsOf(done)).toEqual([]);
    expect(await site.service.users.find({ email: invited })).not.toBeNull();
  });

  it('offers an invited visitor no method that takes no invitation', async () => {
    const { site, join } = await openSiteWithInvite();
    const browser = pageVisitor(site);
    const page = await browser.get(`${mount}/sign-up?next=${encodeURIComponent(join)}`);
    expect(page.text).toContain('name="email"');
    for (const path of ['sign-up/passkey', 'sign-in/phone'])
      expect(page.text).not.toContain(`href="${mount}/${path}"`);
    expect((await browser.get(`${mount}/sign-up/passkey`)).location).toBe(`${mount}/sign-up`);
    expect((await browser.get(`${mount}/sign-in`)).text).toContain(`href="${mount}/sign-in/phone"`);
  });

  it('remains open to an invited visitor, however often others at the address have read its pages', async () => {
    const { site, invited, join } = await openSiteWithInvite();
    const browser = pageVisitor(site);
    for (let views = 0; views <= 100; views++)
      await browser.get(`${mount}/sign-up?next=${encodeURIComponent(join)}`);
    await browser.submit({ email: invited, password: validPassword });
    expect(await site.service.users.find({ email: invited })).not.toBeNull();
  });

  it('asks an invited visitor for the required fields with the password, and leads on to the invitation', async () => {
    const { site, invited, join } = await openSiteWithInvite({ fields });
    const browser = pageVisitor(site);
    const page = await browser.get(`${mount}/sign-up?next=${encodeURIComponent(join)}`);
    expect(page.text).toContain('name="fields.company"');
    const refused = await browser.submit({ email: invited, password: validPassword });
    expect(refused.text).toContain('id="field-fields.company-error"');
    const done = await browser.submit({
      ...{ email: invited, password: validPassword },
      'fields.company': 'Acme',
    });
    expect(done.location).toBe(`${mount}/verify`);
    await browser.follow();
    await site.settle();
    const verified = await browser.submit({ code: site.mail.lastCode(invited) ?? '' });
    expect(verified.location).toBe(join);
    await browser.follow();
    expect((await browser.press('/join')).location).toBe(join);
    expect(textOf(await browser.follow())).toContain('You joined Orbit');
    expect(await metadataOf(site, invited)).toEqual({ company: 'Acme' });
  });

  it('asks an invited visitor for the required fields after a mailed code, and leads on to the invitation', async () => {
    const { site, invited, join } = await openSiteWithInvite({ fields });
    const browser = pageVisitor(site);
    await browser.get(`${mount}/sign-in?next=${encodeURIComponent(join)}`);
    await browser.submit({ email: invited });
    await browser.follow();
    await browser.press('/use-code');
    await browser.follow();
    await site.settle();
    const proven = await browser.submit({ code: site.mail.lastCode(invited) ?? '' });
    expect(proven.location).toBe(`${mount}/sign-up/complete`);
    await browser.follow();
    expect((await browser.submit({ 'fields.company': 'Acme' })).location).toBe(join);
    await browser.follow();
    expect((await browser.press('/join')).location).toBe(join);
    expect(await metadataOf(site, invited)).toEqual({ company: 'Acme' });
  });

  it('refuses the token of an invitation with another address', async () => {
    const { site, join } = await openSiteWithInvite({ fields });
    const browser = pageVisitor(site);
    const stranger = site.uniqueEmail();
    await browser.get(`${mount}/sign-up?next=${encodeURIComponent(join)}`);
    const refused = await browser.submit({
      ...{ email: stranger, password: validPassword },
      'fields.company': 'Acme',
    });
    expect(refused.status).toBe(422);
    expect(await site.service.users.find({ email: stranger })).toBeNull();
  });

  it('does not show the form with an invalid invitation', async () => {
    const { site } = await openSiteWithInvite();
    const browser = pageVisitor(site);
    await browser.get(`${mount}/sign-in?next=${encodeURIComponent(`${mount}/join?token=bad`)}`);
    expect(textOf(await browser.get(`${mount}/sign-up`))).toContain('Sign-up is by invitation only');
  });

  const fields = z.object({ company: z.string().min(2) });
  const metadataOf = async (site: FullSite, email: string) =>
    (await site.adapter.users.findByEmail(email))?.metadata;

  async function openSiteWithInvite(signUp: object = {}) {
    const mail = outbox();
    const site = await openSite({
      service: {
        mail,
        signUp: { enabled: false, ...signUp },
        providers: { orgs: { sender: mail, inviteUrl: `https://app.test${mount}/join` } },
      },
      after(app, { service }) {
        app.use(mount, createPages(service, { name: 'Acme' }));
      },
    });
    // Administrators create users although sign-up is closed.
    const owner = await site.service.users.create({ email: site.uniqueEmail(), emailVerified: true });
    const { org } = await site.service.orgs.create({ name: 'Orbit', ownerUserId: owner.id });
    const invited = site.uniqueEmail();
    await site.service.orgs.invite({
      ...{ orgId: org.id, email: invited, role: 'member' as const },
      invitedByUserId: owner.id,
    });
    return { site, invited, join: `${mount}/join?token=${site.mailedToken(invited)}` };
  }
});

describe('a link for a new password', () => {
  async function mailedLink() {
    const scene = await openAccount();
    const { browser, me, site } = scene;
    browser.forget();
    const token = await requestResetToken(site, me.email);
    return { ...scene, path: `${mount}/reset?token=${token}` };
  }

  it('can be requested again', async () => {
    const mail = outbox();
    const emailPassword = { sender: mail, resetUrl: 'https://app.test/reset' };
    const { browser, me } = await openAccount({ site: { service: { mail, providers: { emailPassword } } } });
    browser.forget();
    await browser.get(`${mount}/reset`);
    await browser.submit({ email: me.email });
    const sent = await browser.follow();
    expect(sent.text).toContain(`<a href="${mount}/reset">Request a new link</a>`);
    expect((await browser.get(`${mount}/reset`)).text).toContain(`value="${me.email}"`);
  });

  it('that is malformed or expired says so when it is opened', async () => {
    const { browser, path, site } = await mailedLink();
    await browser.get(`${mount}/reset?token=bad`);
    expect(textOf(await browser.follow())).toContain('This link is no longer valid. Request a new one.');
    site.clock.advance(24 * 60 * 60_000);
    await browser.get(path);
    const page = await browser.follow();
    expect(textOf(page)).toContain('This link has expired. Request a new one.');
    expect(page.text).not.toContain('type="password"');
  });

  it('stays valid however often it is opened, and says that it was used', async () => {
    const { browser, path } = await mailedLink();
    for (let opened = 0; opened < 3; opened++) expect((await browser.get(path)).status).toBe(200);
    expect((await browser.submit({ password: `${validPassword} 2` })).location).toBe(`${mount}/reset/done`);
    await browser.get(path);
    expect(textOf(await browser.follow())).toContain('This link is no longer valid.');
  });

  it('says that it is no longer valid after the account has changed', async () => {
    const { browser, me, path, site } = await mailedLink();
    await site.service.users.update(me.user.id as string, { emailVerified: true });
    await site.service.users.signOut(me.user.id as string);
    await browser.get(path);
    expect(textOf(await browser.follow())).toContain('This link is no longer valid.');
  });
});

describe('a magic link', () => {
  it('that has expired says that the link has, and not a code', async () => {
    const { browser } = await openAccount();
    browser.forget();
    const page = await browser.get(`${mount}/sign-in?error=code_expired`);
    expect(errorsOf(page)).toEqual(['This link has expired. Request a new one.']);
  });
});

describe('a form of a page that was open for longer than its cookie', () => {
  it('is shown again at the same step, and arrives at the page that was asked for', async () => {
    const site = await openSite({
      after: (app, { service }) => app.use(mount, createPages(service, { name: 'Acme', basePath: mount })),
    });
    const browser = pageVisitor(site);
    const me = await site.signUp();
    await browser.get(`${mount}/sign-in?next=/notes`);
    await browser.submit({ email: me.email });
    await browser.follow();
    browser.forget();
    const refused = await browser.submit({ password: validPassword });
    expect(errorsOf(refused)).toEqual(['This page has expired. Send the form again.']);
    expect(textOf(refused)).toContain(me.email);
    expect((await browser.submit({ password: validPassword })).location).toBe('/notes');
  });
});

describe('a second step that comes too late', () => {
  async function waitAtSecondStep() {
    const site = await openSite({
      after: (app, { service }) => app.use(mount, createPages(service, { name: 'Acme', basePath: mount })),
    });
    const browser = pageVisitor(site);
    const me = await site.signUp();
    await enrollTotp(site, me.cookie);
    await browser.get(`${mount}/sign-in?next=/notes`);
    await browser.submit({ email: me.email });
    await browser.follow();
    await browser.submit({ password: validPassword });
    await browser.follow();
    site.clock.advance(60 * minute);
    return browser;
  }
  const said = 'The sign-in took too long. Sign in again to continue.';

  it('leads back to the sign-in, which says so and keeps the address', async () => {
    const browser = await waitAtSecondStep();
    await browser.press('/two-factor', { code: '123456' });
    const page = await browser.follow();
    expect(errorsOf(page)).toEqual([said]);
    expect(page.text).toContain('name="flow_next" value="/notes"');
  });

  it('says so after a reload too', async () => {
    const browser = await waitAtSecondStep();
    await browser.get(`${mount}/two-factor`);
    expect(errorsOf(await browser.follow())).toEqual([said]);
  });

  it('is silent in a browser that has begun no sign-in', async () => {
    const { browser } = await openAccount();
    browser.forget();
    expect((await browser.get(`${mount}/two-factor`)).location).toBe(`${mount}/sign-in`);
  });
});

describe('an address without a page', () => {
  it('below the account is answered in its frame, for browsers', async () => {
    const { browser } = await openAccount();
    const page = await browser.get(`${accountPath}/xyz`, asBrowser);
    expect([page.status, textOf(page)]).toEqual([404, expect.stringContaining('Not found')]);
    expect(page.text).toContain(`href="${accountPath}/profile"`);
    expect(page.text).not.toContain('aria-current');
    browser.forget();
    const next = encodeURIComponent(`${accountPath}/xyz`);
    expect((await browser.get(`${accountPath}/xyz`, asBrowser)).location).toBe(
      `${mount}/sign-in?next=${next}`,
    );
  });

  it('elsewhere is left to the application, and so are its scripts', async () => {
    const { browser } = await openAccount();
    for (const [path, headers] of [
      [`${mount}/xyz`, asBrowser],
      [`${mount}/accounting`, asBrowser],
      [`${mount}/sign-in/xyz`, asBrowser],
      [`${accountPath}/xyz`, { Accept: 'application/json' }],
    ] as const) {
      const left = await browser.get(path, headers);
      expect([path, left.status]).toEqual([path, 404]);
      expect(left.text).not.toContain('svc-pages');
    }
  });

  it('below the admin pages is answered for anyone', async () => {
    const { browser } = await openAccount({
      site: {
        before(app, { service }) {
          app.use('/app/admin', createAdminPages(service, { authorize: () => true }));
        },
      },
    });
    const page = await browser.get('/app/admin/xyz', asBrowser);
    expect([page.status, textOf(page)]).toEqual([404, expect.stringContaining('Page not found')]);
    expect(page.text).toContain('href="/app/admin/users"');
    expect((await browser.get('/app/admin/xyz')).text).not.toContain('Page not found');
  });
});

describe('the admin pages, for a user without access', () => {
  const openAdmin = () =>
    openAccount({
      site: {
        before(app, { service }) {
          app.use(
            '/app/admin',
            createAdminPages(service, { authorize: () => false, signInUrl: `${mount}/sign-in` }),
          );
        },
      },
    });

  it('name the account and sign it out', async () => {
    const { browser, me, site } = await openAdmin();
    const page = await browser.get('/app/admin/users');
    expect([page.status, textOf(page)]).toEqual([403, expect.stringContaining('No access')]);
    expect(textOf(page)).toContain(`You’re signed in as ${me.email} .`);
    expect((await browser.press('/sign-out')).location).toBe('/app/admin/users');
    expect(browser.cookie('svc_session')).toBeUndefined();
    expect((await site.get('/session', { cookie: me.cookie })).status).toBe(401);
    expect((await browser.follow()).location).toBe(`${mount}/sign-in`);
  });

  it('sign no one out by a link, nor by the form of another session', async () => {
    const { browser, me, site } = await openAdmin();
    expect((await browser.get('/app/admin/sign-out')).location).toBe('/app/admin/users');
    const forged = new URLSearchParams({ form_token: 'x' });
    expect((await browser.post('/app/admin/sign-out', forged)).status).toBe(403);
    expect((await site.get('/session', { cookie: me.cookie })).status).toBe(200);
  });
});

describe('a page that fails', () => {
  it('leads home and to the account, and without a session to the sign-in', async () => {
    const { browser, open } = await openAccount();
    const failed = () => browser.press('', {}, { Origin: 'https://evil.test' });
    await open('/profile');
    const page = await failed();
    expect(textOf(page)).toContain('Back to Acme');
    expect(page.text).toContain(`href="${accountPath}"`);
    browser.forget();
    await browser.get(`${mount}/sign-in`);
    expect((await failed()).text).toContain(`href="${mount}/sign-in"`);
  });
});
