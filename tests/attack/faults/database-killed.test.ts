/**
 * PostgreSQL ended by SIGKILL under traffic and started again: a server of this file's own, as the shared one is others', too.
 * What a visitor sees meanwhile is held against the OpenAPI document by the site itself, and must come within its patience.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { knexAdapter, type StorageAdapter } from 'svc-auth';
import { outbox, smsOutbox } from 'svc-auth/testing';
import { describedRoutes } from '../../support/described-answers.js';
import type { Answer } from '../../support/http-client.js';
import { goodPassword, openSite, type Site } from '../../support/http-site.js';
import { startPostgres, type PostgresServer } from '../../support/postgres-server.js';
import { encryptionKey, everyProvider } from '../../support/every-provider.js';
import { nobody } from '../../support/make-pro-service.js';

let postgres: PostgresServer;
let adapter: StorageAdapter;
let site: Site;
const texts = smsOutbox();

beforeAll(async () => {
  // What was acknowledged must be there after a crash of the server: unlike elsewhere in the tests, a commit waits for its log.
  postgres = await startPostgres({ synchronous_commit: 'on' });
  adapter = knexAdapter({ client: 'pg', connection: postgres.url });
  await adapter.init();
  const mail = outbox();
  site = await openSite(express, adapter, {
    pro: true,
    service: { mail, encryptionKey, providers: everyProvider({ mail, texts }) },
  });
}, 60_000);

afterAll(async () => {
  await site?.close();
  await adapter?.close();
  await postgres?.stop();
});

/** Whatever a route wants, it finds; what it does not know, it ignores. */
const body = {
  email: 'somebody@example.com',
  code: '123456',
  currentCode: '123456',
  password: goodPassword,
  newPassword: 'another good password',
  currentPassword: goodPassword,
  phone: '+12025550123',
  name: 'A name',
  role: 'member',
  scopes: ['read'],
  token: 'no.token',
};

const answersWithoutAsking = new Set([
  // Nothing of them is in the database until they come back.
  'get /oauth/:name/start',
  'get /google/start',
  'get /idp/start',
  'post /passkeys/authenticate/finish',
  'post /mfa/verify',
  // Clears the cookie, asks in the background, or refuses what is no token by its signature.
  'post /password/request-reset',
  'post /password/reset',
  'post /token/refresh',
  'post /token/revoke',
  // Redirect, whatever went wrong.
  'get /magic-link/verify',
  'get /google/callback',
  'get /idp/callback',
  'get /oauth/:name/callback',
  'post /oauth/:name/callback',
]);

const everyRoute = (cookie: string): Promise<[string, Answer][]> =>
  Promise.all(
    describedRoutes.map(async ({ method, path }): Promise<[string, Answer]> => {
      const at = path.replace(':name', 'acme').replace(/:\w+/g, nobody);
      const answer = await site.send(method.toUpperCase(), at, method === 'get' ? undefined : body, {
        cookie,
      });
      return [`${method} ${path}`, answer];
    }),
  );

it('while PostgreSQL is dead every route answers in time and by the document, and after its return everything works by itself, with nothing lost', async () => {
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

  // Traffic on every connection at the moment of the crash: each answer is a success or the one failure.
  let crashed = false;
  const acknowledged: string[] = [];
  const seen = new Set<string>();
  const visitor = async () => {
    for (let i = 0; i < 200 && !crashed; i += 1) {
      const address = site.address();
      const answer = await site.post('/password/signup', { email: address, password });
      if (answer.status === 200) acknowledged.push(address);
      const session = await site.get('/session', { cookie });
      for (const { status, json } of [answer, session]) seen.add(`${status} ${json.error ?? ''}`.trim());
    }
  };
  const visitors = Promise.all(Array.from({ length: 8 }, visitor));
  // Each visitor is in the middle of something by then.
  for (let waited = 0; waited < 10_000 && acknowledged.length <= 8; waited += 20) await sleep(20);
  await postgres.crash();
  await sleep(300);
  crashed = true;
  await visitors;
  expect([...seen].sort()).toEqual(['200', '500 internal_error']);
  expect(acknowledged.length).toBeGreaterThan(8);

  const answers = await everyRoute(cookie);
  const outcome = (answer: Answer) => `${answer.status} ${answer.json?.error ?? answer.location ?? ''}`;
  const others = answers.filter(([route]) => !answersWithoutAsking.has(route));
  expect(others.length).toBeGreaterThan(40);
  expect(others.map(([route, answer]) => `${route}: ${outcome(answer)}`)).toEqual(
    others.map(([route]) => `${route}: 500 internal_error`),
  );
  for (const [, answer] of answers) {
    expect(answer.text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|postgres|terminat|connection/i);
  }
  const before = site.mail.messages.length + texts.messages.length;
  await site.settle();
  expect(site.mail.messages.length + texts.messages.length).toBe(before);

  await postgres.restart();
  // By itself: the next request is answered, as nobody is left waiting for a connection that is gone.
  expect((await site.get('/session', { cookie })).json.user.email).toBe(email);
  for (const address of acknowledged) expect(await adapter.users.findByEmail(address)).not.toBeNull();
  expect((await site.get('/session', { cookie: guest.cookie() })).status).toBe(200);
  expect((await site.service.apiKeys.verify(key.json.key as string)).name).toBe('a key');
  expect((await site.post('/token/refresh', { refreshToken: pair.json.refreshToken as string })).status).toBe(
    200,
  );
  const verified = await site.post('/email-code/verify', { email, code }, { cookie });
  expect(verified.status).toBe(200);
  expect((await site.get(link)).location).toBe('/');
  const reset = await site.post('/password/reset', { token, newPassword: 'another good password' });
  expect(reset.status).toBe(200);
  expect((await site.post('/password/login', { email, password: 'another good password' })).status).toBe(200);
}, 60_000);

it('a dead PostgreSQL is no failed login and uses up no limit on sends', async () => {
  const { email, password } = await site.signUp();
  const stranger = site.address();
  await postgres.crash();
  for (let i = 0; i < 12; i += 1) {
    expect((await site.post('/password/login', { email, password: 'a wrong password' })).status).toBe(500);
    expect((await site.post('/email-code/send', { email: stranger })).status).toBe(500);
  }
  await postgres.restart();
  expect((await site.post('/password/login', { email, password })).status).toBe(200);
  for (let i = 0; i < 5; i += 1) {
    expect((await site.post('/email-code/send', { email: stranger })).status).toBe(200);
  }
}, 60_000);
