/** Who can sign in to an account that someone else created first (T1, T2). */
import type { OpenSite } from '../matrix.js';
import { validPassword } from '../../support/http-site.js';
import { expectError } from './expect.js';

export function accounts(open: OpenSite): void {
  describe('accounts', () => {
    // T1
    it('POST /password/signup returns 409 email_exists for an account without a password', async () => {
      const site = await open();
      const { email, cookie } = await site.signInByCode();
      const attack = await site.post('/password/signup', { email, password: validPassword });
      expectError(attack, 409, 'email_exists');
      expect((await site.post('/password/login', { email, password: validPassword })).status).toBe(401);
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    // T1
    it('POST /password/signup returns 409 email_exists with the session of another user and with an ended session', async () => {
      const site = await open();
      const { email, cookie: ended } = await site.signInByCode();
      const { cookie: foreign } = await site.signUp();
      await site.post('/logout', undefined, { cookie: ended });
      for (const cookie of [foreign, ended]) {
        const response = await site.post('/password/signup', { email, password: validPassword }, { cookie });
        expectError(response, 409, 'email_exists');
      }
      expect((await site.get('/session', { cookie: foreign })).status).toBe(200);
    });

    it('POST /password/signup sets the first password of an account once, with a valid session of that account', async () => {
      const site = await open();
      const { email, cookie, user } = await site.signInByCode();
      const response = await site.post('/password/signup', { email, password: validPassword }, { cookie });
      expect(response.status).toBe(200);
      expect(response.json.user.id).toBe(user.id);
      expect(response.json.user.emailVerified).toBe(true);
      expect(response.cookies).toEqual([]);
      const body = { email, password: 'another password' };
      expectError(await site.post('/password/signup', body, { cookie }), 409, 'email_exists');
      expect((await site.post('/password/login', { email, password: validPassword })).status).toBe(200);
    });

    //
    it('POST /password/signup requires a recent session to set a first password, and does not make the session more recent', async () => {
      const site = await open({ pro: true, service: { providers: { account: true } } });
      const { email, cookie } = await site.signInByCode();
      const { cookie: young } = await site.signInByCode(email);
      const body = { email, password: validPassword };
      site.clock.advance(10 * 60_000 + 1);
      expectError(await site.post('/password/signup', body, { cookie }), 403, 'reauth_required');
      expectError(await site.post('/password/login', body), 401, 'invalid_credentials');
      const { cookie: again } = await site.signInByCode(email);
      site.clock.advance(10 * 60_000);
      const response = await site.post('/password/signup', body, { cookie: again });
      expect([response.status, response.cookies]).toEqual([200, []]);
      site.clock.advance(1);
      for (const earlierCookie of [young, again]) {
        expectError(await site.get('/account/export', { cookie: earlierCookie }), 403, 'reauth_required');
      }
    });

    const proofs = {
      'a code': async (site: Awaited<ReturnType<OpenSite>>, email: string, cookie?: string) =>
        (await site.signInByCode(email, { cookie })).cookie,
      'a link': async (site: Awaited<ReturnType<OpenSite>>, email: string, cookie?: string) => {
        await site.post('/magic-link/send', { email });
        return (await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { cookie })).cookie();
      },
    };

    // T2
    it.each(Object.entries(proofs))(
      'the first proof of the mailbox with %s ends the sessions and removes the password that existed before',
      async (_proof, prove) => {
        const site = await open();
        const attacker = await site.signUp();
        const victim = await prove(site, attacker.email);
        const { user } = (await site.get('/session', { cookie: victim })).json;
        expect(user).toMatchObject({ id: attacker.user.id, emailVerified: true });
        expect((await site.get('/session', { cookie: attacker.cookie })).status).toBe(401);
        const { email, password } = attacker;
        expectError(await site.post('/password/login', { email, password }), 401, 'invalid_credentials');
      },
    );

    it.each(Object.entries(proofs))(
      'a proof of the mailbox with %s in the browser that signed up verifies the address and keeps the password',
      async (_proof, prove) => {
        const site = await open();
        const { email, password, cookie } = await site.signUp();
        const proven = await prove(site, email, cookie);
        expect((await site.get('/session', { cookie: proven })).json.user.emailVerified).toBe(true);
        expect((await site.post('/password/login', { email, password })).status).toBe(200);
      },
    );

    // T2
    it('a later proof of the mailbox of a verified account ends no session and keeps the password', async () => {
      const site = await open();
      const { email, password, cookie } = await site.signUp();
      const own = await proofs['a code'](site, email, cookie);
      await proofs['a link'](site, email);
      expect((await site.get('/session', { cookie: own })).status).toBe(200);
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
    });

    // T2
    it('POST /password/reset counts as a proof of the mailbox: it removes the earlier password and ends the sessions', async () => {
      const site = await open();
      const { email, password, cookie } = await site.signUp();
      await site.post('/password/request-reset', { email });
      await site.settle();
      await site.post('/password/reset', { token: site.mailedToken(email), newPassword: 'a new password' });
      expect((await site.get('/session', { cookie })).status).toBe(401);
      expectError(await site.post('/password/login', { email, password }), 401, 'invalid_credentials');
    });

    it('POST /password/reset sets the first password of an account without one', async () => {
      const site = await open();
      const { email } = await site.signInByCode();
      await site.post('/password/request-reset', { email });
      await site.settle();
      await site.post('/password/reset', { token: site.mailedToken(email), newPassword: validPassword });
      expect((await site.post('/password/login', { email, password: validPassword })).status).toBe(200);
    });

    it('addresses that differ only in case have one account; tags and dots make separate accounts', async () => {
      const site = await open();
      const { email, user } = await site.signInByCode();
      const code = await site.signInByCode(email);
      expect(code.user.id).toBe(user.id);
      const shouted = email.toUpperCase();
      await site.post('/email-code/send', { email: shouted });
      expect(site.mail.messages.at(-1)?.to).toBe(email);
      const response = await site.post('/email-code/verify', {
        email: shouted,
        code: site.mail.lastCode(email),
      });
      expect(response.json).toMatchObject({ user: { id: user.id, email }, created: false });
      const tagged = await site.signInByCode(email.replace('@', '+tag@'));
      expect(tagged.user.id).not.toBe(user.id);
    });

    //
    it('with the real bcrypt no response contains a hash, and byte 73 of a password counts', async () => {
      const site = await open({ service: { providers: { emailPassword: { hasher: undefined } } } });
      const email = site.uniqueEmail();
      const password = `${'a'.repeat(72)}X`;
      expect((await site.post('/password/signup', { email, password })).status).toBe(200);
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
      for (const wrong of [`${'a'.repeat(72)}Y`, 'a'.repeat(72)]) {
        expectError(
          await site.post('/password/login', { email, password: wrong }),
          401,
          'invalid_credentials',
        );
      }
    });

    //
    it('passwords of 64 emoji, eight spaces, Cyrillic letters or eight digits are accepted and compared exactly as typed', async () => {
      const site = await open();
      for (const password of ['😀'.repeat(64), '        ', 'пароль-на-8', '70361948']) {
        const email = site.uniqueEmail();
        expect((await site.post('/password/signup', { email, password })).status).toBe(200);
        expect((await site.post('/password/login', { email, password })).status).toBe(200);
        const other = `${[...password].slice(0, -1).join('')}!`;
        expectError(
          await site.post('/password/login', { email, password: other }),
          401,
          'invalid_credentials',
        );
      }
    });
  });
}
