// The page of an invite to an organization: who accepts it, and the way back to it from a verification or a sign-in.
import { outbox, type Outbox } from 'svc-auth/testing';
import { accountPagesOpener, errorsOf, mount, textOf } from '../support/account-pages.js';
import type { SiteOptions } from '../support/http-site.js';
import { pageVisitor } from '../support/page-visitor.js';

const openAccount = accountPagesOpener();
type Providers = NonNullable<NonNullable<SiteOptions['service']>['providers']>;

/** An invite to a new account with a password, whose address is unverified and which is signed in. */
async function invite(providersOf: (mail: Outbox) => Providers = () => ({})) {
  const mail = outbox();
  const orgs = { sender: mail, inviteUrl: `https://app.test${mount}/join` };
  const service = { mail, providers: { orgs, ...providersOf(mail) } };
  const { me: founder, site } = await openAccount({ byCode: true, site: { service } });
  const { org } = await site.service.orgs.create({ name: 'Orbit', ownerUserId: founder.user.id as string });
  const invited = await site.signUp();
  await site.service.orgs.invite({
    ...{ orgId: org.id, email: invited.email, role: 'member' as const },
    invitedByUserId: founder.user.id as string,
  });
  const { pathname, search } = new URL(mail.lastLink(invited.email)!);
  const browser = pageVisitor(site);
  browser.adopt(invited.cookie);
  const page = pathname + search;
  const members = async () =>
    (await site.service.orgs.listMembers(org.id)).map(({ userId }: { userId: string }) => userId);
  return { browser, founder, invited, mail, members, page, site, token: search.slice('?token='.length) };
}

describe('the page of an invite', () => {
  it.each<[string, (mail: Outbox) => Providers]>([
    ['with emailPassword.verifyEmail', () => ({})],
    [
      'with account.sender alone',
      (mail) => ({
        emailPassword: { sender: mail, resetUrl: 'https://app.test/reset', verifyEmail: 'off' },
      }),
    ],
  ])(
    'a user with an unverified address verifies it by code, returns to the invite, and accepts it with one click (%s)',
    async (_name, providersOf) => {
      const { browser, invited, mail, members, page, site, token } = await invite(providersOf);
      expect(textOf(await browser.get(page))).toContain('Verify');
      expect(await browser.press('/join/verify')).toMatchObject({ location: `${mount}/verify` });
      await browser.follow();
      const wrong = await browser.submit({
        code: mail.lastCode(invited.email) === '000000' ? '1' : '000000',
      });
      expect([wrong.status, errorsOf(wrong)]).toEqual([
        422,
        ['code: This code is wrong. Check it and try again.'],
      ]);
      expect(await browser.submit({ code: mail.lastCode(invited.email)! })).toMatchObject({ location: page });
      expect(await members()).not.toContain(invited.user.id);
      await browser.follow();
      expect(await browser.press('/join')).toMatchObject({ status: 303, location: page });
      expect(await members()).toContain(invited.user.id);
      expect(JSON.stringify(site.log)).not.toContain(token);
    },
  );

  it('without codes for an address, a sign-in with a mailed link in the same browser verifies it and returns to the invite', async () => {
    const { browser, invited, mail, page, site } = await invite((sender) => ({
      emailPassword: { sender, resetUrl: 'https://app.test/reset', verifyEmail: 'off' },
      account: true,
    }));
    await browser.get(page);
    const signIn = await browser.press('/join/verify');
    expect(signIn.location).toBe(`${mount}/sign-in?next=${encodeURIComponent(page)}`);
    expect(browser.cookieNames()).not.toContain('svc_session');
    await browser.follow();
    await browser.submit({ email: invited.email });
    await browser.follow();
    await browser.press('/use-link');
    const link = new URL(mail.lastLink(invited.email)!);
    expect(link.href).not.toContain('join');
    const opened = await browser.get(link.pathname.replace('/api/auth', '') + link.search);
    expect(opened.location).not.toContain('join');
    // The password of the unverified account is gone, and a page says so before it continues.
    expect(textOf(await browser.get(mount + opened.location))).toContain('Email address confirmed');
    await browser.get(`${mount}/sign-in/done`);
    await browser.follow();
    expect(await browser.press('/join')).toMatchObject({ location: page });
    expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('the sign-up that it leads to names the invited address, masked', async () => {
    const { browser, page } = await invite();
    browser.forget();
    await browser.get(`${mount}/sign-up?next=${encodeURIComponent(page)}`);
    expect(textOf(await browser.get(`${mount}/sign-up`))).toMatch(/The invitation is for \S\*\*\*@/);
    browser.forget();
    expect(textOf(await browser.get(`${mount}/sign-up`))).not.toContain('The invitation is for');
  });

  it('a form of the invite that is sent before the verification does not accept it', async () => {
    const { invited, members, page, site, token } = await invite();
    const jar = new Map([['svc_session', invited.cookie.slice('svc_session='.length)]]);
    const { text } = await pageVisitor(site, jar).get(page);
    const formToken = /name="form_token" value="([^"]+)"/.exec(text)![1]!;
    const accepted = await site.send(
      'POST',
      `${mount}/join`,
      new URLSearchParams({ form_token: formToken, token }).toString(),
      {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        cookie: [...jar].map((pair) => pair.join('=')).join('; '),
      },
    );
    expect(accepted.status).toBe(422);
    expect(textOf(accepted)).toContain('Verify');
    expect(await members()).not.toContain(invited.user.id);
  });

  it('the form that mails a code says why it was refused', async () => {
    const { browser, page } = await invite();
    for (let sent = 0; sent < 5; sent += 1) {
      await browser.get(page);
      await browser.press('/join/verify');
    }
    await browser.get(page);
    const refused = await browser.press('/join/verify');
    expect(refused.status).toBe(422);
    expect(errorsOf(refused)).toEqual([expect.stringContaining('Too many attempts')]);
  });

  it('an administrator who impersonates the user neither verifies the address nor accepts', async () => {
    const { browser, founder, invited, mail, members, page, site } = await invite();
    const [adminId, userId] = [founder.user.id as string, invited.user.id as string];
    const impersonate = async () => {
      const { token } = await site.service.sessionsProvider.impersonate(adminId, userId);
      browser.adopt(`svc_session=${token}`);
    };
    await browser.get(page);
    await browser.press('/join/verify');
    await browser.follow();
    await impersonate();
    const verified = await browser.submit({ code: mail.lastCode(invited.email)! });
    expect([verified.status, textOf(verified)]).toEqual([
      403,
      expect.stringContaining('Not available while impersonating'),
    ]);
    const { emailVerified } = await site.service.users.get(userId);
    expect(emailVerified).toBe(false);
    browser.adopt(invited.cookie);
    await browser.get(`${mount}/verify?next=${encodeURIComponent(page)}`);
    await browser.submit({ code: mail.lastCode(invited.email)! });
    await browser.follow();
    await impersonate();
    expect(await browser.press('/join')).toMatchObject({ status: 403 });
    expect(await members()).toEqual([adminId]);
  });

  it('says who invites, with masked addresses to everyone but the invited user', async () => {
    const { browser, founder, invited, mail, page, site } = await invite();
    const stranger = pageVisitor(site);
    const masked = textOf(await stranger.get(page));
    expect(masked).toMatch(/Join Orbit \w\*\*\*@example\.com invited you to join Orbit as a member\./);
    expect(masked).toMatch(/The invitation is for \w\*\*\*@example\.com \. Sign in to accept/);
    expect(masked).not.toContain(founder.email);
    // The address of the account is the invited one, but unverified.
    expect(textOf(await browser.get(page))).not.toContain(founder.email);
    await browser.press('/join/verify');
    await browser.follow();
    await browser.submit({ code: mail.lastCode(invited.email)! });
    const own = textOf(await browser.get(page));
    expect(own).toContain(`${founder.email} invited you to join Orbit as a member.`);
    expect(own).not.toContain('The invitation is for');
    const other = await site.signInByCode();
    stranger.adopt(other.cookie);
    expect(textOf(await stranger.get(page))).not.toContain(founder.email);
  });

  /** An invite whose invited user is signed in, with a verified address. */
  async function inviteVerified() {
    const scene = await invite();
    const { browser, invited, mail, page } = scene;
    await browser.get(page);
    await browser.press('/join/verify');
    await browser.follow();
    await browser.submit({ code: mail.lastCode(invited.email)! });
    return scene;
  }

  it('says that the user has joined, and leads a member on who opens the used link again', async () => {
    const { browser, page, site } = await inviteVerified();
    await browser.get(page);
    await browser.press('/join');
    const joined = await browser.follow();
    expect([joined.status, textOf(joined)]).toEqual([200, expect.stringContaining('You joined Orbit')]);
    const organization = /href="([^"]*\/account\/organizations\/[^"]+)"/.exec(joined.text)![1]!;
    expect(textOf(await browser.get(organization))).toContain('Orbit');
    expect(textOf(await browser.get(page))).toContain('You joined Orbit');
    const signedOut = await pageVisitor(site).get(page);
    expect(textOf(signedOut)).toContain('This invitation has already been accepted');
    expect(signedOut.text).toContain(`/sign-in?next=${encodeURIComponent(page)}`);
    expect(signedOut.text).not.toContain('Orbit');
  });

  it('lets a user with another account sign in with the one that has accepted', async () => {
    const { browser, page, site } = await inviteVerified();
    await browser.get(page);
    await browser.press('/join');
    const other = pageVisitor(site);
    other.adopt((await site.signInByCode()).cookie);
    const shown = await other.get(page);
    expect(textOf(shown)).toContain('This invitation has already been accepted');
    expect(shown.text).not.toContain('Orbit');
    expect((await other.press('/join/change')).location).toBe(
      `${mount}/sign-in?next=${encodeURIComponent(page)}`,
    );
  });

  it('is declined by the invited user, once, and cannot be accepted afterwards', async () => {
    const { browser, members, page, site, token } = await inviteVerified();
    const declined: unknown[] = [];
    site.service.on('org.invite_declined', (event: unknown) => void declined.push(event));
    await browser.get(page);
    const response = await browser.press('/join/decline');
    expect(response.location).toBe(`${mount}/join?done=declined`);
    expect(textOf(await browser.follow())).toContain('Invitation declined');
    expect(declined).toHaveLength(1);
    expect(textOf(await browser.get(page))).toContain('This invitation is no longer valid');
    expect(await members()).toHaveLength(1);
    expect(JSON.stringify(site.log)).not.toContain(token);
  });

  it('leads a user home who cannot accept it with this account, or not yet', async () => {
    const { browser, page, site } = await invite();
    const home = /<a href="\/">Back to Acme<\/a>/;
    expect((await browser.get(page)).text).toMatch(home);
    const other = pageVisitor(site);
    other.adopt((await site.signInByCode('grace@elsewhere.test')).cookie);
    const shown = await other.get(page);
    expect(textOf(shown)).toContain('This invitation is for another address.');
    expect(shown.text).toMatch(home);
  });

  it('is not declined by another user', async () => {
    const { invited, page, site, token } = await inviteVerified();
    const other = await site.signInByCode();
    const refused = await site.post('/orgs/invites/decline', { token }, { cookie: other.cookie });
    expect([refused.status, refused.json]).toEqual([
      403,
      expect.objectContaining({ error: 'not_authorized' }),
    ]);
    expect((await site.post('/orgs/invites/decline', { token })).status).toBe(401);
    expect(textOf(await pageVisitor(site).get(page))).toContain('invited you to join Orbit');
    const accepted = await site.post('/orgs/invites/accept', { token }, { cookie: invited.cookie });
    expect(accepted.status).toBe(200);
    const again = await site.post('/orgs/invites/decline', { token }, { cookie: invited.cookie });
    expect([again.status, again.json]).toEqual([
      401,
      expect.objectContaining({ error: 'token_invalid', reason: 'used' }),
    ]);
  });

  it('says that an invite has expired or was withdrawn, with a way on', async () => {
    const { browser, page, site } = await inviteVerified();
    const forged = await browser.get(`${page}x`);
    expect(textOf(forged)).toContain('This invitation is no longer valid');
    expect(forged.text).toContain('href="/"');
    site.clock.advance(8 * 24 * 60 * 60_000);
    const expired = await pageVisitor(site).get(page);
    expect(textOf(expired)).toContain('This invitation has expired Ask for a new invitation. Sign in');
  });

  it('shows the name of an organization as text, however long', async () => {
    const { founder, invited, mail, site } = await invite();
    const name = `<b>"${'long '.repeat(18)}`.trim();
    const { org } = await site.service.orgs.create({ name, ownerUserId: founder.user.id as string });
    await site.service.orgs.invite({ orgId: org.id, email: invited.email });
    const { pathname, search } = new URL(mail.lastLink(invited.email)!);
    const shown = await pageVisitor(site).get(pathname + search);
    expect(shown.text).not.toContain('<b>');
    expect(textOf(shown)).toContain('You’ve been invited to join');
  });
});
