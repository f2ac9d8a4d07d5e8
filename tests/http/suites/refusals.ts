/** Specification part 7: every error that each route can answer with. */
import type { OpenSite } from '../matrix.js';
import { goodPassword } from '../../support/http-site.js';
import { expectError, expectRedirect, expectTooMany, postRoutes } from './expect.js';

const minute = 60_000;
const wrongCode = (code: string) => (code === '000000' ? '111111' : '000000');
const notText = [undefined, null, 42, true, {}, [], ['a@example.com']];

export function refusals(open: OpenSite): void {
  describe('refusals', () => {
    it('a missing field, or one that is no string, is 400 invalid_request: nothing stored, nothing sent, no attempt counted', async () => {
      const site = await open();
      const email = site.address();
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email)!;
      for (const value of notText) {
        for (const route of ['/email-code/send', '/magic-link/send', '/password/request-reset']) {
          expectError(await site.post(route, { email: value }), 400, 'invalid_request');
        }
        for (const body of [
          { email: value, code },
          { email, code: value },
        ]) {
          expectError(await site.post('/email-code/verify', body), 400, 'invalid_request');
        }
        for (const route of ['/password/signup', '/password/login']) {
          expectError(
            await site.post(route, { email: value, password: goodPassword }),
            400,
            'invalid_request',
          );
          expectError(await site.post(route, { email, password: value }), 400, 'invalid_request');
        }
        expectError(
          await site.post('/password/reset', { token: value, newPassword: goodPassword }),
          400,
          'invalid_request',
        );
        expectError(
          await site.post('/password/reset', { token: 'x', newPassword: value }),
          400,
          'invalid_request',
        );
      }
      await site.settle();
      expect(site.mail.messages).toHaveLength(1);
      expect((await site.post('/email-code/verify', { email, code })).status).toBe(200);
    });

    it('a code as a number is 400 invalid_request, even when it is the right one (A-80)', async () => {
      const site = await open();
      const email = site.address();
      await site.post('/email-code/send', { email });
      const code = Number(site.mail.lastCode(email));
      expectError(await site.post('/email-code/verify', { email, code }), 400, 'invalid_request');
    });

    it('a malformed address is 400 invalid_request and never repaired', async () => {
      const site = await open();
      for (const email of [
        '',
        'no-at',
        'a@b',
        'a b@example.com',
        'ada@example.com,eve@evil.test',
        'ada@example.com\r\nBcc: eve@evil.test',
        'Ada <ada@example.com>',
        'ada@exam\u212Aple.com',
        `${'a'.repeat(65)}@example.com`,
        'a@example.com'.padStart(100_00, 'a'),
      ]) {
        for (const route of ['/email-code/send', '/magic-link/send']) {
          expectError(await site.post(route, { email }), 400, 'invalid_request');
        }
        expectError(await site.post('/email-code/verify', { email, code: '123456' }), 400, 'invalid_request');
        for (const route of ['/password/signup', '/password/login']) {
          expectError(await site.post(route, { email, password: goodPassword }), 400, 'invalid_request');
        }
      }
      expect(site.mail.messages).toEqual([]);
    });

    it('POST /email-code/send and /magic-link/send: one more than maxPerWindow is 429 with retryAfterMs and Retry-After, and mails nothing', async () => {
      const site = await open();
      for (const route of ['/email-code/send', '/magic-link/send']) {
        const email = site.address();
        for (let i = 0; i < 5; i += 1) expect((await site.post(route, { email })).status).toBe(200);
        site.clock.advance(1_500);
        expectTooMany(await site.post(route, { email }), 15 * minute - 1_500);
        expect(site.mail.messages.filter(({ to }) => to === email)).toHaveLength(5);
        site.clock.advance(15 * minute - 1_500);
        expect((await site.post(route, { email })).status).toBe(200);
      }
    });

    it('POST /email-code/verify: a wrong code is 401 code_invalid five times, then even the right one max_attempts_exceeded', async () => {
      const site = await open();
      const email = site.address();
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email)!;
      for (let i = 0; i < 5; i += 1) {
        const answer = await site.post('/email-code/verify', { email, code: wrongCode(code) });
        expectError(answer, 401, 'code_invalid');
        // How many are left stays on the error object.
        expect(Object.keys(answer.json)).toEqual(['error', 'message']);
      }
      expectError(await site.post('/email-code/verify', { email, code }), 401, 'max_attempts_exceeded');
    });

    it('POST /email-code/verify: without a code it is code_not_found, after the lifetime code_expired, after use code_not_found', async () => {
      const site = await open();
      const email = site.address();
      expectError(await site.post('/email-code/verify', { email, code: '123456' }), 401, 'code_not_found');
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email)!;
      site.clock.advance(10 * minute);
      expectError(await site.post('/email-code/verify', { email, code }), 401, 'code_expired');
      await site.signInByCode(email);
      expectError(
        await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) }),
        401,
        'code_not_found',
      );
    });

    it('A-26, A-29: ten wrong codes in 15 minutes, over several codes, are 429 for the eleventh, right or wrong', async () => {
      const site = await open();
      const email = site.address();
      for (let codes = 0; codes < 2; codes += 1) {
        await site.post('/email-code/send', { email });
        const code = wrongCode(site.mail.lastCode(email)!);
        for (let i = 0; i < 5; i += 1) await site.post('/email-code/verify', { email, code });
      }
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email)!;
      expectTooMany(await site.post('/email-code/verify', { email, code }), 15 * minute);
      site.clock.advance(15 * minute);
      await site.signInByCode(email);
    });

    it('POST /password/signup: a short password is 400 weak_password, an empty one as well, and there is no account', async () => {
      const site = await open();
      const email = site.address();
      // code points, not UTF-16 units.
      for (const password of ['', '1234567', '👍👍👍👍']) {
        expectError(await site.post('/password/signup', { email, password }), 400, 'weak_password');
      }
      expect((await site.post('/password/signup', { email, password: '12345678' })).status).toBe(200);
    });

    it('POST /password/signup: a password over 1024 bytes, with U+0000 or with a lone surrogate is 400 invalid_request', async () => {
      const site = await open();
      const email = site.address();
      for (const password of ['a'.repeat(1025), 'null\0byte!', 'surrogate\ud800']) {
        expectError(await site.post('/password/signup', { email, password }), 400, 'invalid_request');
        const login = await site.post('/password/login', { email, password });
        expectError(login, 401, 'invalid_credentials');
      }
    });

    it('POST /password/signup: an address with an account is 409 email_exists, whatever its letters', async () => {
      const site = await open();
      const { email } = await site.signUp();
      for (const again of [email, email.toUpperCase(), ` ${email} `]) {
        const answer = await site.post('/password/signup', { email: again, password: goodPassword });
        expectError(answer, 409, 'email_exists');
      }
    });

    it('POST /password/login: unknown address and wrong password are 401 invalid_credentials', async () => {
      const site = await open();
      const { email } = await site.signUp();
      for (const body of [
        { email, password: 'a wrong password' },
        { email, password: '' },
        { email: site.address(), password: goodPassword },
      ]) {
        expectError(await site.post('/password/login', body), 401, 'invalid_credentials');
      }
    });

    it('A-36: a mailed code or link is no password', async () => {
      const site = await open();
      const email = site.address();
      await site.signInByCode(email);
      await site.post('/email-code/send', { email });
      await site.post('/magic-link/send', { email });
      for (const password of [site.mail.lastCode(email)!, site.mailedToken(email)]) {
        expectError(await site.post('/password/login', { email, password }), 401, 'invalid_credentials');
      }
    });

    it('A-14: the eleventh wrong login of an address from one client is 429, for an account and for none alike', async () => {
      const site = await open();
      const { email, password } = await site.signUp();
      for (const address of [email, site.address()]) {
        for (let i = 0; i < 10; i += 1) {
          const body = { email: address, password: `wrong password ${i}` };
          expectError(await site.post('/password/login', body), 401, 'invalid_credentials');
        }
        expectTooMany(await site.post('/password/login', { email: address, password }), 15 * minute);
      }
      site.clock.advance(15 * minute);
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
    });

    it('A-15: the owner signs in from another client while somebody is locked out, and a code works from any', async () => {
      const site = await open({ trustProxy: true });
      const { email, password } = await site.signUp();
      const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip } });
      for (let i = 0; i < 11; i += 1) {
        await site.post('/password/login', { email, password: 'wrong password' }, from('203.0.113.9'));
      }
      const locked = await site.post('/password/login', { email, password }, from('203.0.113.9'));
      expect(locked.status).toBe(429);
      const owner = await site.post('/password/login', { email, password }, from('198.51.100.1'));
      expect(owner.status).toBe(200);
      await site.signInByCode(email, from('203.0.113.9'));
    });

    it('A-90: without `trust proxy`, no header of the client changes whose failures are counted', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const statuses = [];
      for (let i = 0; i < 11; i += 1) {
        const spoofed = `203.0.113.${i}`;
        const headers = {
          'X-Forwarded-For': spoofed,
          'X-Real-IP': spoofed,
          Forwarded: `for=${spoofed}`,
          'X-Client-IP': spoofed,
        };
        statuses.push(
          (await site.post('/password/login', { email, password: 'wrong one' }, { headers })).status,
        );
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    });

    it('A-08: a flood of passwords is 429 past 64 in line, and everybody else is served meanwhile', async () => {
      let release: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (release = resolve));
      const hasher = {
        hash: async () => 'cheap$slow',
        verify: async () => {
          await gate;
          return false;
        },
      };
      const site = await open({ service: { providers: { emailPassword: { hasher } } } });
      const { cookie } = await site.signInByCode();
      const logins = Array.from({ length: 70 }, () =>
        site.post('/password/login', { email: site.address(), password: goodPassword }),
      );
      // Six are refused at once; the others are in line.
      const refused = await firstOf(logins, 6);
      for (const answer of refused) expectTooMany(answer, answer.json.retryAfterMs as number);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      expect((await site.post('/email-code/send', { email: site.address() })).status).toBe(200);
      release();
      const statuses = (await Promise.all(logins)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(64);
    });

    it('POST /password/reset: a token that is malformed, forged, used or expired is 401 token_invalid', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const reset = (token: string) => site.post('/password/reset', { token, newPassword: goodPassword });
      for (const token of ['', 'x', 'a.b', 'a.b.c', '.'.repeat(9_000)]) {
        expectError(await reset(token), 401, 'token_invalid');
      }
      await site.post('/password/request-reset', { email });
      await site.settle();
      const token = site.mailedToken(email);
      expectError(await reset(`${token}A`), 401, 'token_invalid');
      expect((await reset(token)).status).toBe(200);
      expectError(await reset(token), 401, 'token_invalid');
      await site.post('/password/request-reset', { email });
      await site.settle();
      site.clock.advance(30 * minute);
      expectError(await reset(site.mailedToken(email)), 401, 'token_invalid');
    });

    it('A-45: POST /password/reset with a weak password is 400 weak_password and does not use the token up', async () => {
      const site = await open();
      const { email } = await site.signUp();
      await site.post('/password/request-reset', { email });
      await site.settle();
      const token = site.mailedToken(email);
      for (const newPassword of ['', 'short']) {
        expectError(await site.post('/password/reset', { token, newPassword }), 400, 'weak_password');
      }
      expect((await site.post('/password/reset', { token, newPassword: goodPassword })).status).toBe(200);
    });

    it('A-27: a token or code of one kind opens nothing of another', async () => {
      const site = await open();
      const { email } = await site.signUp();
      await site.post('/magic-link/send', { email });
      const link = site.mailedToken(email);
      await site.post('/password/request-reset', { email });
      await site.settle();
      const resetToken = site.mailedToken(email);
      const asReset = await site.post('/password/reset', { token: link, newPassword: goodPassword });
      expectError(asReset, 401, 'token_invalid');
      expectRedirect(await site.get(`/magic-link/verify?token=${resetToken}`), '/?error=token_invalid');
      for (const token of [link, resetToken]) {
        expectError(await site.get('/session', { cookie: `svc_session=${token}` }), 401, 'token_invalid');
      }
    });

    it('a method that is not configured answers 501 provider_not_configured, the redirecting ones at the failure target', async () => {
      const site = await open({
        service: { providers: { emailCode: undefined, magicLink: undefined, emailPassword: undefined } },
      });
      for (const [route, body] of postRoutes) {
        if (route === '/logout') continue;
        expectError(await site.post(route, body), 501, 'provider_not_configured');
      }
      for (const route of ['/google/start', '/idp/start']) {
        expectError(await site.get(route), 501, 'provider_not_configured');
      }
      for (const route of ['/magic-link/verify?token=x', '/google/callback?code=x', '/idp/callback?code=x']) {
        expectRedirect(await site.get(route), '/?error=provider_not_configured');
      }
      expect((await site.post('/logout')).status).toBe(200);
      expectError(await site.get('/session'), 401, 'token_invalid');
    });

    it('POST /password/request-reset without a resetUrl is 501 provider_not_configured; signup and login work', async () => {
      const site = await open({ service: { providers: { emailPassword: { resetUrl: undefined } } } });
      const { email, password } = await site.signUp();
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
      for (const address of [email, site.address()]) {
        expectError(
          await site.post('/password/request-reset', { email: address }),
          501,
          'provider_not_configured',
        );
      }
    });
  });
}

/** The first `count` to be answered. */
function firstOf<T>(promises: readonly Promise<T>[], count: number): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const answered: T[] = [];
    for (const each of promises) {
      each.then((answer) => {
        answered.push(answer);
        if (answered.length === count) resolve([...answered]);
      }, reject);
    }
  });
}
