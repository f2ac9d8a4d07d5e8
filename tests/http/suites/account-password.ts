/** POST /account/password: what it answers, what ends, what stays. */
import { goodPassword, type Site } from '../../support/http-site.js';
import { isIn } from '../../support/people.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, userLike } from './expect.js';

const newPassword = 'battery staple';

export function accountPassword(open: OpenSite): void {
  const openPro = () => open({ pro: true, service: { providers: { sessions: true } } });
  const change = (site: Site, cookie: string, body: object = {}) =>
    site.post('/account/password', { currentPassword: goodPassword, newPassword, ...body }, { cookie });

  describe('POST /account/password', () => {
    it('A-51: sets another password, ends every other session and gives this browser a new one', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signUp();
      const elsewhere = (await site.post('/password/login', { email, password: goodPassword })).cookie();
      const answer = await change(site, cookie);
      expect([answer.status, answer.json]).toEqual([
        200,
        { user: userLike({ email, emailVerified: false }) },
      ]);
      expect(answer.cookies).toMatchObject([
        {
          name: 'svc_session',
          attributes: { httponly: true, samesite: 'Lax', path: '/', 'max-age': '604800' },
        },
        { name: 'svc_device' },
      ]);
      expect(await isIn(site, answer.cookie())).toBe(true);
      expect([await isIn(site, cookie), await isIn(site, elsewhere)]).toEqual([false, false]);
      expectError(
        await site.post('/password/login', { email, password: goodPassword }),
        401,
        'invalid_credentials',
      );
      expect((await site.post('/password/login', { email, password: newPassword })).status).toBe(200);
    });

    it('A-40: a reset that was under way is void', async () => {
      const site = await openPro();
      const { email, cookie, user } = await site.signUp();
      await site.adapter.users.markEmailVerified(user.id, new Date(site.clock.now()));
      await site.post('/password/request-reset', { email });
      await site.settle();
      const token = site.mailedToken(email);
      expect((await change(site, cookie)).status).toBe(200);
      const reset = await site.post('/password/reset', { token, newPassword: 'of a thief' });
      expectError(reset, 401, 'token_invalid');
    });

    it('refuses a wrong current password, and counts it as a failed login of that address', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signUp();
      for (let i = 0; i < 10; i += 1) {
        const answer = await change(site, cookie, { currentPassword: 'wrong' });
        expectError(answer, 401, 'invalid_credentials');
        expect(answer.json.field).toBe('currentPassword');
      }
      expectTooMany(await change(site, cookie), 15 * 60_000);
      expectTooMany(await site.post('/password/login', { email, password: goodPassword }), 15 * 60_000);
      expect(await isIn(site, cookie)).toBe(true);
    });

    it('refuses a weak one, and a missing current one', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      expectError(await change(site, cookie, { newPassword: 'short' }), 400, 'weak_password');
      const missing = await change(site, cookie, { currentPassword: undefined });
      expectError(missing, 401, 'invalid_credentials');
      expect(missing.json.field).toBe('currentPassword');
      expect(await isIn(site, cookie)).toBe(true);
    });

    it('gives who has none a first one, without a current one; other devices stay', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signInByCode();
      const { cookie: elsewhere } = await site.signInByCode(email);
      const answer = await change(site, cookie, { currentPassword: undefined });
      expect([answer.status, answer.json]).toEqual([200, { user: userLike({ email, emailVerified: true }) }]);
      expect(await isIn(site, answer.cookie())).toBe(true);
      expect([await isIn(site, cookie), await isIn(site, elsewhere)]).toEqual([false, true]);
      expect((await site.post('/password/login', { email, password: newPassword })).status).toBe(200);
    });

    it('takes a token in a header as well, and of the body nothing but the two passwords', async () => {
      const site = await openPro();
      const [one, two] = [await site.signUp(), await site.signUp()];
      const token = one.cookie.slice('svc_session='.length);
      const body = { currentPassword: goodPassword, newPassword, userId: two.user.id, email: two.email };
      const answer = await site.post('/account/password', body, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(answer.json.user.id).toBe(one.user.id);
      expect(await isIn(site, answer.cookie())).toBe(true);
      expect(await isIn(site, two.cookie)).toBe(true);
    });

    it('is made once, however often the button is pressed', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signUp();
      const answers = await Promise.all([1, 2, 3].map(() => change(site, cookie)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status } of answers) expect([200, 401]).toContain(status);
      expect((await site.post('/password/login', { email, password: newPassword })).status).toBe(200);
    });
  });
}
