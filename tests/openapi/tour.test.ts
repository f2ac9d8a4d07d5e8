// Every JSON route of both routers, called by the client on a licensed service, and each answer held against the OpenAPI document.
import express from 'express';
import { createAuthRouter, createProRouter } from 'svc-auth';
import { AuthClientError, createClient } from 'svc-auth/client';
import {
  mockIdentityProvider,
  outbox,
  smsOutbox,
  softwareAuthenticator,
  type MockIdentityProvider,
} from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { browserPasskeys } from '../support/browser-passkeys.js';
import { checkDescribed, describedRoutes } from '../support/described-answers.js';
import { callbackOf, clientOf, encryptionKey, everyProvider } from '../support/every-provider.js';
import { base, listen } from '../support/http-site.js';
import { license, nobody } from '../support/make-pro-service.js';
import { makeService, type TestService } from '../support/make-service.js';

const mail = outbox();
const texts = smsOutbox();

const email = 'ada@example.com';
const password = 'correct horse battery';

/** `post /path` of every call that succeeded. */
const succeeded = new Set<string>();
/** Where an answer was another than the document says. */
const faults: unknown[] = [];
const closing: (() => unknown)[] = [];
let idp: MockIdentityProvider;
let test: TestService;
let origin: string;

beforeAll(async () => {
  idp = await mockIdentityProvider({ redirectUri: callbackOf('/google') });
  test = await makeService({
    ...license,
    mail,
    encryptionKey,
    providers: everyProvider({ mail, texts }, { google: clientOf(idp) }),
  });
  const app = express();
  app.use(base, createAuthRouter(test.service), createProRouter(test.service));
  const server = await listen(app);
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  closing.push(
    () => server.close(),
    () => idp.close(),
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

/** A user with a verified address. */
async function signInByCode(client: ReturnType<typeof browser>, address: string) {
  await client.emailCode.send({ email: address });
  return client.emailCode.verify({ email: address, code: mail.lastCode(address)! });
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

describe('The client, for apps and programs,', () => {
  it('signs in by text message, and tells and removes identities', async () => {
    const client = browser();
    const phone = '+436601234567';
    expect((await client.phone.send({ phone })).expiresAt).toBeInstanceOf(Date);
    const { created } = await client.phone.verify({ phone, code: texts.lastCode(phone)! });
    expect(created).toBe(true);
    const { identities } = await client.identities.list();
    expect(identities).toEqual([expect.objectContaining({ provider: 'phone', providerAccountId: phone })]);
    expect(await client.identities.remove(nobody)).toEqual({ ok: true });
  });

  it('begins to link an account at a provider', async () => {
    const client = browser();
    await client.password.signup({ email: 'flo@example.com', password });
    const { url } = await client.oauth.link('acme', { state: 'here' });
    expect((await client.google.link({ state: 'here' })).url).toMatch(`${idp.issuer}/`);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:9\/authorize\?/);
    expect(client.oauth.startUrl('acme')).toBe(`${origin}${base}/oauth/acme/start`);
  });

  it('gets tokens, renews them and gives them back', async () => {
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

  it('is a guest', async () => {
    const client = browser();
    const { user, created } = await client.guest.create();
    expect([created, user.email]).toEqual([true, null]);
    expect(await client.guest.create()).toEqual({ user, created: false });
  });

  it('becomes a user, by a code or by a password', async () => {
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

  it('proves and changes an address, changes a password, and takes the data and the account away', async () => {
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
    expect(await client.account.get()).toEqual({ user, hasPassword: true, isGuest: false });
    const data = await client.account.export();
    expect(data).toMatchObject({ version: 1, exportedAt: expect.any(Date), user });
    expect(data.sessions[0]!.createdAt).toBeInstanceOf(Date);
    expect(await client.account.remove()).toEqual({ ok: true });
    expect(await client.session()).toEqual({ user: null });
  });

  it('makes and revokes keys', async () => {
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

  it('founds an organisation, invites somebody, and changes what they may', async () => {
    const [owner, member] = [browser(), browser()];
    const address = 'jo@example.com';
    await signInByCode(owner, 'ida@example.com');
    const { user } = await signInByCode(member, address);
    const { org } = await owner.orgs.create({ name: 'Acme', slug: 'acme' });
    const { invite } = await owner.orgs.invites.create(org.id, { email: address, role: 'member' });
    expect(invite).toMatchObject({ email: address, acceptedAt: null });
    // Of two of one millisecond either may be the older one.
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
    expect((await member.orgs.invites.accept({ token })).membership.userId).toBe(user.id);
    const { membership } = await owner.orgs.members.update(org.slug, user.id, { role: 'admin' });
    expect(membership).toMatchObject({ role: 'admin', createdAt: expect.any(Date) });
    expect((await member.orgs.get('acme')).org).toEqual(org);
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

describe('The tour', () => {
  it('has been to every JSON route, and each has answered as the document says', () => {
    const all = describedRoutes
      .filter(({ answer }) => answer)
      .map((route) => `${route.method} ${route.path}`);
    expect(all.filter((route) => !succeeded.has(route))).toEqual([]);
  });
});
