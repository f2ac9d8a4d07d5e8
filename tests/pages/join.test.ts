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
      expect(await browser.press('/join')).toMatchObject({ status: 303, location: '/' });
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
    await browser.get(mount + opened.location);
    await browser.follow();
    expect(await browser.press('/join')).toMatchObject({ location: '/' });
    expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
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
});
