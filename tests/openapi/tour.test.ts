// Every JSON route of both routers, called by the client on a licensed service, and each answer held against the OpenAPI document.
import express from 'express';
import { createAuthRouter, createProRouter } from 'svc-auth';
import { AuthClientError, createClient } from 'svc-auth/client';
import { softwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { browserPasskeys } from '../support/browser-passkeys.js';
import { checkDescribed, describedRoutes } from '../support/described-answers.js';
import { base, listen } from '../support/http-site.js';
import { license, proProviders } from '../support/make-pro-service.js';
import { makeService, type TestService } from '../support/make-service.js';

/** Everything that has routes. */
const providers = {
  ...proProviders,
  totp: true as const,
  webauthn: { rpId: 'acme.test', origins: ['https://acme.test'] },
};

const email = 'ada@example.com';
const password = 'correct horse battery';

/** `post /path` of every call that succeeded. */
const succeeded = new Set<string>();
/** Where an answer was another than the document says. */
const faults: unknown[] = [];
const closing: (() => unknown)[] = [];
let test: TestService;
let origin: string;

beforeAll(async () => {
  test = await makeService({
    ...license,
    encryptionKey: 'the key of this tour, 32 bytes or more',
    providers,
  });
  const app = express();
  app.use(base, createAuthRouter(test.service), createProRouter(test.service));
  const server = await listen(app);
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
});

afterAll(() => closing.map((close) => close()));

/** A browser of its own, as far as cookies go. */
function browser() {
  const jar = new Map<string, string>();
  return createClient({
    baseUrl: origin + base,
    async fetch(url, init) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { ...init, headers: { ...init.headers, ...(cookie && { cookie }) } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      const text = await answer.text();
      const path = url.slice((origin + base).length);
      try {
        checkDescribed(init.method, path, { status: answer.status, json: JSON.parse(text) });
      } catch (fault) {
        // To the client it would look like a network that fails.
        faults.push(fault);
      }
      if (answer.ok) noteSuccess(init.method, path);
      return { ok: answer.ok, status: answer.status, text: async () => text };
    },
  });
}

function noteSuccess(method: string, path: string): void {
  const route = describedRoutes.find(
    (each) => each.method === method.toLowerCase() && each.pattern.test(path),
  );
  if (route) succeeded.add(`${route.method} ${route.path}`);
}

const codeOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof AuthClientError ? error.code : error;
};

afterEach(() => expect(faults.splice(0)).toEqual([]));

describe('The client', () => {
  it('signs in by email code, tells who is there, and signs out', async () => {
    const client = browser();
    expect(await client.session()).toEqual({ user: null });
    const { expiresAt } = await client.emailCode.send({ email });
    expect(expiresAt).toBeInstanceOf(Date);
    const signedIn = await client.emailCode.verify({ email, code: test.mail.lastCode(email)! });
    expect(signedIn).toMatchObject({ created: true, user: { email, createdAt: expect.any(Date) } });
    expect(await client.session()).toEqual({ user: signedIn.user });
    expect(await client.logout()).toEqual({ ok: true });
    expect(await client.session()).toEqual({ user: null });
    expect((await client.magicLink.send({ email })).expiresAt).toBeInstanceOf(Date);
  });

  it('signs up and in with a password, and sets another by the mailed link', async () => {
    const client = browser();
    const person = { email: 'bob@example.com', password };
    const { user } = await client.password.signup(person);
    expect(await codeOf(client.password.signup(person))).toBe('email_exists');
    expect(await client.password.login(person)).toEqual({ user });
    expect(await client.password.requestReset({ email: person.email })).toEqual({ sent: true });
    await test.service.close();
    const token = new URL(test.mail.lastLink(person.email)!).searchParams.get('token')!;
    const reset = await client.password.reset({ token, newPassword: 'battery staple' });
    expect(reset.user.id).toBe(user.id);
    expect(await codeOf(client.password.login(person))).toBe('invalid_credentials');
  });

  it('enrols a second factor, meets it at the next sign-in, and removes it', async () => {
    const client = browser();
    const person = { email: 'cy@example.com', password };
    await client.password.signup(person);
    expect(await client.totp.state()).toEqual({ enabled: false, recoveryCodesLeft: 0 });
    const { secret, uri } = await client.totp.enroll();
    expect(uri).toMatch(/^otpauth:/);
    const code = () => codeAt(secret, test.clock.now());
    expect((await client.totp.confirm({ code: code() })).recoveryCodes).toHaveLength(10);
    const { recoveryCodes } = await client.totp.recoveryCodes();

    const elsewhere = browser();
    expect(await codeOf(elsewhere.password.login(person))).toBe('mfa_required');
    test.clock.advance(30_000);
    expect((await elsewhere.mfa.verify({ code: code() })).user.email).toBe(person.email);
    expect(await codeOf(elsewhere.password.login(person))).toBe('mfa_required');
    await elsewhere.mfa.verify({ recoveryCode: recoveryCodes[0]! });
    expect(await elsewhere.totp.state()).toEqual({ enabled: true, recoveryCodesLeft: 9 });
    expect(await elsewhere.totp.disable()).toEqual({ ok: true });
  });

  it('registers a passkey and signs in by it, by a button and by a form’s suggestions', async () => {
    const authenticator = softwareAuthenticator();
    const passkeys = browserPasskeys(authenticator);
    closing.push(() => passkeys.remove());
    const client = browser();
    const { user } = await client.password.signup({ email: 'dot@example.com', password });
    expect(await client.passkeys.support()).toEqual({ available: true, autofill: true });
    const { passkey } = await client.passkeys.register();
    expect(passkey).toMatchObject({ id: authenticator.credentials[0]!.id, createdAt: expect.any(Date) });

    const elsewhere = browser();
    expect(await elsewhere.passkeys.authenticate()).toEqual({ user });
    expect(passkeys.asked.at(-1)).not.toHaveProperty('mediation');
    expect(await elsewhere.passkeys.authenticate({ autofill: true })).toEqual({ user });
    expect(passkeys.asked.at(-1)).toMatchObject({ mediation: 'conditional' });
    const [listed] = (await elsewhere.passkeys.list()).passkeys;
    expect(listed).toMatchObject({ id: passkey.id, lastUsedAt: expect.any(Date) });

    for (const [name, code] of [
      ['NotAllowedError', 'passkey_cancelled'],
      ['AbortError', 'passkey_cancelled'],
      ['InvalidStateError', 'passkey_exists'],
      ['UnknownError', 'passkey_failed'],
    ] as const) {
      passkeys.failWith(name);
      expect(await codeOf(elsewhere.passkeys.register())).toBe(code);
    }
    expect(await elsewhere.passkeys.remove(passkey.id)).toEqual({ ok: true });
    expect(await codeOf(elsewhere.passkeys.authenticate())).toBe('token_invalid');
    passkeys.remove();
    expect(await codeOf(elsewhere.passkeys.authenticate())).toBe('passkey_unsupported');
  });

  it('lists devices, and signs out one and all others', async () => {
    const person = { email: 'eve@example.com', password };
    const [here, there, third] = [browser(), browser(), browser()];
    await here.password.signup(person);
    await there.password.login(person);
    await third.password.login(person);
    const { devices } = await here.devices.list();
    expect(devices).toHaveLength(3);
    expect(devices[0]).toMatchObject({ lastSeenAt: expect.any(Date), revokedAt: null });
    const other = devices.find(({ current }) => !current)!;
    expect(await here.devices.revoke(other.id)).toEqual({ ok: true });
    expect(await here.devices.revokeOthers()).toEqual({ ok: true });
    expect((await here.devices.list()).devices).toHaveLength(1);
    expect(await there.session()).toEqual({ user: null });
  });
});

describe('The tour', () => {
  it('has been to every JSON route, and each has answered as the document says', () => {
    const all = describedRoutes
      .filter(({ answer }) => answer)
      .map((route) => `${route.method} ${route.path}`);
    expect(all.filter((route) => !succeeded.has(route))).toEqual([]);
  });
});
