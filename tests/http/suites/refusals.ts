/** Specification part 7: every error response of each route. */
import type { OpenSite } from '../matrix.js';
import { validPassword } from '../../support/http-site.js';
import { expectError, expectRedirect, expectTooMany, postRoutes } from './expect.js';

const minute = 60_000;
const wrongCode = (code: string) => (code === '000000' ? '111111' : '000000');
const notStrings = [undefined, null, 42, true, {}, [], ['a@example.com']];

export function refusals(open: OpenSite): void {
  describe('error responses', () => {
    it('a field that is missing or not a string returns 400 invalid_request and has no effect', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email)!;
      for (const value of notStrings) {
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
            await site.post(route, { email: value, password: validPassword }),
            400,
            'invalid_request',
          );
          expectError(await site.post(route, { email, password: value }), 400, 'invalid_request');
        }
        expectError(
          await site.post('/password/reset', { token: value, newPassword: validPassword }),
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

    //
    it('a code given as a number returns 400 invalid_request, even if it is right', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.post('/email-code/send', { email });
      const code = Number(site.mail.lastCode(email));
      expectError(await site.post('/email-code/verify', { email, code }), 400, 'invalid_request');
    });

    it('a malformed address returns 400 invalid_request and is never repaired', async () => {
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
          expectError(await site.post(route, { email, password: validPassword }), 400, 'invalid_request');
        }
      }
      expect(site.mail.messages).toEqual([]);
    });

    it('POST /email-code/send and /magic-link/send return 429 with retryAfterMs and Retry-After after maxPerWindow, and send no mail', async () => {
      const site = await open();
      for (const route of ['/email-code/send', '/magic-link/send']) {
        const email = site.uniqueEmail();
        for (let i = 0; i < 5; i += 1) expect((await site.post(route, { email })).status).toBe(200);
        site.clock.advance(1_500);
        expectTooMany(await site.post(route, { email }), 15 * minute - 1_500);
        expect(site.mail.messages.filter(({ to }) => to === email)).toHaveLength(5);
        site.clock.advance(15 * minute - 1_500);
        expect((await site.post(route, { email })).status).toBe(200);
      }
    });

    it('POST /email-code/verify returns 401 code_invalid for five wrong codes, then max_attempts_exceeded even for the right one', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email)!;
      for (let i = 0; i < 5; i += 1) {
        const response = await site.post('/email-code/verify', { email, code: wrongCode(code) });
        expectError(response, 401, 'code_invalid');
        // The number of remaining attempts is only on the error object.
        expect(Object.keys(response.json)).toEqual(['error', 'message', 'diagnosis']);
      }
      expectError(await site.post('/email-code/verify', { email, code }), 401, 'max_attempts_exceeded');
    });

    it('POST /email-code/verify returns code_not_found without a code or after its use, and code_expired after its lifetime', async () => {
      const site = await open();
      const email = site.uniqueEmail();
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

    //
    it('POST /email-code/verify returns 429 after ten wrong codes in 15 minutes over several codes, for any code', async () => {
      const site = await open();
      const email = site.uniqueEmail();
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

    it('POST /password/signup returns 400 weak_password for a short or empty password and creates no account', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      // code points, not UTF-16 units.
      for (const password of ['', '1234567', '👍👍👍👍']) {
        expectError(await site.post('/password/signup', { email, password }), 400, 'weak_password');
      }
      expect((await site.post('/password/signup', { email, password: 'b7 !x🙂k9' })).status).toBe(200);
    });

    it('POST /password/signup returns 400 for a password over 1024 bytes, with U+0000 or with a lone surrogate', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      for (const password of ['a'.repeat(1025), 'null\0byte!', 'surrogate\ud800']) {
        expectError(await site.post('/password/signup', { email, password }), 400, 'invalid_request');
        const login = await site.post('/password/login', { email, password });
        expectError(login, 401, 'invalid_credentials');
      }
    });

    it('POST /password/signup returns 409 email_exists for an address with an account, in any case', async () => {
      const site = await open();
      const { email } = await site.signUp();
      for (const again of [email, email.toUpperCase(), ` ${email} `]) {
        const response = await site.post('/password/signup', { email: again, password: validPassword });
        expectError(response, 409, 'email_exists');
      }
    });

    it('POST /password/login returns 401 invalid_credentials for an unknown address and for a wrong password', async () => {
      const site = await open();
      const { email } = await site.signUp();
      for (const body of [
        { email, password: 'a wrong password' },
        { email, password: '' },
        { email: site.uniqueEmail(), password: validPassword },
      ]) {
        expectError(await site.post('/password/login', body), 401, 'invalid_credentials');
      }
    });

    //
    it('POST /password/login does not accept a mailed code or link as a password', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.signInByCode(email);
      await site.post('/email-code/send', { email });
      await site.post('/magic-link/send', { email });
      for (const password of [site.mail.lastCode(email)!, site.mailedToken(email)]) {
        expectError(await site.post('/password/login', { email, password }), 401, 'invalid_credentials');
      }
    });

    //
    it('POST /password/login returns 429 for the eleventh wrong login of an address from one client, with and without an account', async () => {
      const site = await open();
      const { email, password } = await site.signUp();
      for (const address of [email, site.uniqueEmail()]) {
        for (let i = 0; i < 10; i += 1) {
          const body = { email: address, password: `wrong password ${i}` };
          expectError(await site.post('/password/login', body), 401, 'invalid_credentials');
        }
        expectTooMany(await site.post('/password/login', { email: address, password }), 15 * minute);
      }
      site.clock.advance(15 * minute);
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
    });

    //
    it('the owner can sign in from another client during a lockout, and with a code from any client', async () => {
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

    //
    it('without `trust proxy` no header changes which client failed logins count against', async () => {
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

    //
    it('POST /password/login returns 429 if 64 logins are waiting, and other routes continue to respond', async () => {
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
        site.post('/password/login', { email: site.uniqueEmail(), password: validPassword }),
      );
      // Six are refused immediately; the others wait.
      const refused = await firstOf(logins, 6);
      for (const response of refused) expectTooMany(response, response.json.retryAfterMs as number);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      expect((await site.post('/email-code/send', { email: site.uniqueEmail() })).status).toBe(200);
      release();
      const statuses = (await Promise.all(logins)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(64);
    });

    it('POST /password/reset returns 401 token_invalid for a malformed, forged, used or expired token', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const reset = (token: string) => site.post('/password/reset', { token, newPassword: validPassword });
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

    //
    it('POST /password/reset returns 400 weak_password for a weak password and does not use the token', async () => {
      const site = await open();
      const { email } = await site.signUp();
      await site.post('/password/request-reset', { email });
      await site.settle();
      const token = site.mailedToken(email);
      for (const newPassword of ['', 'short']) {
        expectError(await site.post('/password/reset', { token, newPassword }), 400, 'weak_password');
      }
      expect((await site.post('/password/reset', { token, newPassword: validPassword })).status).toBe(200);
    });

    //
    it('a token or code of one purpose is invalid for every other purpose', async () => {
      const site = await open();
      const { email } = await site.signUp();
      await site.post('/magic-link/send', { email });
      const link = site.mailedToken(email);
      await site.post('/password/request-reset', { email });
      await site.settle();
      const resetToken = site.mailedToken(email);
      const asReset = await site.post('/password/reset', { token: link, newPassword: validPassword });
      expectError(asReset, 401, 'token_invalid');
      expectRedirect(await site.get(`/magic-link/verify?token=${resetToken}`), '/?error=token_invalid');
      for (const token of [link, resetToken]) {
        expectError(await site.get('/session', { cookie: `svc_session=${token}` }), 401, 'token_invalid');
      }
    });

    it('a method that is not configured returns 501 provider_not_configured, or redirects to the failure target', async () => {
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

    it('POST /password/request-reset returns 501 without a resetUrl; signup and login still work', async () => {
      const site = await open({ service: { providers: { emailPassword: { resetUrl: undefined } } } });
      const { email, password } = await site.signUp();
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
      for (const address of [email, site.uniqueEmail()]) {
        expectError(
          await site.post('/password/request-reset', { email: address }),
          501,
          'provider_not_configured',
        );
      }
    });
  });
}

/** Resolves with the first `count` responses. */
function firstOf<T>(promises: readonly Promise<T>[], count: number): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const settled: T[] = [];
    for (const promise of promises) {
      promise.then((response) => {
        settled.push(response);
        if (settled.length === count) resolve([...settled]);
      }, reject);
    }
  });
}
