/** Who gets into an account that somebody else made first (T1, T2). */
import type { OpenSite } from '../matrix.js';
import { goodPassword } from '../../support/http-site.js';
import { expectError } from './expect.js';

export function accounts(open: OpenSite): void {
  describe('accounts', () => {
    it('T1: signup does not attach a password to an account that has none', async () => {
      const site = await open();
      const { email, cookie } = await site.signInByCode();
      const attack = await site.post('/password/signup', { email, password: goodPassword });
      expectError(attack, 409, 'email_exists');
      expect((await site.post('/password/login', { email, password: goodPassword })).status).toBe(401);
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('T1: not with the session of somebody else, nor with one that has ended', async () => {
      const site = await open();
      const { email, cookie: ended } = await site.signInByCode();
      const { cookie: foreign } = await site.signUp();
      await site.post('/logout', undefined, { cookie: ended });
      for (const cookie of [foreign, ended]) {
        const answer = await site.post('/password/signup', { email, password: goodPassword }, { cookie });
        expectError(answer, 409, 'email_exists');
      }
      expect((await site.get('/session', { cookie: foreign })).status).toBe(200);
    });

    it('the live session of that very account may add its first password, once', async () => {
      const site = await open();
      const { email, cookie, user } = await site.signInByCode();
      const answer = await site.post('/password/signup', { email, password: goodPassword }, { cookie });
      expect(answer.status).toBe(200);
      expect(answer.json.user.id).toBe(user.id);
      expect(answer.json.user.emailVerified).toBe(true);
      expect(answer.cookies).toEqual([]);
      const body = { email, password: 'another password' };
      expectError(await site.post('/password/signup', body, { cookie }), 409, 'email_exists');
      expect((await site.post('/password/login', { email, password: goodPassword })).status).toBe(200);
    });

    it('A-51: a first password takes a session of the last ten minutes, and makes it no fresher', async () => {
      const site = await open({ pro: true, service: { providers: { account: true } } });
      const { email, cookie } = await site.signInByCode();
      const { cookie: young } = await site.signInByCode(email);
      const body = { email, password: goodPassword };
      site.clock.advance(10 * 60_000 + 1);
      expectError(await site.post('/password/signup', body, { cookie }), 403, 'reauth_required');
      expectError(await site.post('/password/login', body), 401, 'invalid_credentials');
      const { cookie: again } = await site.signInByCode(email);
      site.clock.advance(10 * 60_000);
      const answer = await site.post('/password/signup', body, { cookie: again });
      expect([answer.status, answer.cookies]).toEqual([200, []]);
      site.clock.advance(1);
      for (const each of [young, again]) {
        expectError(await site.get('/account/export', { cookie: each }), 403, 'reauth_required');
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

    it.each(Object.entries(proofs))(
      'T2: the first proof of the mailbox by %s ends what was set up before it: sessions and password',
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
      'a proof by %s in the browser that signed up only verifies the address: the password stays',
      async (_proof, prove) => {
        const site = await open();
        const { email, password, cookie } = await site.signUp();
        const proven = await prove(site, email, cookie);
        expect((await site.get('/session', { cookie: proven })).json.user.emailVerified).toBe(true);
        expect((await site.post('/password/login', { email, password })).status).toBe(200);
      },
    );

    it('T2: a later proof, of a verified account, ends nothing', async () => {
      const site = await open();
      const { email, password, cookie } = await site.signUp();
      const own = await proofs['a code'](site, email, cookie);
      await proofs['a link'](site, email);
      expect((await site.get('/session', { cookie: own })).status).toBe(200);
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
    });

    it('T2: a reset is a proof as well: the password that was set before it is gone', async () => {
      const site = await open();
      const { email, password, cookie } = await site.signUp();
      await site.post('/password/request-reset', { email });
      await site.settle();
      await site.post('/password/reset', { token: site.mailedToken(email), newPassword: 'a new password' });
      expect((await site.get('/session', { cookie })).status).toBe(401);
      expectError(await site.post('/password/login', { email, password }), 401, 'invalid_credentials');
    });

    it('a reset gives an account without a password its first one', async () => {
      const site = await open();
      const { email } = await site.signInByCode();
      await site.post('/password/request-reset', { email });
      await site.settle();
      await site.post('/password/reset', { token: site.mailedToken(email), newPassword: goodPassword });
      expect((await site.post('/password/login', { email, password: goodPassword })).status).toBe(200);
    });

    it('addresses are one account whatever the case of their letters; tags and dots make another', async () => {
      const site = await open();
      const { email, user } = await site.signInByCode();
      const code = await site.signInByCode(email);
      expect(code.user.id).toBe(user.id);
      const shouted = email.toUpperCase();
      await site.post('/email-code/send', { email: shouted });
      expect(site.mail.messages.at(-1)?.to).toBe(email);
      const answer = await site.post('/email-code/verify', {
        email: shouted,
        code: site.mail.lastCode(email),
      });
      expect(answer.json).toMatchObject({ user: { id: user.id, email }, created: false });
      const tagged = await site.signInByCode(email.replace('@', '+tag@'));
      expect(tagged.user.id).not.toBe(user.id);
    });

    it('A-12, A-03: with the real bcrypt no answer shows a hash, and byte 73 of a password counts', async () => {
      const site = await open({ service: { providers: { emailPassword: { hasher: undefined } } } });
      const email = site.address();
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

    it('A-02, A-04: 64 emoji, eight spaces, Cyrillic and eight digits are passwords, each exactly as typed', async () => {
      const site = await open();
      for (const password of ['😀'.repeat(64), '        ', 'пароль-на-8', '12345678']) {
        const email = site.address();
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
