/**
 * A site on which every way of signing in is configured, callers who come and go, and one honest user among them: the requests of
 * a storm are sent to it, and every answer is judged (verdict.ts).
 */
import type express from 'express';
import { createAuthRouter, createProRouter, type StorageAdapter } from 'svc-auth';
import {
  mockIdentityProvider,
  outbox,
  smsOutbox,
  testClock,
  type MockIdentityProvider,
  type SmsOutbox,
} from 'svc-auth/testing';
import { callbackOf, clientOf, encryptionKey, everyProvider } from '../../support/every-provider.js';
import { httpClient, type Answer } from '../../support/http-client.js';
import { base, goodPassword, listen } from '../../support/http-site.js';
import { lookAtAnswer } from '../../support/leak-hooks.js';
import { license, minute } from '../../support/make-pro-service.js';
import { makeService } from '../../support/make-service.js';
import { Knowledge } from './knowledge.js';
import type { Caller, DrawnRequest } from './drawn.js';
import { judge, routeThatSucceeded } from './verdict.js';

export interface Storm {
  /** Sends them, one after the other, and throws where an answer is none that there may be. */
  send(requests: readonly DrawnRequest[]): Promise<void>;
  /** How often each status was answered. */
  statuses: Record<number, number>;
  /** Routes that did what they are there for, as `post /logout`. */
  succeeded: Set<string>;
  /** The honest user signs in anew, by password and by code, and the session from before lives. */
  isOverFor(): Promise<void>;
  close(): Promise<void>;
}

type Jar = Map<string, string>;

const cookieHeader = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`);

let storms = 0;
/** Where the clock of the storm before has come to: on the same storage, time goes on. */
let latest = Math.ceil(Date.now() / 1000) * 1000;

/** @param adapter stays open. */
export async function openStorm(makeApp: typeof express, adapter?: StorageAdapter): Promise<Storm> {
  storms += 1;
  const storm = storms;
  const honestAddress = `honest-${storm}@example.com`;
  const identityProvider = await mockIdentityProvider({
    redirectUri: callbackOf('/oauth/acme'),
    accounts: { ada: { email: 'ada@example.com', email_verified: true }, bob: { email: 'bob@example.com' } },
  });
  const texts = smsOutbox();
  const test = await siteService(identityProvider, texts, adapter);
  const app = makeApp();
  app.use(base, createAuthRouter(test.service), createProRouter(test.service));
  const server = await listen(app);
  const client = httpClient((server.address() as { port: number }).port);
  const jars: Record<Caller | 'honest', Jar> = {
    ...{ nobody: new Map(), guest: new Map(), member: new Map(), fresh: new Map(), honest: new Map() },
  };
  const knowledge = new Knowledge(test, texts, identityProvider, storm);
  knowledge.learn('email', honestAddress);
  const statuses: Record<number, number> = {};
  const succeeded = new Set<string>();
  let people = 0;

  async function call(jar: Jar, method: string, path: string, body?: unknown): Promise<Answer> {
    const cookie = cookieHeader(jar).join('; ');
    const answer = await client.send({
      method,
      path: base + path,
      body,
      headers: { ...(cookie && { cookie }) },
    });
    lookAtAnswer(test.leaks, method, path, answer);
    keep(jar, answer);
    return answer;
  }

  /** Whoever was driven out by what was sent in their name comes back as somebody new. */
  async function signIn(caller: Caller, email?: string): Promise<string> {
    const jar = jars[caller];
    jar.clear();
    const person = { email: email ?? `caller-${storm}-${(people += 1)}@example.com`, password: goodPassword };
    const answer = await call(jar, 'POST', `/password/${email === undefined ? 'signup' : 'login'}`, person);
    if (answer.status !== 200) return signIn(caller);
    knowledge.learnFrom(answer.json, caller);
    return person.email;
  }

  const addresses: Partial<Record<Caller, string>> = {};
  let gathered = 0;

  /** Those of them who are about to call: a member whose sign-in is a while ago, somebody who has just signed in, and a guest. */
  async function gather(coming: ReadonlySet<Caller>): Promise<void> {
    knowledge.begin();
    test.clock.advance(16 * minute);
    if (coming.has('member')) addresses.member = await signIn('member', addresses.member);
    jars.guest.clear();
    if (coming.has('guest')) await call(jars.guest, 'POST', '/guest');
    test.clock.advance(11 * minute);
    // Now and then somebody new, who is at no limit of a day.
    gathered += 1;
    if (gathered % 8 === 0) delete addresses.fresh;
    if (coming.has('fresh')) addresses.fresh = await signIn('fresh', addresses.fresh);
    jars.nobody.clear();
    const still = await call(jars.honest, 'GET', '/session');
    expect({ honest: still.status }).toEqual({ honest: 200 });
    await honestSignInWhenOld();
  }

  let honestSince = 0;
  async function honestSignIn(): Promise<void> {
    const answer = await call(jars.honest, 'POST', '/password/login', {
      email: honestAddress,
      password: goodPassword,
    });
    expect({ honest: answer.status, ...(answer.json as object) }).toMatchObject({ honest: 200 });
    honestSince = test.clock.now();
  }
  // No session is older than 30 days; nor may guesses at the password of a while ago keep its owner out.
  async function honestSignInWhenOld(): Promise<void> {
    if (test.clock.now() - honestSince < 28 * 24 * 60 * minute) return;
    test.clock.advance(25 * 60 * minute);
    await honestSignIn();
  }

  async function sendOne(drawn: DrawnRequest): Promise<void> {
    const jar = jars[drawn.caller];
    test.clock.advance(1000 + (drawn.waitMs ?? 0));
    const sent = knowledge.requestOf(drawn, cookieHeader(jar));
    const answer = await client.send({ ...sent, path: base + sent.path });
    // Its mail goes out behind the answer.
    if (/request-reset/i.test(sent.path)) await test.service.close();
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    judge({ ...sent, log: test.log }, answer);
    const route = routeThatSucceeded(sent, answer);
    if (route !== undefined) succeeded.add(route);
    keep(jar, answer);
    await knowledge.learnFromAnswer(sent, answer, drawn, (to) => to === honestAddress);
  }

  async function honestCode(jar: Jar): Promise<Answer> {
    expect((await call(jar, 'POST', '/email-code/send', { email: honestAddress })).status).toBe(200);
    const code = test.mail.lastCode(honestAddress);
    return call(jar, 'POST', '/email-code/verify', { email: honestAddress, code });
  }

  await call(jars.honest, 'POST', '/password/signup', { email: honestAddress, password: goodPassword });
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
      const answer = await honestCode(new Map());
      expect(answer.json).toMatchObject({ created: false, user: session.json.user });
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

function keep(jar: Jar, { cookies }: Answer): void {
  for (const { name, value } of cookies) {
    if (value === '') jar.delete(name);
    else jar.set(name, value);
  }
}

function siteService(idp: MockIdentityProvider, texts: SmsOutbox, adapter?: StorageAdapter) {
  const mail = outbox();
  return makeService({
    ...license,
    clock: testClock(latest + 2 * 24 * 60 * minute),
    mail,
    ...(adapter && { adapter: { ...adapter, close: async () => undefined } }),
    encryptionKey,
    providers: everyProvider({ mail, texts }, { idp: clientOf(idp), allowUnverified: true }),
  });
}
