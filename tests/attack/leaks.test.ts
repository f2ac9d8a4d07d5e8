/** The leak scan detects what it is meant to detect: one secret of each kind is planted where it must not be. */
import { randomBytes } from 'node:crypto';
import express from 'express';
import { codeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { openSite } from '../support/http-site.js';
import { rowScanner, takeLeaks, takeStoredSecrets } from '../support/leak-scan.js';
import { license, proProviders } from '../support/make-pro-service.js';
import {
  cheapHasher,
  makeService,
  testSecret,
  type Overrides,
  type TestService,
} from '../support/make-service.js';
import { storedSecrets } from '../support/stored-secrets.js';
import { strangers } from './secret-forms.js';

const password = 'correct horse battery';

/** Returns every secret of one user, as a service issued or accepted it. */
async function secretsOf(test: TestService, email: string): Promise<Record<string, string>> {
  const { service, mail, clock } = test;
  const { user, session } = await service.emailPassword.signup({ email, password }, { startSession: true });
  const { id: userId } = user;
  await test.adapter.users.markEmailVerified(userId, new Date(clock.now()));
  await service.emailCode.sendCode({ email });
  const code = mail.lastCode(email)!;
  const { url } = await service.magicLink.sendLink({ email });
  await service.emailPassword.requestReset({ email });
  await service.close();
  const resetUrl = mail.lastLink(email)!;
  const { accessToken, refreshToken } = await service.refresh.issue({ userId });
  const { key } = await service.apiKeys.create({ userId, name: 'a key' });
  const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: userId });
  const invite = await service.orgs.invite({ orgId: org.id, email: `invited-${email}` });
  const guest = await service.sessionsProvider.createGuest();
  const { secret } = await service.totp.beginEnrollment(userId);
  const { recoveryCodes } = await service.totp.confirmEnrollment(userId, codeAt(secret, clock.now()));
  const { pending } = await service.emailPassword.login({ email, password }, { startSession: true });
  const tokenOf = (link: string) => new URL(link).searchParams.get('token')!;
  return {
    'the password': password,
    'a code': code,
    'a session token': session!.token,
    'a stateless session token': service.createSessionToken(userId).token,
    'a magic link': url,
    'the token of a magic link': tokenOf(url),
    'the token of a password reset': tokenOf(resetUrl),
    'an access token': accessToken,
    'a refresh token': refreshToken,
    'an API key': key,
    'the secret of an API key': key.split('_')[2]!,
    'an invite token': invite.token,
    'a guest session token': guest.token,
    'a TOTP secret': secret,
    'a recovery code': recoveryCodes[3]!,
    'a pending sign-in token': pending!.token,
    'the session secret': testSecret,
    'the encryption key': encryptionKey,
  };
}

/** Returns what the storage contains of these secrets. */
async function storedOf({ adapter }: TestService, email: string): Promise<Record<string, string>> {
  const user = (await adapter.users.findByEmail(email))!;
  const enrollment = (await adapter.totp!.find(user.id))!;
  const code = await adapter.oneTimeCodes.attempt({
    purpose: 'email_code',
    subject: email,
    codeHashes: [],
    maxAttempts: 5,
    now: new Date(0),
  });
  return {
    'the hash of the password': user.passwordHash!,
    'the sealed TOTP secret': enrollment.secret!,
    ...(code.status === 'wrong' && { 'the hash of a code': code.code.codeHash }),
  };
}

/** Outputs of a service. Each function writes a string to one of them. */
const outputs: Record<string, (test: TestService, text: string, email: string) => Promise<unknown>> = {
  'a log line': async ({ config }, text) =>
    config.logger!.warn({ deep: [{ in: `it: ${text};` }] }, 'planted'),
  'the message of a log line': async ({ config }, text) => config.logger!.debug({}, text),
  async 'an event'({ service }, text) {
    const { tools } = (
      service as unknown as { parts: { tools: { events: { emit(...args: unknown[]): void } } } }
    ).parts;
    tools.events.emit('user.created', { userId: text, method: 'planted' });
  },
  async 'an export'({ service, adapter }, text, email) {
    service.account.registerUserData(randomBytes(4).toString('hex'), {
      exportData: () => ({ list: [text] }),
    });
    await service.account.exportData((await adapter.users.findByEmail(email))!.id);
  },
  'the message of an error': (test, text) => failing(test, new Error(`no: ${text}`)),
  'a property of an error': (test, text) => failing(test, Object.assign(new Error('no'), { deep: { text } })),
  'a hidden property of an error': (test, text) =>
    failing(test, Object.defineProperty(new Error('no'), 'hidden', { value: Buffer.from(text) })),
  'the cause of an error': (test, text) =>
    failing(test, new Error('no', { cause: new Error('why', { cause: text }) })),
};

/** Makes a call reject with this very error. */
async function failing({ service }: TestService, error: Error): Promise<void> {
  const email = `planted-${randomBytes(4).toString('hex')}@example.com`;
  // The error of a hasher reaches the caller unchanged.
  toThrow.current = error;
  await service.emailPassword.login({ email, password: 'another one' }).catch(() => undefined);
  toThrow.current = undefined;
}
const toThrow: { current: Error | undefined } = { current: undefined };

const overrides: Overrides = {
  ...license,
  encryptionKey,
  rateLimit: { maxPerWindow: 1_000, login: false },
  providers: {
    ...proProviders,
    totp: true,
    emailPassword: {
      hasher: {
        hash: (plain) => cheapHasher().hash(plain),
        verify: (plain, hash) =>
          toThrow.current ? Promise.reject(toThrow.current) : cheapHasher().verify(plain, hash),
      },
    },
  },
};

describe('Leak scan', () => {
  let test: TestService;
  let secrets: Record<string, string>;
  const email = 'ada@example.com';

  beforeEach(async () => {
    test = await makeService(overrides);
    secrets = { ...(await secretsOf(test, email)), ...(await storedOf(test, email)) };
    await test.service.close();
  });

  it('reports nothing if secrets are only issued to their owners', () => {
    expect(Object.keys(secrets)).toHaveLength(21);
    expect(takeLeaks()).toEqual([]);
    expect(takeStoredSecrets()).toEqual([]);
  });

  it.each(Object.entries(outputs))('detects each kind of secret in %s', async (_name, leak) => {
    const undetected: string[] = [];
    for (const [kind, text] of Object.entries({ ...secrets, ...strangers })) {
      await leak(test, text, email);
      if (takeLeaks().length === 0) undetected.push(kind);
    }
    expect(undetected).toEqual([]);
  });

  it.each(Object.keys(outputs))('reports nothing in %s without a secret', async (name) => {
    for (const text of ['Ada Lovelace', '0190f6a0-0000-7000-8000-000000000001', '2026-01-02T03:04:05.678Z']) {
      await outputs[name]!(test, text, email);
    }
    expect(takeLeaks()).toEqual([]);
  });

  it('detects a code in the log of its own mail, although it becomes known only afterwards', async () => {
    const late = await makeService(overrides);
    late.leaks.scan('the log (info)', { text: 'code 271828 is on its way' });
    expect(takeLeaks()).toEqual([]);
    late.leaks.scan('the log (info)', { text: 'code 271828 is on its way' });
    late.leaks.learnMessage('Your code:\n\n271828\n');
    expect(takeLeaks()).toEqual(['the log (info), text: a code']);
  });

  it('detects each kind of secret in the body, a header or the redirect of a response', async () => {
    let planted = '';
    const site = await openSite(express, undefined, {
      pro: true,
      service: overrides,
      before: (app) =>
        app.get('/api/auth/planted/:where', ({ params }, res) => {
          // Status 404, since other statuses must match the OpenAPI document.
          res.status(404);
          if (params.where === 'header') res.setHeader('X-Planted', encodeURIComponent(planted));
          if (params.where === 'redirect') res.setHeader('Location', `/?it=${encodeURI(planted)}`);
          if (params.where === 'body') res.json({ deep: { in: planted } });
          else res.end(params.where === 'text' ? planted : '');
        }),
    });
    const { user } = await site.signUp(email);
    expect(user.email).toBe(email);
    const userSecrets = await secretsOf(site, `another-${email}`);
    const undetected: string[] = [];
    for (const [kind, text] of Object.entries({ ...userSecrets, ...strangers })) {
      for (const where of ['body', 'text', 'header', 'redirect']) {
        // Spaces and some signs are encoded in a URL.
        if (/[ $:=/]/.test(text) && (where === 'header' || where === 'redirect')) continue;
        planted = text;
        await site.get(`/planted/${where}`);
        if (takeLeaks().length === 0) undetected.push(`${kind} in the ${where}`);
      }
    }
    await site.close();
    expect(undetected).toEqual([]);
  });

  it('detects a session token in a body, although a cookie may contain it', async () => {
    const site = await openSite(express, undefined, {
      before: (app) =>
        app.get('/api/auth/planted', (req, res) => void res.status(404).json({ it: req.headers.cookie })),
    });
    const { cookie } = await site.signUp();
    expect(takeLeaks()).toEqual([]);
    await site.get('/planted', { cookie });
    expect(takeLeaks()).toContain('the response 404 of GET /planted, json.it: a JWT');
    await site.close();
  });
});

describeAdapters('Leak scan of stored rows', ({ make, uniqueEmail, sql }) => {
  it('detects raw secrets in stored rows, and accepts hashes and digests there', async () => {
    const test = await make(overrides);
    const email = uniqueEmail();
    const secrets = await secretsOf(test, email);
    await test.service.close();
    expect([takeLeaks(), takeStoredSecrets()]).toEqual([[], []]);
    const undetected: string[] = [];
    for (const [kind, text] of Object.entries(secrets)) {
      const planted = await makeService({ ...overrides, adapter: test.adapter });
      // Learned by the service that stores it, as in normal use.
      planted.leaks.learnPhrase('planted', /[ ]/.test(text) ? text : undefined);
      if (/^\d+$/.test(text)) planted.leaks.learnCode(text);
      await planted.service.emailPassword.signup({
        email: uniqueEmail(),
        password: 'another one',
        metadata: { text },
      });
      const rows = await sql?.(`select to_jsonb(u)::text as row from svc_users u where metadata ? 'text'`);
      if (rows?.flatMap(({ row }) => rowScanner()('a row', String(row))).length === 0)
        undetected.push(`${kind} in a row`);
      // Searching all tables is slow, so it is done once.
      if (sql && kind === 'an invite token') {
        expect(await storedSecrets(sql)).toEqual(['the table svc_users: a result of orgs.invite']);
      }
      if (sql) await sql("delete from svc_users where metadata ? 'text'");
      if ([...takeLeaks(), ...takeStoredSecrets()].length === 0) undetected.push(kind);
    }
    expect(undetected).toEqual([]);
  });
});
