/**
 * A database server is killed by SIGKILL under traffic and restarted: a separate one, since other tests use those that are shared. The
 * test site compares every response with the OpenAPI document, and every response must arrive before the client's time-out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import { outbox, smsOutbox } from 'svc-auth/testing';
import { documentedRoutes } from '../../support/documented-responses.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, openSite, type Site } from '../../support/http-site.js';
import { createOAuthServer } from '../../../src/oauth-server.js';
import { encryptionKey, everyProvider, oauthServer } from '../../support/every-provider.js';
import { unknownId } from '../../support/make-pro-service.js';
import { openStorage } from '../../support/open-storage.js';
import type { PostgresServer } from '../../support/postgres-server.js';

/** Contains every field that some route requires; routes ignore the fields they do not accept. */
const body = {
  email: 'someone@example.com',
  code: '123456',
  currentCode: '123456',
  password: validPassword,
  newPassword: 'another good password',
  currentPassword: validPassword,
  phone: '+12025550123',
  name: 'A name',
  role: 'member',
  scopes: ['read'],
  token: 'no.token',
};

const respondsWithoutDatabase = new Set([
  // Store nothing in the database until the browser returns.
  'get /oauth/:name/start',
  'get /google/start',
  'get /idp/start',
  'post /passkeys/authenticate/finish',
  'post /mfa/verify',
  // Clear the cookie, query in the background, or reject a malformed token by its signature.
  'post /password/request-reset',
  'post /password/reset',
  'post /token/refresh',
  'post /token/revoke',
  // Refuse a request without the cookie or the token of its first step, or an option that is off.
  'post /password/signup/resend',
  'post /sign-up/complete',
  'post /password/signup/verify',
  'post /magic-link/verify',
  'post /magic-link/confirm',
  'get /not-me',
  'post /not-me',
  'post /magic-link/verify-code',
  'post /session/refresh',
  'get /mfa',
  'post /mfa/email/send',
  'post /mfa/email/verify',
  'post /mfa/passkey/start',
  'post /mfa/passkey/finish',
  'post /passkeys/signup/finish',
  // Redirect after any failure.
  'get /magic-link/verify',
  'get /google/callback',
  'get /idp/callback',
  'get /oauth/:name/callback',
  'post /oauth/:name/callback',
]);

/** Twice as many requests at a time as the pool has connections. All at once would wait for each other's work in this process. */
const concurrentRequests = 20;

type DatabaseServer = Omit<PostgresServer, 'pid'>;

/** @param start must start a server whose commits wait for the disk: acknowledged data must survive its crash. */
export function describeKilledServer(name: string, start: () => Promise<DatabaseServer>): void {
  describe(`${name} is killed`, () => {
    let server: DatabaseServer;
    let adapter: StorageAdapter;
    let site: Site;
    const sms = smsOutbox();

    beforeAll(async () => {
      server = await start();
      adapter = openStorage(server.url);
      await adapter.init();
      const mail = outbox();
      const providers = everyProvider({ mail, sms });
      site = await openSite(express, adapter, {
        pro: true,
        service: {
          mail,
          encryptionKey,
          audit: true,
          statistics: true,
          usernames: { enabled: true },
          providers: { ...providers, emailPassword: { ...providers.emailPassword, verifyEmail: 'send' } },
        },
      });
      createOAuthServer(site.service, oauthServer);
    });

    afterAll(async () => {
      await site?.close();
      await adapter?.close();
      await server?.stop();
    });

    async function everyRoute(cookie: string): Promise<[string, HttpResponse][]> {
      const responses: [string, HttpResponse][] = [];
      const routes = documentedRoutes[Symbol.iterator]();
      const client = async () => {
        for (const { method, path } of routes) {
          const requestPath = path.replace(':name', 'acme').replace(/:\w+/g, unknownId);
          const sent = method === 'get' ? undefined : body;
          const response = await site.send(method.toUpperCase(), requestPath, sent, { cookie });
          responses.push([`${method} ${path}`, response]);
        }
      };
      await Promise.all(Array.from({ length: concurrentRequests }, client));
      return responses;
    }

    it('returns 500 on every route while the server is down, and recovers without losing acknowledged data', async () => {
      const { email, password, cookie, user } = await site.signUp();
      await site.adapter.users.markEmailVerified(user.id as string, new Date(site.clock.now()));
      const guest = await site.post('/guest');
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      await site.post('/magic-link/send', { email });
      const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
      await site.post('/password/request-reset', { email });
      await site.settle();
      const token = site.mailedToken(email);
      const pair = await site.post('/token/issue', {}, { cookie });
      const key = await site.post('/api-keys', { name: 'a key', scopes: ['read'] }, { cookie });
      expect([guest.status, pair.status, key.status]).toEqual([200, 200, 200]);

      // Traffic on every connection at the moment of the crash: each response is a success or an internal error.
      let crashed = false;
      const acknowledged: string[] = [];
      const outcomes = new Set<string>();
      const visitor = async () => {
        for (let i = 0; i < 200 && !crashed; i += 1) {
          const address = site.uniqueEmail();
          const response = await site.post('/password/signup', { email: address, password });
          if (response.status === 200) acknowledged.push(address);
          const session = await site.get('/session', { cookie });
          for (const { status, json } of [response, session])
            outcomes.add(`${status} ${json.error ?? ''}`.trim());
        }
      };
      const visitors = Promise.all(Array.from({ length: 8 }, visitor));
      // By then every visitor has a request in progress.
      for (let waited = 0; waited < 120_000 && acknowledged.length <= 8; waited += 20) await sleep(20);
      await server.crash();
      await sleep(300);
      crashed = true;
      await visitors;
      expect([...outcomes].sort()).toEqual(['200', '500 internal_error']);
      expect(acknowledged.length).toBeGreaterThan(8);

      const responses = await everyRoute(cookie);
      const outcome = (response: HttpResponse) =>
        `${response.status} ${response.json?.error ?? response.location ?? ''}`;
      const failures = responses.filter(([route]) => !respondsWithoutDatabase.has(route));
      expect(failures.length).toBeGreaterThan(40);
      expect(failures.map(([route, response]) => `${route}: ${outcome(response)}`)).toEqual(
        failures.map(([route]) => `${route}: 500 internal_error`),
      );
      for (const [, response] of responses) {
        expect(response.text).not.toMatch(
          /ECONNREFUSED|127\.0\.0\.1|postgres|maria|mysql|terminat|connection/i,
        );
      }
      const before = site.mail.messages.length + sms.messages.length;
      await site.settle();
      expect(site.mail.messages.length + sms.messages.length).toBe(before);

      await server.restart();
      // Without intervention: the next request succeeds, as none waits for a lost connection.
      expect((await site.get('/session', { cookie })).json.user.email).toBe(email);
      for (const address of acknowledged) expect(await adapter.users.findByEmail(address)).not.toBeNull();
      expect((await site.get('/session', { cookie: guest.cookie() })).status).toBe(200);
      expect((await site.service.apiKeys.verify(key.json.key as string)).name).toBe('a key');
      expect(
        (await site.post('/token/refresh', { refreshToken: pair.json.refreshToken as string })).status,
      ).toBe(200);
      const verified = await site.post('/email-code/verify', { email, code }, { cookie });
      expect(verified.status).toBe(200);
      expect((await site.get(link)).location).toBe('/');
      const reset = await site.post('/password/reset', { token, newPassword: 'another good password' });
      expect(reset.status).toBe(200);
      expect((await site.post('/password/login', { email, password: 'another good password' })).status).toBe(
        200,
      );
    });

    it('counts no failed login and no send while the server is down', async () => {
      const { email, password } = await site.signUp();
      const stranger = site.uniqueEmail();
      await server.crash();
      for (let i = 0; i < 12; i += 1) {
        expect((await site.post('/password/login', { email, password: 'a wrong password' })).status).toBe(
          500,
        );
        expect((await site.post('/email-code/send', { email: stranger })).status).toBe(500);
      }
      await server.restart();
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
      for (let i = 0; i < 5; i += 1) {
        expect((await site.post('/email-code/send', { email: stranger })).status).toBe(200);
      }
    });
  });
}
