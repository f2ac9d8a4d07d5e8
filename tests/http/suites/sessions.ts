/** Lifetime, renewal, sign-out, and what a new sign-in does to the earlier session. */
import { verifyToken } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import type { OpenSite } from '../matrix.js';
import { validPassword } from '../../support/http-site.js';
import { testSecret } from '../../support/make-service.js';

const second = 1_000;
const hour = 60 * 60 * second;
const day = 24 * hour;

const claimsOf = (cookie: string) =>
  JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

export function sessions(open: OpenSite): void {
  describe('sessions', () => {
    it('the session cookie is a JWT whose `sub` is the user id, verifiable with the secret (specification 5.2)', async () => {
      const site = await open({ service: { clock: testClock() } });
      const { cookie, user } = await site.signInByCode();
      const token = cookie.slice('svc_session='.length);
      const claims = verifyToken(token, testSecret);
      expect(claims).toMatchObject({
        sub: user.id,
        use: 'session',
        sid: expect.any(String),
        epoch: expect.any(Number),
      });
      expect(Object.keys(claims).sort()).toEqual(['epoch', 'exp', 'iat', 'sid', 'sub', 'use']);
      expect(() => verifyToken(token, 'another secret that is 32 bytes long')).toThrow();
    });

    // A-53
    it('a session lasts 7 days and no longer', async () => {
      const site = await open({ service: { session: { renewAfterMs: 0 } } });
      const { cookie } = await site.signUp();
      const { exp, iat } = claimsOf(cookie) as { exp: number; iat: number };
      expect(exp - iat).toBe(604_800);
      // Tokens count whole seconds.
      site.clock.advance(7 * day - second);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      site.clock.advance(second);
      expect((await site.get('/session', { cookie })).status).toBe(401);
    });

    it('GET /session sends the cookie again only if the session is older than renewAfterMs', async () => {
      const site = await open();
      const { cookie, user } = await site.signUp();
      site.clock.advance(day - second);
      expect((await site.get('/session', { cookie })).cookies).toEqual([]);
      site.clock.advance(2 * second);
      const response = await site.get('/session', { cookie });
      expect(response.json).toEqual({ user });
      expect(response.cookies).toMatchObject([
        {
          name: 'svc_session',
          attributes: { httponly: true, samesite: 'Lax', path: '/', 'max-age': '604800' },
        },
      ]);
      const renewed = response.cookie();
      expect(claimsOf(renewed)).toMatchObject({ sub: user.id, sid: claimsOf(cookie)['sid'] });
      expect((await site.get('/session', { cookie: renewed })).cookies).toEqual([]);
      site.clock.advance(7 * day - second);
      expect((await site.get('/session', { cookie })).status).toBe(401);
      expect((await site.get('/session', { cookie: renewed })).status).toBe(200);
    });

    it('a session in daily use ends after maxAgeMs, 30 days after its sign-in', async () => {
      const site = await open();
      let { cookie } = await site.signUp();
      for (let days = 1; days < 30; days += 1) {
        site.clock.advance(day);
        const response = await site.get('/session', { cookie });
        expect(response.status).toBe(200);
        if (response.cookies.length > 0) {
          cookie = response.cookie();
          const left = (30 - days) * 24 * 60 * 60;
          expect(Number(response.cookies[0]!.attributes['max-age'])).toBe(Math.min(604_800, left));
        }
      }
      site.clock.advance(day - second);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      site.clock.advance(second);
      expect((await site.get('/session', { cookie })).status).toBe(401);
    });

    it('a session with renewAfterMs 0 is never renewed', async () => {
      const site = await open({ service: { session: { renewAfterMs: 0 } } });
      const { cookie } = await site.signUp();
      site.clock.advance(6 * day);
      expect((await site.get('/session', { cookie })).cookies).toEqual([]);
    });

    it('a renewal does not restore a revoked session', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      await site.post('/logout', undefined, { cookie });
      site.clock.advance(2 * day);
      const response = await site.get('/session', { cookie });
      expect([response.status, response.cookies]).toEqual([401, []]);
    });

    // A-49
    it('POST /logout ends the session on the server, so that a copy of the cookie is useless, and keeps other devices signed in', async () => {
      const site = await open();
      const { email, password, cookie: phone } = await site.signUp();
      const laptop = (await site.post('/password/login', { email, password })).cookie();
      await site.post('/logout', undefined, { cookie: laptop });
      expect((await site.get('/session', { cookie: laptop })).status).toBe(401);
      expect((await site.get('/session', { cookie: phone })).status).toBe(200);
    });

    // A-49
    it('POST /logout ends the session of a bearer token if there is no cookie', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      const headers = { Authorization: `Bearer ${cookie.slice('svc_session='.length)}` };
      expect((await site.get('/session', { headers })).status).toBe(200);
      expect((await site.post('/logout', undefined, { headers })).json).toEqual({ ok: true });
      expect((await site.get('/session', { headers })).status).toBe(401);
    });

    // A-48
    it('each sign-in starts a new session and ends the one whose cookie it came with', async () => {
      const site = await open();
      const { email, password, cookie: first } = await site.signUp();
      const login = await site.post('/password/login', { email, password }, { cookie: first });
      const second = login.cookie();
      expect(claimsOf(second)['sid']).not.toBe(claimsOf(first)['sid']);
      expect((await site.get('/session', { cookie: first })).status).toBe(401);
      const { cookie: third } = await site.signInByCode(email, { cookie: second });
      expect((await site.get('/session', { cookie: second })).status).toBe(401);
      await site.post('/magic-link/send', { email });
      const link = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { cookie: third });
      expect((await site.get('/session', { cookie: third })).status).toBe(401);
      // Another user signs in with the same browser.
      const other = await site.post(
        '/password/signup',
        { email: site.uniqueEmail(), password: validPassword },
        { cookie: link.cookie() },
      );
      expect((await site.get('/session', { cookie: link.cookie() })).status).toBe(401);
      expect((await site.get('/session', { cookie: other.cookie() })).status).toBe(200);
    });

    // A-48
    it('a failed sign-in keeps the current session', async () => {
      const site = await open();
      const { email, cookie } = await site.signUp();
      await site.post('/password/login', { email, password: 'a wrong password' }, { cookie });
      await site.post('/email-code/verify', { email, code: '123456' }, { cookie });
      await site.get('/magic-link/verify?token=x', { cookie });
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    // T3, A-40
    it('POST /password/reset ends every session of the user, tokens of createSessionToken() included', async () => {
      const site = await open();
      const { email, password, cookie, user } = await site.signUp();
      const other = (await site.post('/password/login', { email, password })).cookie();
      const { token } = site.service.createSessionToken(user.id as string);
      await site.post('/password/request-reset', { email });
      await site.settle();
      await site.post('/password/reset', { token: site.mailedToken(email), newPassword: 'a new password' });
      for (const endedCookie of [cookie, other, `svc_session=${token}`]) {
        expect((await site.get('/session', { cookie: endedCookie })).status).toBe(401);
      }
    });

    // A-38
    it('POST /password/request-reset keeps the sessions and the password', async () => {
      const site = await open();
      const { email, password, cookie } = await site.signUp();
      await site.post('/password/request-reset', { email });
      await site.settle();
      expect((await site.get('/session', { cookie })).status).toBe(200);
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
    });

    // A-41
    it('POST /password/reset invalidates all other mailed codes, links and reset links', async () => {
      const site = await open();
      const { email, user } = await site.signUp();
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      await site.post('/magic-link/send', { email });
      const link = site.mailedToken(email);
      await site.post('/password/request-reset', { email });
      await site.settle();
      const earlier = site.mailedToken(email);
      await site.post('/password/request-reset', { email });
      await site.settle();
      const response = await site.post('/password/reset', {
        token: site.mailedToken(email),
        newPassword: validPassword,
      });
      expect(response.json.user.id).toBe(user.id);
      expect((await site.post('/email-code/verify', { email, code })).json.error).toBe('code_not_found');
      expect((await site.get(`/magic-link/verify?token=${link}`)).location).toBe('/?error=token_invalid');
      const again = await site.post('/password/reset', { token: earlier, newPassword: 'another one' });
      expect(again.json.error).toBe('token_invalid');
    });

    it('a token of createSessionToken() works as the session cookie', async () => {
      const site = await open();
      const { user } = await site.signUp();
      const { token } = site.service.createSessionToken(user.id as string);
      expect((await site.get('/session', { cookie: `svc_session=${token}` })).json).toEqual({ user });
      const unknown = site.service.createSessionToken('0190a000-0000-7000-8000-000000000000');
      expect((await site.get('/session', { cookie: `svc_session=${unknown.token}` })).status).toBe(401);
    });

    // A-61, A-64
    it('a token with an invalid signature or of another purpose returns 401', async () => {
      const site = await open();
      const { cookie, user } = await site.signUp();
      const [header = '', payload = '', signature = ''] = cookie.slice('svc_session='.length).split('.');
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = claimsOf(cookie);
      for (const forged of [
        `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
        `${header}.${encode({ ...claims, sub: `${user.id}x` })}.${signature}`,
        `${header}.${payload}.${signature.slice(0, -2)}AA`,
        `${header}.${payload}`,
      ]) {
        expect((await site.get('/session', { cookie: `svc_session=${forged}` })).status).toBe(401);
      }
    });

    it('session.previousSecrets keep sessions valid during a rotation; new sessions are signed with the new secret', async () => {
      const before = await open();
      const { email, password, cookie } = await before.signUp();
      const secret = 'the secret after the rotation, 32 bytes or more';
      const clock = before.clock;
      const rotated = await open({ service: { clock, session: { secret, previousSecrets: [testSecret] } } });
      expect((await rotated.get('/session', { cookie })).status).toBe(200);
      const fresh = (await rotated.post('/password/login', { email, password })).cookie();
      expect((await before.get('/session', { cookie: fresh })).status).toBe(401);
      const dropped = await open({ service: { clock, session: { secret } } });
      expect((await dropped.get('/session', { cookie })).status).toBe(401);
    });
  });
}
