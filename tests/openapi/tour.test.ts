// Calls every JSON route of both routers with the client on a licensed service and checks each response against the OpenAPI document.
import express from 'express';
import { createAdminRouter, createAuthRouter, createProRouter } from 'svc-auth';
import { AuthClientError, createClient } from 'svc-auth/client';
import {
  mockIdentityProvider,
  outbox,
  smsOutbox,
  softwareAuthenticator,
  type MockIdentityProvider,
} from 'svc-auth/testing';
import { createOAuthServer } from 'svc-auth/oauth-server';
import * as z from 'zod';
import { codeAt } from '../support/authenticator-app.js';
import { browserPasskeys } from '../support/browser-passkeys.js';
import { checkDocumented, documentedRoutes } from '../support/documented-responses.js';
import { callbackUrl, clientOptions, encryptionKey, everyProvider } from '../support/every-provider.js';
import { basePath, listen } from '../support/http-site.js';
import { both } from '../support/link-pages.js';
import { license, unknownId } from '../support/make-pro-service.js';
import { makeService, type TestService } from '../support/make-service.js';

const mail = outbox();
const sms = smsOutbox();

const email = 'ada@example.com';
const password = 'correct horse battery';

/** `post /path` of every call that succeeded. */
const succeeded = new Set<string>();
let requests = 0;
/** The operation of each request that succeeded. */
const operationOf = new Map<string, string>();
/** Responses that differ from the document. */
const faults: unknown[] = [];
const closing: (() => unknown)[] = [];
let idp: MockIdentityProvider;
let test: TestService;
/** With `signUp.revealExisting: false`. */
let privateTest: TestService;
let origin: string;

const privatePath = '/private';
/** With `signUp.fields`. */
let fieldsTest: TestService;
const fieldsPath = '/fields';

const resource = 'https://app.test/mcp';

beforeAll(async () => {
  idp = await mockIdentityProvider({ redirectUri: callbackUrl('/google') });
  const providers = everyProvider({ mail, sms }, { google: clientOptions(idp), links: both });
  test = await makeService({
    audit: true,
    session: { bearer: true },
    ...license,
    mail,
    encryptionKey,
    statistics: true,
    usernames: { enabled: true },
    providers: { ...providers, emailPassword: { ...providers.emailPassword, verifyEmail: 'send' } },
  });
  const app = express();
  app.use((req, _res, next) => {
    Object.assign(req, { id: req.headers['x-request-id'] });
    next();
  });
  app.use(
    basePath,
    createAuthRouter(test.service),
    createProRouter(test.service),
    createAdminRouter(test.service, { authorize: () => true }),
  );
  createOAuthServer(test.service, {
    issuer: 'https://app.test',
    resources: { [resource]: { scopes: { 'notes:read': 'Read your notes' } } },
  });
  privateTest = await makeService({ mail, signUp: { revealExisting: false } });
  app.use(privatePath, createAuthRouter(privateTest.service));
  fieldsTest = await makeService({ mail, signUp: { fields: z.object({ company: z.string() }) } });
  app.use(fieldsPath, createAuthRouter(fieldsTest.service));
  const server = await listen(app);
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  closing.push(
    () => server.close(),
    () => idp.close(),
    () => server.closeAllConnections(),
  );
});

afterAll(() => closing.map((close) => close()));

/** Returns a client with a separate cookie jar, like a separate browser. */
function browser(path = basePath) {
  const jar = new Map<string, string>();
  return createClient({
    baseUrl: origin + path,
    async fetch(url, init) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const requestId = `request-${(requests += 1)}`;
      const headers = { ...init.headers, ...(cookie && { cookie }), 'x-request-id': requestId };
      const response = await fetch(url, { ...init, headers });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      const text = await response.text();
      const route = url.slice((origin + path).length);
      try {
        checkDocumented(init.method, route, { status: response.status, json: JSON.parse(text) });
      } catch (fault) {
        // The client would report it as a network error.
        faults.push(fault);
      }
      if (response.ok) noteSuccess(init.method, route, requestId);
      return { ok: response.ok, status: response.status, text: async () => text };
    },
  });
}

function noteSuccess(method: string, path: string, requestId: string): void {
  const route = documentedRoutes.find(
    (each) => each.method === method.toLowerCase() && each.pattern.test(path.replace(/\?.*$/, '')),
  );
  if (!route) return;
  const operation = `${route.method} ${route.path}`;
  succeeded.add(operation);
  operationOf.set(requestId, operation);
}

/** Signs in by email code: a user with a verified address. */
async function signInByCode(client: ReturnType<typeof browser>, address: string) {
  await client.emailCode.send({ email: address });
  return client.emailCode.verify({ email: address, code: mail.lastCode(address)! });
}

/** Adds a phone number to the account of the session. Returns its identity. */
async function addPhone(client: ReturnType<typeof browser>, phone: string) {
  await client.phones.send({ phone });
  const { phone: added } = await client.phones.add({ phone, code: sms.lastCode(phone)! });
  return added;
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
  it('signs in by email code, returns the signed-in user, and signs out', async () => {
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

  it('signs in by the code of a mailed link, and by the link that the user has confirmed', async () => {
    const [client, elsewhere] = [browser(), browser()];
    const address = { email: 'liz@example.com' };
    expect((await client.magicLink.send(address)).codeExpiresAt).toBeInstanceOf(Date);
    const { user } = await client.magicLink.verifyCode({ ...address, code: mail.lastCode(address.email)! });
    await client.magicLink.send(address);
    const token = new URL(mail.lastLink(address.email)!).searchParams.get('token')!;
    expect(await elsewhere.magicLink.confirm({ token })).toEqual({ user, created: false });
    expect(await codeOf(elsewhere.magicLink.confirm({ token }))).toBe('token_invalid');
  });

  it('signs up and in with a password, and resets it with the mailed link or code', async () => {
    const client = browser();
    const person = { email: 'bob@example.com', password };
    const { user } = await client.password.signup(person);
    expect(await codeOf(client.password.signup(person))).toBe('email_exists');
    expect(await client.password.login(person)).toEqual({ user });
    expect(await client.password.requestReset({ email: person.email })).toEqual({ sent: true });
    await test.service.close();
    const token = new URL(test.mail.lastLink(person.email)!).searchParams.get('token')!;
    const reset = await client.password.reset({ token, newPassword: 'battery staple' });
    expect(reset.user.id).toBe(user!.id);
    expect(await codeOf(client.password.login(person))).toBe('invalid_credentials');
    await client.password.requestReset({ email: person.email });
    await test.service.close();
    const code = test.mail.lastCode(person.email)!;
    const byCode = { email: person.email, code, newPassword: 'correct battery' };
    expect((await client.password.reset(byCode)).user.id).toBe(user!.id);
    expect(await codeOf(client.password.reset(byCode))).toBe('code_not_found');
    expect(await codeOf(client.password.reset({ ...byCode, newPassword: 'password1' }))).toBe(
      'weak_password',
    );
  });

  it('signs up without revealing accounts, and confirms with the mailed code', async () => {
    const client = browser(privatePath);
    const person = { email: 'priya@example.com', password };
    const { user, expiresAt } = await client.password.signup(person);
    expect([user, expiresAt]).toEqual([undefined, expect.any(Date)]);
    expect(await client.password.resendSignup()).toEqual({ expiresAt: expect.any(Date) });
    const finished = await client.password.finishSignup({ code: mail.lastCode(person.email)! });
    expect(finished).toMatchObject({ created: true, user: { email: person.email, emailVerified: true } });
    expect((await client.session()).user?.id).toBe(finished.user.id);
  });

  it('completes a sign-up with the fields of the application, after the mailed code', async () => {
    const client = browser(fieldsPath);
    const person = { email: 'fay@example.com' };
    await client.emailCode.send(person);
    const code = mail.lastCode(person.email)!;
    const refused = (await client.emailCode
      .verify({ ...person, code })
      .catch((error: unknown) => error)) as AuthClientError;
    expect(refused).toMatchObject({ code: 'fields_required', status: 403 });
    const faulty = (await client.signUp
      .complete({ fields: {} })
      .catch((error: unknown) => error)) as AuthClientError;
    expect(faulty).toMatchObject({ reason: 'field_invalid', issues: [{ field: 'fields.company' }] });
    const finished = await client.signUp.complete({ fields: { company: 'Acme' } });
    expect(finished).toMatchObject({ created: true, user: { ...person, metadata: { company: 'Acme' } } });
    expect((await client.session()).user?.id).toBe(finished.user.id);
  });

  it('signs up with a user name, verifies the address, and signs in by the user name', async () => {
    const client = browser();
    const person = { email: 'uma@example.com', password };
    const { user } = await client.password.signup({ ...person, username: 'Uma' });
    expect(await client.username.get()).toEqual({ username: 'Uma' });
    await client.password.sendVerification();
    const code = mail.lastCode(person.email)!;
    expect((await client.password.verifyEmail({ code })).user).toMatchObject({ emailVerified: true });
    expect(await client.password.sendVerification()).toEqual({ expiresAt: null });
    expect(await client.username.update({ username: 'Uma.Lee' })).toEqual({ username: 'Uma.Lee' });
    const elsewhere = browser();
    const signedIn = await elsewhere.password.login({ username: 'uma.lee', password });
    expect(signedIn.user.id).toBe(user!.id);
    expect(await codeOf(elsewhere.username.update({ username: 'admin' }))).toBe('invalid_request');
  });

  it('lists the applications with access to the account, and removes one', async () => {
    const client = browser();
    const { user } = await signInByCode(client, 'apps@example.com');
    const now = new Date(test.clock.now());
    const clientId = 'https://notes.test/client.json';
    const grant = {
      ...{ id: unknownId, userId: user.id, clientId, epoch: 0, scopes: { [resource]: ['notes:read'] } },
      ...{ renewal: null, counter: 0, rotatedAt: now, createdAt: now, lastUsedAt: now },
      expiresAt: new Date(test.clock.now() + 60_000),
    };
    const { oauthServer } = test.adapter;
    const document = { kind: 'document', metadata: {}, createdAt: now, expiresAt: null } as const;
    await oauthServer!.insertClient({ ...document, id: clientId });
    expect(await oauthServer!.insertGrant(grant, now)).toBe(true);
    const { apps } = await client.connectedApps.list();
    const scopes = [{ resource, name: 'notes:read', description: 'Read your notes' }];
    const app = { clientId, name: clientId, host: 'notes.test', createdAt: now, lastUsedAt: now };
    expect(apps).toEqual([{ ...app, scopes }]);
    const { activity } = await client.activity.get({ limit: 1 });
    expect(activity).toMatchObject([
      { action: 'session.created', by: 'user', count: 1, at: expect.any(Date) },
    ]);
    expect(await client.connectedApps.remove(clientId)).toEqual({ ok: true });
    expect(await client.connectedApps.list()).toEqual({ apps: [] });
  });

  it('enrolls a second factor, uses it at the next sign-in, and removes it', async () => {
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
    const { recoveryCodesLeft } = await elsewhere.mfa.verify({ recoveryCode: recoveryCodes[0]! });
    expect(recoveryCodesLeft).toBe(9);
    expect(await elsewhere.totp.state()).toEqual({ enabled: true, recoveryCodesLeft: 9 });
    expect(await elsewhere.totp.disable()).toEqual({ ok: true });
  });

  it('adds an app and codes by email, chooses between them, and trusts a browser', async () => {
    const client = browser();
    const person = { email: 'eli@example.com', password };
    await client.password.signup(person);
    await client.password.sendVerification();
    await client.password.verifyEmail({ code: mail.lastCode(person.email)! });
    const codeOfNew = async () => codeAt((await client.totp.enroll()).secret, test.clock.now());
    const first = await client.totp.addApp({ code: await codeOfNew(), name: 'Phone' });
    expect(first.recoveryCodes).toHaveLength(10);
    const second = await client.totp.addApp({ code: await codeOfNew() });
    expect(second).toEqual({ app: { ...second.app, name: null, lastUsedAt: null } });
    await client.totp.renameApp(second.app.id, { name: 'Tablet' });
    expect((await client.totp.apps()).apps.map(({ name }) => name)).toEqual(['Phone', 'Tablet']);
    await client.totp.removeApp(first.app.id);
    await client.secondFactor.enableEmail();
    await client.secondFactor.prefer({ method: 'email' });
    const methods = ['totp', 'email', 'recovery'];
    const state = { enabled: true, email: true, methods, preferred: 'email' };
    expect(await client.secondFactor.state()).toEqual(state);

    const elsewhere = browser();
    const refused = elsewhere.password.login(person);
    await expect(refused).rejects.toMatchObject({ code: 'mfa_required', methods, preferred: 'email' });
    const expiresAt = expect.any(Date) as Date;
    expect(await elsewhere.mfa.methods()).toEqual({ methods, preferred: 'email', expiresAt });
    await elsewhere.mfa.email.send();
    await elsewhere.mfa.email.verify({ code: mail.lastCode(person.email)!, trustBrowser: true });
    await elsewhere.logout();
    expect((await elsewhere.password.login(person)).user.email).toBe(person.email);
    const { trustedBrowsers } = await elsewhere.trustedBrowsers.list();
    expect(trustedBrowsers).toMatchObject([{ current: true, lastUsedAt: expect.any(Date) }]);
    await elsewhere.trustedBrowsers.revoke(trustedBrowsers[0]!.id);
    expect(await elsewhere.trustedBrowsers.list()).toEqual({ trustedBrowsers: [] });
    const trustAnother = async () => {
      const another = browser();
      expect(await codeOf(another.password.login(person))).toBe('mfa_required');
      await another.mfa.email.send();
      await another.mfa.email.verify({ code: mail.lastCode(person.email)!, trustBrowser: true });
      await another.logout();
      return (await elsewhere.trustedBrowsers.list()).trustedBrowsers;
    };
    const [trusted] = await trustAnother();
    const { devices } = await elsewhere.devices.listAll();
    expect(devices).toContainEqual(expect.objectContaining({ kind: 'trusted_browser', id: trusted!.id }));
    expect(await elsewhere.devices.revokeAny('trusted_browser', trusted!.id)).toEqual({ ok: true });
    expect(await elsewhere.trustedBrowsers.list()).toEqual({ trustedBrowsers: [] });
    expect(await trustAnother()).toHaveLength(1);
    expect(await elsewhere.trustedBrowsers.revokeAll()).toEqual({ ok: true });
    expect(await elsewhere.trustedBrowsers.list()).toEqual({ trustedBrowsers: [] });
    // A session of a trusted browser has one factor, so it changes none.
    expect(await codeOf(elsewhere.secondFactor.disableEmail())).toBe('reauth_required');
    await client.secondFactor.disableEmail();
  });

  it('signs up with a passkey, names it, and uses it as the second factor', async () => {
    const authenticator = softwareAuthenticator({ origin: 'https://app.test' });
    const passkeys = browserPasskeys(authenticator);
    closing.push(() => passkeys.remove());
    const client = browser();
    const address = 'joan@example.com';
    await client.passkeys.signupSend({ email: address });
    const code = mail.lastCode(address)!;
    const { user, created } = await client.passkeys.signup({ email: address, code, name: 'Phone' });
    expect([created, user.email, user.emailVerified]).toEqual([true, address, true]);
    const [passkey] = (await client.passkeys.list()).passkeys;
    expect(passkey).toMatchObject({ name: 'Phone', lastUsedFrom: null });
    const renamed = await client.passkeys.update(passkey!.id, { name: 'Work phone' });
    expect(renamed.passkey).toEqual({ ...passkey, name: 'Work phone' });

    const { secret } = await client.totp.enroll();
    await client.totp.confirm({ code: codeAt(secret, test.clock.now()) });
    const elsewhere = browser();
    await elsewhere.emailCode.send({ email: address });
    const login = elsewhere.emailCode.verify({ email: address, code: mail.lastCode(address)! });
    await expect(login).rejects.toMatchObject({
      code: 'mfa_required',
      methods: expect.arrayContaining(['passkey']),
    });
    expect((await elsewhere.mfa.passkey.authenticate()).user).toMatchObject({ id: user.id });
    expect((await elsewhere.passkeys.list()).passkeys[0]?.lastUsedFrom).not.toBeNull();

    // The last of several ceremonies that begin at the same time wins; a signal ends a ceremony.
    const first = codeOf(elsewhere.passkeys.authenticate({ autofill: true }));
    const second = elsewhere.passkeys.authenticate();
    expect([await first, (await second).user.id]).toEqual(['passkey_cancelled', user.id]);
    const signal = AbortSignal.abort();
    expect(await codeOf(elsewhere.passkeys.authenticate({ signal }))).toBe('passkey_cancelled');
    passkeys.remove();
  });

  it('registers a passkey and signs in with it, by a button and by autofill', async () => {
    const authenticator = softwareAuthenticator();
    const passkeys = browserPasskeys(authenticator);
    closing.push(() => passkeys.remove());
    const client = browser();
    const { user } = await client.password.signup({ email: 'dot@example.com', password });
    expect(await client.passkeys.support()).toEqual({
      available: true,
      autofill: true,
      automatic: false,
    });
    const { passkey } = await client.passkeys.register();
    expect(await client.passkeys.signals()).toMatchObject({
      userId: Buffer.from(passkey.userId).toString('base64url'),
      credentialIds: [passkey.id],
    });
    expect(passkey).toMatchObject({ id: authenticator.credentials[0]!.id, createdAt: expect.any(Date) });

    const elsewhere = browser();
    expect(await elsewhere.passkeys.authenticate()).toEqual({ user });
    expect(passkeys.requests.at(-1)).not.toHaveProperty('mediation');
    expect(await elsewhere.passkeys.authenticate({ autofill: true })).toEqual({ user });
    expect(passkeys.requests.at(-1)).toMatchObject({ mediation: 'conditional' });
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

  it('lists devices, signs out one, and signs out all others', async () => {
    const person = { email: 'eve@example.com', password };
    const [here, ...others] = [browser(), browser(), browser(), browser()];
    await here.password.signup(person);
    for (const each of others) await each.password.login(person);
    const { familyId } = await here.token.issue();
    const { devices } = await here.devices.list();
    expect(devices).toHaveLength(4);
    expect(devices[0]).toMatchObject({ lastSeenAt: expect.any(Date), revokedAt: null });
    const all = await here.devices.listAll({ limit: 2 });
    expect(all.devices[0]).toMatchObject({ kind: 'browser', createdAt: expect.any(Date) });
    const [first, second] = devices.filter(({ current }) => !current);
    const left = async () => (await here.devices.listAll()).devices.map(({ kind }) => kind).sort();
    expect(await left()).toEqual(['app', 'browser', 'browser', 'browser', 'browser']);
    expect(await here.devices.revokeAny('app', familyId)).toEqual({ ok: true });
    expect(await left()).toEqual(['browser', 'browser', 'browser', 'browser']);
    expect(await here.devices.revokeAny('browser', first!.id)).toEqual({ ok: true });
    expect(await here.devices.revoke(second!.id)).toEqual({ ok: true });
    expect(await left()).toEqual(['browser', 'browser']);
    expect(await here.devices.revokeOthers()).toEqual({ ok: true });
    expect(await left()).toEqual(['browser']);
    for (const each of others) expect(await each.session()).toEqual({ user: null });
  });
});

describe('The client, for bearer sessions,', () => {
  it('refreshes a session', async () => {
    const client = browser();
    const email = 'ivy@example.com';
    await client.password.signup({ email, password });
    const context = { startSession: true, bearer: true };
    const { refreshToken } = (await test.service.emailPassword.login({ email, password }, context)).bearer!;
    expect((await client.refreshSession({ refreshToken })).accessExpiresAt).toBeInstanceOf(Date);
  });
});

describe('The client, for Pro routes,', () => {
  it('signs in by text message, and lists and removes identities', async () => {
    const client = browser();
    const phone = '+436601234567';
    expect((await client.phone.send({ phone })).expiresAt).toBeInstanceOf(Date);
    const { created } = await client.phone.verify({ phone, code: sms.lastCode(phone)! });
    expect(created).toBe(true);
    const second = '+436601234568';
    expect((await client.phones.send({ phone: second })).expiresAt).toBeInstanceOf(Date);
    const added = await client.phones.add({ phone: second, code: sms.lastCode(second)! });
    expect((await client.phones.list()).phones).toContainEqual(added.phone);
    expect(await client.phones.remove(added.phone.id)).toEqual({ ok: true });
    const { identities } = await client.identities.list();
    expect(identities).toEqual([expect.objectContaining({ provider: 'phone', providerAccountId: phone })]);
    expect(await client.identities.remove(unknownId)).toEqual({ ok: true });
    const third = await addPhone(client, '+436601234569');
    expect(await client.identities.remove(third.id)).toEqual({ ok: true });
    expect((await client.identities.list()).identities).toEqual(identities);
  });

  it('starts to link an account at a provider', async () => {
    const client = browser();
    await client.password.signup({ email: 'flo@example.com', password });
    const { url } = await client.oauth.link('acme', { state: 'here' });
    expect((await client.google.link({ state: 'here' })).url).toMatch(`${idp.issuer}/`);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:9\/authorize\?/);
    expect(client.oauth.startUrl('acme')).toBe(`${origin}${basePath}/oauth/acme/start`);
  });

  it('issues, refreshes and revokes tokens', async () => {
    const client = browser();
    await client.password.signup({ email: 'gus@example.com', password });
    const first = await client.token.issue({ device: { name: 'phone' } });
    expect(first.refreshExpiresAt.getTime()).toBeGreaterThan(first.accessExpiresAt.getTime());
    const { refreshToken } = await client.token.refresh({ refreshToken: first.refreshToken });
    const other = await client.token.issue({ device: { name: 'watch' } });
    expect(await client.tokens.revoke(other.familyId)).toEqual({ ok: true });
    const { families } = await client.tokens.list();
    expect(families).toEqual([
      {
        id: first.familyId,
        device: expect.objectContaining({ name: 'phone' }),
        createdAt: expect.any(Date),
        lastUsedAt: expect.any(Date),
        expiresAt: first.refreshExpiresAt,
        current: false,
      },
    ]);
    expect(await client.token.revoke({ refreshToken })).toEqual({ ok: true });
    expect(await codeOf(client.token.refresh({ refreshToken }))).toBe('refresh_token_invalid');
  });

  it('creates a guest', async () => {
    const client = browser();
    const { user, created } = await client.guest.create();
    expect([created, user.email]).toEqual([true, null]);
    expect(await client.guest.create()).toEqual({ user, created: false });
  });

  it('upgrades a guest by a code or by a password', async () => {
    const [one, two] = [browser(), browser()];
    const { user } = await one.guest.create();
    const address = 'kai@example.com';
    await one.guest.sendUpgrade({ email: address });
    const upgraded = await one.guest.upgrade({ email: address, code: mail.lastCode(address)! });
    expect(upgraded.user).toMatchObject({ id: user.id, email: address, emailVerified: true });
    await two.guest.create();
    const other = await two.guest.upgrade({ email: 'lea@example.com', password });
    expect(other.user.emailVerified).toBe(false);
  });

  it('verifies and changes an address, changes a password, exports the data and deletes the account', async () => {
    const client = browser();
    const [first, second] = ['mia@example.com', 'mia@example.org'];
    await client.password.signup({ email: first, password });
    expect((await client.account.sendVerification()).expiresAt).toBeInstanceOf(Date);
    const verified = await client.account.verifyEmail({ code: mail.lastCode(first)! });
    expect(verified.user.emailVerified).toBe(true);
    expect(await client.account.sendVerification()).toEqual({ expiresAt: null });
    const newPassword = 'battery staple';
    await client.account.changePassword({ currentPassword: password, newPassword });
    expect((await client.account.changeEmail({ email: second })).currentCodeSent).toBe(true);
    const codes = { code: mail.lastCode(second)!, currentCode: mail.lastCode(first)! };
    const { user } = await client.account.confirmEmail({ email: second, ...codes });
    expect(user.email).toBe(second);
    const named = await client.account.changeProfile({ name: 'Ada Lovelace', picture: null });
    expect(named.user.metadata).toMatchObject({ name: 'Ada Lovelace' });
    expect(await client.account.setLanguage({ language: 'de' })).toEqual({ language: 'de' });
    expect(await client.account.get()).toMatchObject({ hasPassword: true, isGuest: false, language: 'de' });
    const data = await client.account.export();
    expect(data).toMatchObject({ version: 1, exportedAt: expect.any(Date), user: { id: user.id } });
    expect(data.user.metadata).toEqual(named.user.metadata);
    expect(data.sessions[0]!.createdAt).toBeInstanceOf(Date);
    expect(await client.account.remove()).toMatchObject({ ok: true, passkeys: { rpId: 'app.test' } });
    expect(await client.session()).toEqual({ user: null });
  });

  it('creates and revokes API keys', async () => {
    const client = browser();
    await signInByCode(client, 'hal@example.com');
    const expiresAt = new Date(test.clock.now() + 86_400_000);
    const { key, record } = await client.apiKeys.create({ name: 'ci', scopes: ['read'], expiresAt });
    expect(key).toMatch(/^svc_/);
    expect(record.expiresAt).toEqual(expiresAt);
    expect(await client.apiKeys.list()).toEqual({ apiKeys: [record], nextCursor: null });
    expect(await client.apiKeys.remove(record.id)).toEqual({ ok: true });
    expect((await client.apiKeys.list()).apiKeys[0]!.revokedAt).toBeInstanceOf(Date);
  });

  it('creates an organization, invites a user, and changes the role of the member', async () => {
    const [owner, member] = [browser(), browser()];
    const address = 'jo@example.com';
    await signInByCode(owner, 'ida@example.com');
    const { user } = await signInByCode(member, address);
    const { org } = await owner.orgs.create({ name: 'Acme', slug: 'acme' });
    const { invite } = await owner.orgs.invites.create(org.id, { email: address, role: 'member' });
    expect(invite).toMatchObject({ email: address, acceptedAt: null });
    // Two invites of the same millisecond have no defined order.
    test.clock.advance(1);
    const other = await owner.orgs.invites.create(org.id, { email: 'kim@example.com' });
    expect(await owner.orgs.invites.list('acme')).toEqual({
      invites: [invite, other.invite],
      nextCursor: null,
    });
    const { nextCursor } = await owner.orgs.invites.list('acme', { limit: 1 });
    expect((await owner.orgs.invites.list('acme', { cursor: nextCursor!, limit: 1 })).invites).toEqual([
      other.invite,
    ]);
    expect(await owner.orgs.invites.remove(org.id, other.invite.id)).toEqual({ ok: true });
    expect((await owner.orgs.invites.list(org.id)).invites).toEqual([invite]);
    const token = new URL(mail.lastLink(address)!).searchParams.get('token')!;
    expect(await browser().orgs.invites.preview({ token })).toEqual({
      organization: { name: org.name, slug: org.slug },
      inviter: 'i***@example.com',
      email: 'j***@example.com',
      role: 'member',
      expiresAt: invite.expiresAt,
    });
    expect(await member.orgs.invites.preview({ token })).toMatchObject({ inviter: 'ida@example.com' });
    expect(await member.orgs.invites.decline({ token })).toEqual({ ok: true });
    expect(await codeOf(member.orgs.invites.accept({ token }))).toBe('token_invalid');
    test.clock.advance(1);
    await owner.orgs.invites.create(org.id, { email: address, role: 'member' });
    const again = new URL(mail.lastLink(address)!).searchParams.get('token')!;
    expect((await member.orgs.invites.accept({ token: again })).membership.userId).toBe(user.id);
    const { membership } = await owner.orgs.members.update(org.slug, user.id, { role: 'admin' });
    expect(membership).toMatchObject({ role: 'admin', createdAt: expect.any(Date) });
    expect((await member.orgs.get('acme')).org).toEqual(org);
    const { org: renamed } = await owner.orgs.update('acme', { name: 'Acme Works' });
    expect(renamed).toEqual({ ...org, name: 'Acme Works', updatedAt: expect.any(Date) });
    expect((await member.orgs.list()).orgs).toHaveLength(1);
    expect((await member.orgs.members.list(org.id)).members).toHaveLength(2);

    const { record } = await owner.orgs.apiKeys.create(org.id, { name: 'deploy' });
    expect((await owner.orgs.apiKeys.list(org.id)).apiKeys).toEqual([record]);
    expect(await owner.orgs.apiKeys.remove(org.id, record.id)).toEqual({ ok: true });
    expect(await owner.orgs.members.remove(org.id, user.id)).toEqual({ ok: true });
    expect(await codeOf(member.orgs.get(org.id))).toBe('not_authorized');
    expect(await owner.orgs.remove(org.id)).toEqual({ ok: true });
  });
});

describe('The client, for the admin routes,', () => {
  it('lists, counts, creates, invites, changes, signs out, blocks and unblocks users', async () => {
    const client = browser();
    await client.password.signup({ email: 'root@example.com', password });
    const { users } = client.admin;
    const createdAfter = new Date(test.clock.now());
    const { user } = await users.create({ email: 'new@example.com', password, roles: ['staff'] });
    expect(user).toMatchObject({ roles: ['staff'], hasPassword: true, createdAt: expect.any(Date) });
    expect(await users.list({ role: 'staff', blocked: false, createdAfter, limit: 1 })).toEqual({
      users: [user],
      nextCursor: null,
    });
    expect(await users.count({ role: 'staff', search: null })).toEqual({ count: 1 });
    expect(await users.count({ role: 'staff', blocked: true })).toEqual({ count: 0 });
    expect(await client.admin.statistics.read({ range: 'year' })).toMatchObject({ range: 'year' });
    expect(await users.get(user.id)).toEqual({ user });
    const invited = await users.invite({ email: 'invited@example.com' });
    expect(invited).toMatchObject({ created: true, expiresAt: expect.any(Date) });
    const update = { mergeMetadata: { plan: 'pro' }, ifUpdatedAt: user.updatedAt };
    expect((await users.update(user.id, update)).user.metadata).toEqual({ plan: 'pro' });
    expect((await users.setPassword(user.id, { password: 'battery staple' })).user.id).toBe(user.id);
    expect(await users.signOut(user.id)).toEqual({ ok: true });
    const until = new Date(test.clock.now() + 60_000);
    expect((await users.block(user.id, { reason: 'Spam', until })).user.blocked).toEqual({
      at: expect.any(Date),
      until,
      reason: 'Spam',
    });
    expect((await users.block(user.id)).user.blocked).toMatchObject({ until: null, reason: null });
    expect((await users.unblock(user.id)).user.blocked).toBeNull();
    expect(await client.admin.lockdown({ userId: user.id })).toEqual({ users: 1 });
    expect(await codeOf(users.get(unknownId))).toBe('user_not_found');
  });

  it('lists and ends what belongs to a user, and deletes the user', async () => {
    const client = browser();
    await client.password.signup({ email: 'chief@example.com', password });
    const person = browser();
    const { user } = await signInByCode(person, 'subject@example.com');
    const { users } = client.admin;
    const { id } = user;
    const { secret } = await person.totp.enroll();
    await person.totp.confirm({ code: codeAt(secret, test.clock.now()) });
    const phone = await addPhone(person, '+436601234570');
    const { record } = await person.apiKeys.create({ name: 'CI' });
    const { familyId } = await person.token.issue();
    const { org } = await person.orgs.create({ name: 'Acme', slug: 'acme-of-the-subject' });
    await test.service.orgs.addMember(org.id, (await client.session()).user!.id, 'owner');
    const { challenge, options } = await test.service.webauthn.startRegistration(id);
    const response = softwareAuthenticator({ origin: 'https://app.test' }).create(options);
    await test.service.webauthn.finishRegistration({
      userId: id,
      response: response,
      expectedChallenge: challenge,
    });

    const { sessions } = await users.sessions.list(id, { limit: 10 });
    expect(sessions).toEqual([expect.objectContaining({ userId: id, createdAt: expect.any(Date) })]);
    expect(await users.sessions.revoke(id, sessions[0]!.id)).toEqual({ ok: true });
    expect(await person.session()).toEqual({ user: null });
    expect((await users.tokens.list(id)).families).toMatchObject([{ id: familyId }]);
    expect(await users.tokens.revoke(id, familyId)).toEqual({ ok: true });
    expect((await users.tokens.list(id)).families).toEqual([]);
    expect((await users.identities.list(id)).identities).toMatchObject([{ id: phone.id, provider: 'phone' }]);
    expect(await users.identities.remove(id, phone.id)).toEqual({ ok: true });
    expect(await users.identities.list(id)).toEqual({ identities: [] });
    const { passkeys } = await users.passkeys.list(id);
    expect(await users.passkeys.remove(id, passkeys[0]!.id)).toEqual({ ok: true });
    expect(await users.totp.state(id)).toEqual({ enabled: true, recoveryCodesLeft: 10 });
    expect(await users.totp.disable(id)).toEqual({ ok: true });
    expect(await users.totp.state(id)).toEqual({ enabled: false, recoveryCodesLeft: 0 });
    expect(await users.apiKeys.remove(id, record.id)).toEqual({ ok: true });
    expect((await users.apiKeys.list(id)).apiKeys).toMatchObject([{ revokedAt: expect.any(Date) }]);
    expect((await users.orgs.list(id)).orgs).toMatchObject([{ org: { id: org.id } }]);
    expect(await users.orgs.removeMember(id, org.id)).toEqual({ ok: true });
    expect((await users.orgs.list(id)).orgs).toEqual([]);
    expect(await users.remove(id)).toEqual({ ok: true });
    expect(await codeOf(users.get(id))).toBe('user_not_found');
    const { records } = await client.admin.audit.list({ userId: id, limit: 1 });
    const { id: chiefId } = (await client.session()).user!;
    const actors = [{ type: 'user', id: chiefId }];
    expect(records).toMatchObject([{ action: 'user.deleted', actors, origin: null, at: expect.any(Date) }]);
  });
});

/** Operations that change nothing of an account: they send a code or a link, begin a ceremony, or read. */
const unrecorded: readonly string[] = [
  'post /account/email',
  'post /account/verify-email/send',
  'post /email-code/send',
  'post /google/link',
  'post /guest/upgrade/send',
  'post /magic-link/send',
  'post /mfa/email/send',
  'post /mfa/passkey/start',
  'post /oauth/:name/link',
  'post /orgs/invites/preview',
  'post /passkeys/authenticate/autofill',
  'post /passkeys/authenticate/start',
  'post /passkeys/register/start',
  'post /passkeys/signup/send',
  'post /passkeys/signup/start',
  'post /password/request-reset',
  'post /password/signup/resend',
  'post /password/verify-email/send',
  'post /phone/link/send',
  'post /phone/send',
  // An enrollment counts when it is confirmed.
  'post /totp/enroll',
  // A token is replaced by its successor.
  'post /session/refresh',
  'post /token/refresh',
  // In the tour, of a service without the option.
  'post /password/signup/verify',
  'post /sign-up/complete',
];

const newAccount = 'a new account, and its session';
const newSession = 'a change that ends every session, and the session that continues';
const signIn = 'a session, and the one that it replaces';

/** Operations that make several changes, with a record each, and which. */
const several: Readonly<Record<string, string>> = {
  'delete /totp/apps/:id': newSession,
  'post /account/email/confirm': newSession,
  'post /account/password': newSession,
  'post /admin/users/invite': 'a new account, and the invite that was mailed',
  'post /devices/revoke-others': 'each session that ends, and the refresh families',
  'post /email-code/verify': newAccount,
  'post /guest': newAccount,
  'post /guest/upgrade': newSession,
  'post /magic-link/verify-code': newAccount,
  'post /mfa/email/verify': 'a session, and the trust in its browser',
  'post /mfa/verify': 'a session, the recovery code that was used, and the session that it replaces',
  'post /orgs': 'an organization, and its owner',
  'post /passkeys/authenticate/finish': signIn,
  'post /passkeys/signup/finish': 'a new account, its passkey, and its session',
  'post /password/login': signIn,
  'post /password/reset': 'a new password, and the claim of an unverified account',
  'post /password/signup': newAccount,
  'post /phone/verify': newAccount,
  'post /second-factor/email/disable': newSession,
  'post /second-factor/email/enable': newSession,
  'post /totp/apps': newSession,
  'post /totp/confirm': newSession,
  'post /totp/disable': newSession,
  'post /totp/recovery-codes': newSession,
};

describe('The audit log of the tour', () => {
  it('has one record with the id of the request for every operation that changes something', async () => {
    const actionsOf = new Map<string, string[]>();
    for await (const { action, requestId } of test.service.audit.tail({ follow: false }))
      if (requestId !== null) actionsOf.set(requestId, [...(actionsOf.get(requestId) ?? []), action]);
    const counts: Record<string, string[]> = {};
    for (const [requestId, operation] of operationOf) {
      if (operation.startsWith('get ')) continue;
      const actions = (actionsOf.get(requestId) ?? []).sort().join(' ');
      (counts[operation] ??= []).push(actions);
    }
    const most = (operation: string) =>
      Math.max(...counts[operation]!.map((actions) => (actions === '' ? 0 : actions.split(' ').length)));
    const wrong = Object.keys(counts).filter((operation) => {
      if (unrecorded.includes(operation)) return most(operation) !== 0;
      return operation in several ? most(operation) < 2 : most(operation) !== 1;
    });
    expect(Object.fromEntries(wrong.map((operation) => [operation, counts[operation]]))).toEqual({});
  });
});

describe('The tour', () => {
  it('has called every JSON route successfully', () => {
    const all = documentedRoutes
      .filter(({ response }) => response)
      .map((route) => `${route.method} ${route.path}`);
    expect(all.filter((route) => !succeeded.has(route))).toEqual([]);
  });
});
