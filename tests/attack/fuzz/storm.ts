/**
 * A site with every sign-in method, its changing callers, and one honest user among them. The requests of a storm are sent to it,
 * and every response is checked (verdict.ts).
 */
import type express from 'express';
import { createAdminRouter, createAuthRouter, createProRouter, type StorageAdapter } from 'svc-auth';
import {
  mockIdentityProvider,
  outbox,
  smsOutbox,
  testClock,
  type MockIdentityProvider,
  type SmsOutbox,
} from 'svc-auth/testing';
import { createOAuthServer } from '../../../src/oauth-server.js';
import {
  callbackUrl,
  clientOptions,
  encryptionKey,
  everyProvider,
  oauthServer,
} from '../../support/every-provider.js';
import { httpClient, type HttpResponse } from '../../support/http-client.js';
import { basePath, validPassword, listen } from '../../support/http-site.js';
import { scanResponse } from '../../support/leak-hooks.js';
import { license, minute } from '../../support/make-pro-service.js';
import { makeService } from '../../support/make-service.js';
import { Knowledge } from './knowledge.js';
import type { Caller, DrawnRequest } from './drawn.js';
import { judge, routeThatSucceeded } from './verdict.js';

export interface Storm {
  /** Sends the requests one after the other, and throws if a response is not allowed. */
  send(requests: readonly DrawnRequest[]): Promise<void>;
  /** How often each status was returned. */
  statuses: Record<number, number>;
  /** Routes that succeeded, such as `post /logout`. */
  succeeded: Set<string>;
  /** Checks that the honest user's session is valid, and signs in again by password and by code. */
  isOverFor(): Promise<void>;
  close(): Promise<void>;
}

type Jar = Map<string, string>;

const cookieHeader = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`);

const isRead = (action: string) => /\.(list|count|get|read|state)$/.test(action);

let storms = 0;
/** The time that the previous storm has reached: on the same storage, time moves on. */
let latest = Math.ceil(Date.now() / 1000) * 1000;

/** @param adapter is not closed. */
export async function openStorm(makeApp: typeof express, adapter?: StorageAdapter): Promise<Storm> {
  storms += 1;
  const storm = storms;
  const honestAddress = `honest-${storm}@example.com`;
  const identityProvider = await mockIdentityProvider({
    redirectUri: callbackUrl('/oauth/acme'),
    accounts: { ada: { email: 'ada@example.com', email_verified: true }, bob: { email: 'bob@example.com' } },
  });
  const texts = smsOutbox();
  const test = await siteService(identityProvider, texts, adapter);
  // Without one, no app can be connected.
  createOAuthServer(test.service, oauthServer);
  const app = makeApp();
  app.use(
    basePath,
    createAuthRouter(test.service),
    createProRouter(test.service),
    // Reads only: a write could block the honest user.
    createAdminRouter(test.service, { authorize: (_user, action) => isRead(action) }),
  );
  const server = await listen(app);
  const client = httpClient((server.address() as { port: number }).port);
  const jars: Record<Caller | 'honest', Jar> = {
    ...{ visitor: new Map(), guest: new Map(), member: new Map(), fresh: new Map(), honest: new Map() },
  };
  const knowledge = new Knowledge(test, texts, identityProvider, storm);
  knowledge.learn('email', honestAddress);
  const statuses: Record<number, number> = {};
  const succeeded = new Set<string>();
  let people = 0;

  async function call(jar: Jar, method: string, path: string, body?: unknown): Promise<HttpResponse> {
    const cookie = cookieHeader(jar).join('; ');
    const response = await client.send({
      method,
      path: basePath + path,
      body,
      headers: { ...(cookie && { cookie }) },
    });
    scanResponse(test.leaks, method, path, response);
    keep(jar, response);
    return response;
  }

  /** Signs a caller in again, as a new user if requests in the old one's name ended that account. */
  async function signIn(caller: Caller, email?: string): Promise<string> {
    const jar = jars[caller];
    jar.clear();
    const person = {
      email: email ?? `caller-${storm}-${(people += 1)}@example.com`,
      password: validPassword,
    };
    const response = await call(jar, 'POST', `/password/${email === undefined ? 'signup' : 'login'}`, person);
    if (response.status !== 200) return signIn(caller);
    knowledge.learnFrom(response.json, caller);
    return person.email;
  }

  const addresses: Partial<Record<Caller, string>> = {};
  let gathered = 0;

  /** Prepares the callers of the next requests: a member with an old sign-in, a user with a recent sign-in, and a guest. */
  async function gather(coming: ReadonlySet<Caller>): Promise<void> {
    knowledge.begin();
    test.clock.advance(16 * minute);
    if (coming.has('member')) addresses.member = await signIn('member', addresses.member);
    jars.guest.clear();
    if (coming.has('guest')) await call(jars.guest, 'POST', '/guest');
    test.clock.advance(11 * minute);
    // Occasionally a new user, who has reached no daily limit.
    gathered += 1;
    if (gathered % 8 === 0) delete addresses.fresh;
    if (coming.has('fresh')) addresses.fresh = await signIn('fresh', addresses.fresh);
    jars.visitor.clear();
    const still = await call(jars.honest, 'GET', '/session');
    expect({ honest: still.status }).toEqual({ honest: 200 });
    await honestSignInWhenOld();
  }

  let honestSince = 0;
  async function honestSignIn(): Promise<void> {
    const response = await call(jars.honest, 'POST', '/password/login', {
      email: honestAddress,
      password: validPassword,
    });
    expect({ honest: response.status, ...(response.json as object) }).toMatchObject({ honest: 200 });
    honestSince = test.clock.now();
  }
  // A session lasts 30 days at most, and earlier guesses at the password must not lock its owner out.
  async function honestSignInWhenOld(): Promise<void> {
    if (test.clock.now() - honestSince < 28 * 24 * 60 * minute) return;
    test.clock.advance(25 * 60 * minute);
    await honestSignIn();
  }

  async function sendOne(drawn: DrawnRequest): Promise<void> {
    const jar = jars[drawn.caller];
    test.clock.advance(1000 + (drawn.waitMs ?? 0));
    const sent = knowledge.requestOf(drawn, cookieHeader(jar));
    const response = await client.send({ ...sent, path: basePath + sent.path });
    // Its mail is sent in the background.
    if (/request-reset/i.test(sent.path)) await test.service.close();
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    judge({ ...sent, log: test.log }, response);
    const route = routeThatSucceeded(sent, response);
    if (route !== undefined) succeeded.add(route);
    keep(jar, response);
    await knowledge.learnFromAnswer(sent, response, drawn, (to) => to === honestAddress);
  }

  async function honestCode(jar: Jar): Promise<HttpResponse> {
    expect((await call(jar, 'POST', '/email-code/send', { email: honestAddress })).status).toBe(200);
    const code = test.mail.lastCode(honestAddress);
    return call(jar, 'POST', '/email-code/verify', { email: honestAddress, code });
  }

  await call(jars.honest, 'POST', '/password/signup', { email: honestAddress, password: validPassword });
  await honestCode(jars.honest);
  await honestSignIn();

  return {
    statuses,
    succeeded,
    async send(requests) {
      await gather(new Set(requests.map(({ caller }) => caller)));
      for (const each of requests) await sendOne(each);
    },
    async isOverFor() {
      test.clock.advance(25 * 60 * minute);
      const session = await call(jars.honest, 'GET', '/session');
      expect(session.json).toMatchObject({ user: { email: honestAddress } });
      await honestSignIn();
      const response = await honestCode(new Map());
      expect(response.json).toMatchObject({ created: false, user: session.json.user });
    },
    async close() {
      latest = test.clock.now();
      client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await identityProvider.close();
      await test.service.close();
    },
  };
}

function keep(jar: Jar, { cookies }: HttpResponse): void {
  for (const { name, value } of cookies) {
    if (value === '') jar.delete(name);
    else jar.set(name, value);
  }
}

function siteService(idp: MockIdentityProvider, sms: SmsOutbox, adapter?: StorageAdapter) {
  const mail = outbox();
  const providers = everyProvider(
    { mail, sms },
    {
      idp: clientOptions(idp),
      links: { withCode: true, confirmElsewhere: true },
      allowUnverified: true,
    },
  );
  return makeService({
    ...license,
    clock: testClock(latest + 2 * 24 * 60 * minute),
    mail,
    ...(adapter && { adapter: { ...adapter, close: async () => undefined } }),
    encryptionKey,
    audit: true,
    statistics: true,
    usernames: { enabled: true },
    providers: { ...providers, emailPassword: { ...providers.emailPassword, verifyEmail: 'send' } },
  });
}
