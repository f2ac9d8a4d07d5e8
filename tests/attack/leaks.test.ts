/** That the scan for leaks sees what it is there for: one of each is planted where it must not be. */
import { randomBytes } from 'node:crypto';
import express from 'express';
import { codeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { openSite } from '../support/http-site.js';
import { rowSearch, takeLeaks, takeStoredSecrets } from '../support/leak-scan.js';
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

/** Everything that is secret of one user, as a service gave it or took it. */
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
    'a session token without a row': service.createSessionToken(userId).token,
    'a magic link': url,
    'its token': tokenOf(url),
    'the token of a reset': tokenOf(resetUrl),
    'an access token': accessToken,
    'a refresh token': refreshToken,
    'an API key': key,
    'the secret of an API key': key.split('_')[2]!,
    'an invite': invite.token,
    'the session of a guest': guest.token,
    'a TOTP secret': secret,
    'a recovery code': recoveryCodes[3]!,
    'a sign-in that waits for its second factor': pending!.token,
    'the secret of the sessions': testSecret,
    'the key of the encryption': encryptionKey,
  };
}

/** What the storage keeps of them. */
async function keptOf({ adapter }: TestService, email: string): Promise<Record<string, string>> {
  const user = (await adapter.users.findByEmail(email))!;
  const enrollment = (await adapter.totp!.find(user.id))!;
  const code = await adapter.oneTimeCodes.reserveAttempt('email_code', email, 5, new Date(0));
  return {
    'the hash of the password': user.passwordHash!,
    'the sealed TOTP secret': enrollment.secret!,
    ...(code.status === 'reserved' && { 'the hash of a code': code.code.codeHash }),
  };
}

/** Ways out of a service. Each lets a text out where it must not be. */
const waysOut: Record<string, (test: TestService, text: string, email: string) => Promise<unknown>> = {
  'a log line': async ({ config }, text) =>
    config.logger!.warn({ deep: [{ in: `it: ${text};` }] }, 'planted'),
  'the message of a log line': async ({ config }, text) => config.logger!.debug({}, text),
  async 'an event'({ service }, text) {
    const { tools } = service as unknown as { tools: { events: { emit(...args: unknown[]): void } } };
    tools.events.emit('user.created', { userId: text, method: 'planted' });
  },
  async 'an export'({ service, adapter }, text, email) {
    service.account.contribute(randomBytes(4).toString('hex'), {
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

/** A rejection with this very error. */
async function failing({ service }: TestService, error: Error): Promise<void> {
  const email = `planted-${randomBytes(4).toString('hex')}@example.com`;
  // Its own error reaches the caller as it is.
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

describe('the scan for leaks', () => {
  let test: TestService;
  let secrets: Record<string, string>;
  const email = 'ada@example.com';

  beforeEach(async () => {
    test = await makeService(overrides);
    secrets = { ...(await secretsOf(test, email)), ...(await keptOf(test, email)) };
    await test.service.close();
  });

  it('finds nothing where all of them were made and given to whom they belong', () => {
    expect(Object.keys(secrets)).toHaveLength(21);
    expect(takeLeaks()).toEqual([]);
    expect(takeStoredSecrets()).toEqual([]);
  });

  it.each(Object.entries(waysOut))('sees each kind of secret in %s', async (_name, leak) => {
    const unseen: string[] = [];
    for (const [kind, text] of Object.entries({ ...secrets, ...strangers })) {
      await leak(test, text, email);
      if (takeLeaks().length === 0) unseen.push(kind);
    }
    expect(unseen).toEqual([]);
  });

  it.each(Object.keys(waysOut))('sees nothing in %s that says nothing', async (name) => {
    for (const text of ['Ada Lovelace', '0190f6a0-0000-7000-8000-000000000001', '2026-01-02T03:04:05.678Z']) {
      await waysOut[name]!(test, text, email);
    }
    expect(takeLeaks()).toEqual([]);
  });

  it('sees what becomes a secret only after it was told: a code in the log of its own mail', async () => {
    const late = await makeService(overrides);
    late.leaks.look('the log (info)', { text: 'code 271828 is on its way' });
    expect(takeLeaks()).toEqual([]);
    late.leaks.look('the log (info)', { text: 'code 271828 is on its way' });
    late.leaks.learnMessage('Your code:\n\n271828\n');
    expect(takeLeaks()).toEqual(['the log (info), text: a code']);
  });

  it('sees each kind in an answer of a route: in its body, a header, a redirect', async () => {
    let planted = '';
    const site = await openSite(express, undefined, {
      pro: true,
      service: overrides,
      before: (app) =>
        app.get('/api/auth/planted/:where', ({ params }, res) => {
          // 404: what else answers of routes must be is not looked at.
          res.status(404);
          if (params.where === 'header') res.setHeader('X-Planted', encodeURIComponent(planted));
          if (params.where === 'redirect') res.setHeader('Location', `/?it=${encodeURI(planted)}`);
          if (params.where === 'body') res.json({ deep: { in: planted } });
          else res.end(params.where === 'text' ? planted : '');
        }),
    });
    const { user } = await site.signUp(email);
    expect(user.email).toBe(email);
    const own = await secretsOf(site, `another-${email}`);
    const unseen: string[] = [];
    for (const [kind, text] of Object.entries({ ...own, ...strangers })) {
      for (const where of ['body', 'text', 'header', 'redirect']) {
        // Spaces and signs are written otherwise in a URL.
        if (/[ $:=/]/.test(text) && (where === 'header' || where === 'redirect')) continue;
        planted = text;
        await site.get(`/planted/${where}`);
        if (takeLeaks().length === 0) unseen.push(`${kind} in the ${where}`);
      }
    }
    await site.close();
    expect(unseen).toEqual([]);
  });

  it('sees a session token in a body although a cookie may hold it', async () => {
    const site = await openSite(express, undefined, {
      before: (app) =>
        app.get('/api/auth/planted', (req, res) => void res.status(404).json({ it: req.headers.cookie })),
    });
    const { cookie } = await site.signUp();
    expect(takeLeaks()).toEqual([]);
    await site.get('/planted', { cookie });
    expect(takeLeaks()).toContain('the answer 404 of GET /planted, json.it: a JWT');
    await site.close();
  });
});

describeAdapters('what is stored', ({ make, person, sql }) => {
  it('is searched: raw secrets are seen, hashes and digests are at home there', async () => {
    const test = await make(overrides);
    const email = person();
    const secrets = await secretsOf(test, email);
    await test.service.close();
    expect([takeLeaks(), takeStoredSecrets()]).toEqual([[], []]);
    const unseen: string[] = [];
    for (const [kind, text] of Object.entries(secrets)) {
      const planted = await makeService({ ...overrides, adapter: test.adapter });
      // Known to the service that stores it, as it would be.
      planted.leaks.learnPhrase('planted', /[ ]/.test(text) ? text : undefined);
      if (/^\d+$/.test(text)) planted.leaks.learnCode(text);
      await planted.service.emailPassword.signup({
        email: person(),
        password: 'another one',
        metadata: { text },
      });
      const rows = await sql?.(`select to_jsonb(u)::text as row from svc_users u where metadata ? 'text'`);
      if (rows?.flatMap(({ row }) => rowSearch()('a row', String(row))).length === 0)
        unseen.push(`${kind} in a row`);
      // All tables take their time: once is enough.
      if (sql && kind === 'an invite') {
        expect(await storedSecrets(sql)).toEqual(['the table svc_users: what orgs.invite gave']);
      }
      if (sql) await sql("delete from svc_users where metadata ? 'text'");
      if ([...takeLeaks(), ...takeStoredSecrets()].length === 0) unseen.push(kind);
    }
    expect(unseen).toEqual([]);
  });
});
