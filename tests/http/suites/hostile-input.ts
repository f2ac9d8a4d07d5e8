/**
 * parameter pollution, mass assignment, prototype pollution, and strings with a
 * meaning in SQL.
 */
import type { OpenSite, Suite } from '../matrix.js';
import { validPassword } from '../../support/http-site.js';
import { expectError, expectRedirect } from './expect.js';
import { growthOf } from '../../support/outcomes.js';

const json = { 'Content-Type': 'application/json' };

export function hostileInput(open: OpenSite, express: Parameters<Suite>[1]): void {
  describe('hostile input', () => {
    //
    it('GET /magic-link/verify rejects a token given twice, as a list or as an object, and the token remains valid', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.post('/magic-link/send', { email });
      const token = site.mailedToken(email);
      for (const query of [
        `token=${token}&token=${token}`,
        `token=x&token=${token}`,
        `token=${token}&token=x`,
        `token[]=${token}`,
        `token[0]=${token}`,
        `token[a]=${token}`,
        `token[__proto__]=${token}`,
        `TOKEN=${token}`,
        '',
        'token',
        'token=',
        'token=%E0%A4%A',
        'token=%00',
        `token=${'x'.repeat(9_000)}`,
      ]) {
        expectRedirect(await site.get(`/magic-link/verify?${query}`), '/?error=token_invalid');
      }
      expectRedirect(await site.get(`/magic-link/verify?token=${token}`), '/', { signedIn: true });
    });

    //
    it('a field given as a list or an object returns 400 invalid_request, so that no second recipient is added', async () => {
      const site = await open();
      const { email, password } = await site.signUp();
      const evil = site.uniqueEmail();
      for (const value of [[email], [email, evil], { 0: email }, { email }, [[email]], `${email},${evil}`]) {
        for (const route of ['/email-code/send', '/magic-link/send']) {
          expectError(await site.post(route, { email: value }), 400, 'invalid_request');
        }
        if (typeof value === 'string') continue;
        expectError(await site.post('/password/request-reset', { email: value }), 400, 'invalid_request');
        expectError(await site.post('/password/login', { email: value, password }), 400, 'invalid_request');
        expectError(
          await site.post('/password/login', { email, password: [password] }),
          400,
          'invalid_request',
        );
      }
      await site.settle();
      expect(site.mail.messages).toEqual([]);
    });

    //
    it('query parameters of a POST are ignored', async () => {
      const site = await open();
      const { email, password } = await site.signUp();
      const query = new URLSearchParams({ email, password }).toString();
      expectError(await site.post(`/password/login?${query}`, {}), 400, 'invalid_request');
      expectError(await site.post(`/email-code/send?${query}`, {}), 400, 'invalid_request');
      const other = await site.post(`/password/login?${query}`, { email: site.uniqueEmail(), password });
      expectError(other, 401, 'invalid_credentials');
    });

    //
    it('fields that the specification does not name have no effect', async () => {
      const site = await open();
      const extra = {
        id: '0190a000-0000-7000-8000-000000000000',
        emailVerified: true,
        metadata: { role: 'admin' },
        role: 'admin',
        passwordHash: 'cheap$planted',
        epoch: 99,
        createdAt: '1999-01-01T00:00:00.000Z',
        startSession: false,
        sessionToken: 'x',
        ip: '203.0.113.1',
        redirectTo: 'https://evil.test/',
        from: 'eve@evil.test',
        successRedirect: 'https://evil.test/',
      };
      const email = site.uniqueEmail();
      const signup = await site.post('/password/signup', { email, password: validPassword, ...extra });
      expect(signup.json.user).toMatchObject({ email, emailVerified: false, metadata: {} });
      expect(signup.json.user.id).not.toBe(extra.id);
      expect(Object.keys(signup.json.user).sort()).toEqual(
        ['createdAt', 'email', 'emailVerified', 'id', 'metadata', 'updatedAt'].sort(),
      );
      expect(signup.cookie()).toMatch(/^svc_session=/);

      const other = site.uniqueEmail();
      await site.post('/email-code/send', { email: other, ...extra });
      const code = site.mail.lastCode(other);
      const verified = await site.post('/email-code/verify', { email: other, code, ...extra });
      expect(verified.json.user.metadata).toEqual({});
      expect(site.mail.messages.at(-1)).not.toHaveProperty('from');
    });

    // T4
    it('the routes never read redirectTo: links lead only to baseUrl and resetUrl', async () => {
      const site = await open();
      const { email } = await site.signUp();
      // This includes an origin that the service trusts.
      for (const redirectTo of ['https://evil.test/steal', 'https://app.test/elsewhere']) {
        await site.post('/magic-link/send', { email, redirectTo });
        expect(site.mail.lastLink(email)).toMatch(
          /^https:\/\/app\.test\/api\/auth\/magic-link\/verify\?token=/,
        );
        await site.post('/password/request-reset', { email, redirectTo });
        await site.settle();
        expect(site.mail.lastLink(email)).toMatch(/^https:\/\/app\.test\/reset\?token=/);
      }
    });

    // T10
    it('metadata in a request body is not stored', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.post('/magic-link/send', {
        email,
        metadata: { emailVerified: true, __svc: { passwordHash: 'x' } },
      });
      const response = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
      const { user } = (await site.get('/session', { cookie: response.cookie() })).json;
      expect(user.metadata).toEqual({});
    });

    //
    it('__proto__, constructor and prototype in a body neither pollute prototypes nor supply fields', async () => {
      for (const parser of [undefined, express.json()]) {
        const site = await open({ before: (app) => parser && app.use(parser) });
        const { email, password } = await site.signUp();
        const inherited = JSON.stringify({ email, password });
        for (const body of [
          `{"__proto__":${inherited}}`,
          `{"constructor":{"prototype":${inherited}}}`,
          `{"email":"${email}","__proto__":{"password":"${password}"}}`,
        ]) {
          const response = await site.post('/password/login', body, { headers: json });
          expectError(response, 400, 'invalid_request');
        }
        const polluting = `{"email":"${email}","password":"${password}","__proto__":{"polluted":true}}`;
        expect((await site.post('/password/login', polluting, { headers: json })).status).toBe(200);
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      }
    });

    //
    it('strings with a meaning in SQL are treated as plain strings', async () => {
      const site = await open();
      const { email, password } = await site.signUp();
      for (const text of [
        "' or '1'='1",
        "'; drop table svc_users; --",
        '%',
        '_',
        "\\'",
        '$1',
        '\u0000',
        '{}',
        ':email',
      ]) {
        expectError(
          await site.post('/password/login', { email, password: text }),
          401,
          'invalid_credentials',
        );
        const code = await site.post('/email-code/verify', { email, code: text });
        expect(['code_not_found', 'invalid_request']).toContain(code.json.error);
        expectError(
          await site.post('/password/reset', { token: text, newPassword: password }),
          401,
          'token_invalid',
        );
        // A local part may contain an apostrophe: it is an unknown address.
        const address = await site.post('/password/login', { email: `x'or'1'='1@example.com`, password });
        expectError(address, 401, 'invalid_credentials');
      }
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
    });

    it('an address with an apostrophe, a plus or a long domain is valid', async () => {
      const site = await open();
      const [name] = site.uniqueEmail().split('@');
      for (const email of [
        `o'${name}@example.com`,
        `${name}+tag@example.com`,
        `${name}@${'a.'.repeat(90)}example.com`,
      ]) {
        expect((await site.signInByCode(email)).user.email).toBe(email);
      }
    });

    it('a User-Agent of 8 KB, one with invalid bytes and an empty one are accepted', async () => {
      const site = await open();
      for (const agent of [
        'x'.repeat(8_000),
        'caf\u00e9 \u0080\u00ff',
        '',
        "'); drop table svc_sessions; --",
      ]) {
        const headers = { 'User-Agent': agent };
        const { cookie } = await site.signInByCode(undefined, { headers });
        expect((await site.get('/session', { cookie, headers })).status).toBe(200);
      }
    });

    //
    it('addresses of 15 KB are rejected in linear time', async () => {
      const site = await open();
      const forms = ['a', 'a.', 'a@a-', '@'];
      for (const form of forms) {
        const refuse = async (size: number) => {
          const email = form.repeat(size / form.length);
          expectError(await site.post('/email-code/send', { email }), 400, 'invalid_request');
        };
        expect(await growthOf(refuse, 1_500)).toBeLessThan(30);
      }
    });
  });
}
