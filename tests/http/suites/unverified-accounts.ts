/**
 * What the user of an unverified account cannot do to the owner of its mailbox
 * (docs/decisions/account-reclaim.md).
 */
import { outbox } from 'svc-auth/testing';
import { validPassword, type Site } from '../../support/http-site.js';
import { isSignedIn, logIn, requestResetToken } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectRedirect } from './expect.js';

type Account = Awaited<ReturnType<Site['signUp']>>;

const password = 'of the attacker';
const changed = 'of the attacker, changed';

/** What the user of an unverified account can do to end sessions or the account. */
const changes: Record<string, (site: Site, account: Account) => Promise<unknown>> = {
  'changes the password': (site, { cookie }) =>
    site.post('/account/password', { currentPassword: password, newPassword: changed }, { cookie }),
  'changes the address': async (site, { cookie }) => {
    const email = site.uniqueEmail();
    await site.post('/account/email', { email }, { cookie });
    const body = { email, code: site.mail.lastCode(email) };
    return site.post('/account/email/confirm', body, { cookie });
  },
  'deletes the account': (site, { cookie }) => site.send('DELETE', '/account', undefined, { cookie }),
  'signs out everywhere': (site, { user }) => site.service.sessionsProvider.revokeAll(user.id),
};

export function unverifiedAccounts(open: OpenSite): void {
  const openPro = () => {
    const mail = outbox();
    return open({ pro: true, service: { mail, providers: { account: { sender: mail }, sessions: true } } });
  };

  async function attackerSignUp(site: Site, email = site.uniqueEmail()): Promise<Account> {
    const response = await site.post('/password/signup', { email, password });
    return { email, password, cookie: response.cookie(), user: response.json.user };
  }

  describe.each(Object.entries(changes))('the user of an unverified account who %s', (_name, change) => {
    it('the code that was sent to the mailbox remains valid', async () => {
      const site = await openPro();
      const account = await attackerSignUp(site);
      const { email } = account;
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      await change(site, account);
      const response = await site.post('/email-code/verify', { email, code });
      expect([response.status, response.json.user?.email]).toEqual([200, email]);
      expect(await isSignedIn(site, account.cookie)).toBe(false);
      for (const old of [password, changed]) {
        expectError(await logIn(site, email, old), 401, 'invalid_credentials');
      }
    });

    it('the link that was sent to the mailbox remains valid', async () => {
      const site = await openPro();
      const account = await attackerSignUp(site);
      await site.post('/magic-link/send', { email: account.email });
      const token = site.mailedToken(account.email);
      await change(site, account);
      const response = await site.get(`/magic-link/verify?token=${token}`);
      expectRedirect(response, '/', { signedIn: true });
      const { user } = (await site.get('/session', { cookie: response.cookie() })).json;
      expect(user).toMatchObject({ email: account.email, emailVerified: true });
    });

    it('the reset that was sent to the mailbox remains valid', async () => {
      const site = await openPro();
      const account = await attackerSignUp(site);
      const { email } = account;
      const token = await requestResetToken(site, email);
      await change(site, account);
      const reset = () => site.post('/password/reset', { token, newPassword: validPassword });
      const storedUser = await site.adapter.users.findById(account.user.id);
      const isGone = storedUser?.email !== email;
      // As long as no account has the address there is nothing to reset, and the link is kept.
      if (isGone) expectError(await reset(), 401, 'token_invalid');
      const { user, cookie } = isGone ? await attackerSignUp(site, email) : account;
      const response = await reset();
      expect(response.json.user).toMatchObject({ id: user.id, email, emailVerified: true });
      expect((await logIn(site, email, validPassword)).status).toBe(200);
      for (const session of [account.cookie, cookie]) expect(await isSignedIn(site, session)).toBe(false);
      for (const old of [password, changed])
        expectError(await logIn(site, email, old), 401, 'invalid_credentials');
      // An account that has changed its address is not affected.
      if (isGone) expect(await site.adapter.users.findById(account.user.id)).toEqual(storedUser);
      expectError(await reset(), 401, 'token_invalid');
    });
  });

  //
  it('a change of password in a verified account invalidates its codes, links and resets', async () => {
    const site = await openPro();
    const { email, cookie, user } = await site.signUp();
    await site.adapter.users.markEmailVerified(user.id, new Date(site.clock.now()));
    await site.post('/magic-link/send', { email });
    const link = site.mailedToken(email);
    const token = await requestResetToken(site, email);
    await site.post('/email-code/send', { email });
    const code = site.mail.lastCode(email);
    const body = { currentPassword: validPassword, newPassword: 'battery staple' };
    expect((await site.post('/account/password', body, { cookie })).status).toBe(200);
    expectError(await site.post('/email-code/verify', { email, code }), 401, 'code_not_found');
    expectError(
      await site.post('/password/reset', { token, newPassword: 'stolen it' }),
      401,
      'token_invalid',
    );
    expect((await site.get(`/magic-link/verify?token=${link}`)).location).toBe('/?error=token_invalid');
  });

  it('the claim of an account invalidates what was sent before it', async () => {
    const site = await openPro();
    const { email } = await attackerSignUp(site);
    const token = await requestResetToken(site, email);
    await site.signInByCode(email);
    expectError(await site.post('/password/reset', { token, newPassword: 'too late' }), 401, 'token_invalid');
  });
}
