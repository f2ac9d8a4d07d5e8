/** What the user of an unverified account cannot do to the owner of its mailbox (docs/decisions/account-reclaim.md). */
import { outbox } from 'svc-auth/testing';
import { goodPassword, type Site } from '../../support/http-site.js';
import { isIn, logIn, mailedReset } from '../../support/people.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectRedirect } from './expect.js';

type Account = Awaited<ReturnType<Site['signUp']>>;

const password = 'of the attacker';
const changed = 'of the attacker, changed';

/** What ends sessions or the account, made by the user of the unverified account. */
const acts: Record<string, (site: Site, account: Account) => Promise<unknown>> = {
  'changes the password': (site, { cookie }) =>
    site.post('/account/password', { currentPassword: password, newPassword: changed }, { cookie }),
  'changes the address': async (site, { cookie }) => {
    const email = site.address();
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

  async function attacked(site: Site): Promise<Account> {
    const email = site.address();
    const answer = await site.post('/password/signup', { email, password });
    return { email, password, cookie: answer.cookie(), user: answer.json.user };
  }

  describe.each(Object.entries(acts))('the user of an unverified account who %s', (name, act) => {
    it('does not void the code that its mailbox was sent', async () => {
      const site = await openPro();
      const account = await attacked(site);
      const { email } = account;
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      await act(site, account);
      const answer = await site.post('/email-code/verify', { email, code });
      expect([answer.status, answer.json.user?.email]).toEqual([200, email]);
      expect(await isIn(site, account.cookie)).toBe(false);
      for (const old of [password, changed]) {
        expectError(await logIn(site, email, old), 401, 'invalid_credentials');
      }
    });

    it('does not void the link that its mailbox was sent', async () => {
      const site = await openPro();
      const account = await attacked(site);
      await site.post('/magic-link/send', { email: account.email });
      const token = site.mailedToken(account.email);
      await act(site, account);
      const answer = await site.get(`/magic-link/verify?token=${token}`);
      expectRedirect(answer, '/', { signedIn: true });
      const { user } = (await site.get('/session', { cookie: answer.cookie() })).json;
      expect(user).toMatchObject({ email: account.email, emailVerified: true });
    });

    it('does not void the reset that its mailbox was sent, if the account is still there', async () => {
      const site = await openPro();
      const account = await attacked(site);
      const { email } = account;
      const token = await mailedReset(site, email);
      await act(site, account);
      const isGone = name === 'changes the address' || name === 'deletes the account';
      const answer = await site.post('/password/reset', { token, newPassword: goodPassword });
      if (isGone) {
        expectError(answer, 401, 'token_invalid');
        // Neither the account that moved nor a new one at the address is the reset's to change.
        const { user } = await site.signUp(email);
        expectError(
          await site.post('/password/reset', { token, newPassword: 'other' }),
          400,
          'weak_password',
        );
        expectError(
          await site.post('/password/reset', { token, newPassword: 'something else' }),
          401,
          'token_invalid',
        );
        expect((await logIn(site, email, goodPassword)).json.user.id).toBe(user.id);
      } else {
        expect(answer.json.user).toMatchObject({ id: account.user.id, emailVerified: true });
        expect((await logIn(site, email, goodPassword)).status).toBe(200);
      }
      expect(await isIn(site, account.cookie)).toBe(false);
    });
  });

  it('A-40: the user of a verified account who changes the password voids codes, links and resets', async () => {
    const site = await openPro();
    const { email, cookie, user } = await site.signUp();
    await site.adapter.users.markEmailVerified(user.id, new Date(site.clock.now()));
    await site.post('/magic-link/send', { email });
    const link = site.mailedToken(email);
    const token = await mailedReset(site, email);
    await site.post('/email-code/send', { email });
    const code = site.mail.lastCode(email);
    const body = { currentPassword: goodPassword, newPassword: 'battery staple' };
    expect((await site.post('/account/password', body, { cookie })).status).toBe(200);
    expectError(await site.post('/email-code/verify', { email, code }), 401, 'code_not_found');
    expectError(
      await site.post('/password/reset', { token, newPassword: 'stolen it' }),
      401,
      'token_invalid',
    );
    expect((await site.get(`/magic-link/verify?token=${link}`)).location).toBe('/?error=token_invalid');
  });

  it('a claim voids what was sent before it', async () => {
    const site = await openPro();
    const { email } = await attacked(site);
    const token = await mailedReset(site, email);
    await site.signInByCode(email);
    expectError(await site.post('/password/reset', { token, newPassword: 'too late' }), 401, 'token_invalid');
  });
}
