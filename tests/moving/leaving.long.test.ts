/** Leaving: everything of one database is exported, and everyone signs in on another one, with everything that they have. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import bcrypt from 'bcrypt';
import { createService, type ImportedUser, type Service } from 'svc-auth';
import { mockIdentityProvider, outbox, smsOutbox, softwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { runCommandLine } from '../support/command-line.js';
import { LeakScan } from '../support/leak-scan.js';
import { outcomeOf } from '../support/outcomes.js';
import { createDatabase, querySql, type TestDatabase } from '../support/postgres.js';
import { configOn } from './apps/leaving/config-on.js';
import { matches } from './apps/leaving/verify.js';
import { apps } from './support/application.js';
import { runCommands, runSql } from './support/commands.js';

const password = 'an old password of everyone';
/** bcrypt would compare the first 72 bytes only. */
const longPassword = `${'a passphrase of more than seventy-two bytes '.repeat(2)}, and its end`;
const encryptionKey = 'the key of the authenticator apps of acme';
const repository = path.resolve(import.meta.dirname, '../..');

describe('an application that leaves its database', () => {
  let database: TestDatabase;
  let google: Awaited<ReturnType<typeof mockIdentityProvider>>;
  let folder: string;
  const mails = outbox();
  const messages = smsOutbox();
  const open: Service[] = [];

  beforeAll(async () => {
    database = await createDatabase();
    google = await mockIdentityProvider();
    google.accounts.set('ada-1', { email: 'ada@acme.test', email_verified: true });
    mkdirSync(path.join(repository, '.data'), { recursive: true });
    folder = mkdtempSync(path.join(repository, '.data/leaving-'));
    for (const file of ['config-on.ts', 'users.config.ts'])
      copyFileSync(apps(`leaving/${file}`), path.join(folder, file));
  });
  afterAll(async () => {
    await Promise.all(open.map((service) => service.close()));
    await google.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function serviceOn(url: string): Promise<Service> {
    const service = createService(
      configOn(url, encryptionKey, {
        google: { ...google.client, issuer: google.issuer },
        emailPassword: { sender: mails },
        totp: { email: true, sender: mails },
        phoneOtp: { sender: messages, allowCountry: () => true },
      }),
    );
    open.push(service);
    await service.init();
    return service;
  }

  async function signInWithGoogle(service: Service): Promise<string> {
    const callback = await google.signIn(await service.google.getAuthUrl({ state: 'state' }), 'ada-1');
    const { user } = await service.google.handleCallback(callback.searchParams.get('code') ?? '');
    return user.id;
  }

  const recordsOf = (name: string) =>
    readFileSync(path.join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ImportedUser);

  test('takes every user with every way to sign in to another database', async () => {
    const old = await serviceOn(database.url);
    const { users } = old;
    const create = (name: string, more = {}) =>
      users.create({ email: `${name}@acme.test`, emailVerified: true, password, ...more });
    const ada = await create('ada', {
      externalId: 4711,
      username: 'ada',
      roles: ['editor'],
      metadata: { name: 'Ada', plan: 'pro' },
    });
    expect(await signInWithGoogle(old)).toBe(ada.id);
    const lea = await create('lea', { password: longPassword });
    const open2 = await users.create({ email: 'new@acme.test', password });
    const blocked = await create('mallory');
    await users.block(blocked.id, { reason: 'spam' });
    await old.sessionsProvider.createGuest();

    // Two authenticator apps, codes by email, recovery codes.
    const tim = await create('tim');
    const now = () => Date.now();
    const { secret } = await old.totp.beginEnrollment(tim.id);
    const { recoveryCodes } = await old.totp.confirmEnrollment(tim.id, codeAt(secret, now()));
    await old.secondFactor.enableEmail(tim.id);

    // A passkey, an API key, an organization.
    const pia = await create('pia');
    const authenticator = softwareAuthenticator({ origin: 'https://acme.test' });
    const registration = await old.webauthn.startRegistration(pia.id);
    await old.webauthn.finishRegistration({
      userId: pia.id,
      response: authenticator.create(registration.options),
      expectedChallenge: registration.challenge,
    });
    const { key } = await old.apiKeys.create({ userId: pia.id, name: 'CI', scopes: ['read'] });
    const { org } = await old.orgs.create({ name: 'Acme', slug: 'acme', ownerUserId: pia.id });
    await old.orgs.addMember(org.id, ada.id, 'member');

    // Users who had come from another system, and have not signed in since.
    const oldKey = 'sk_live_of_the_system_before';
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(oldKey))).toString('hex');
    await users.import(
      [
        {
          externalId: 'php-1',
          email: 'phil@acme.test',
          emailVerified: true,
          username: 'Phil of Accounting',
          phone: '+436601234567',
          phoneVerified: true,
          passwordHash: (await bcrypt.hash(password, 4)).replace('$2b$', '$2y$'),
          apiKeys: [{ digest, name: 'Old key' }],
          totp: {
            secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
            otherApps: [{ secret: 'KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU', name: 'Tablet' }],
          },
        },
      ],
      { anyUsername: true },
    );

    const leaks = new LeakScan();
    for (const value of [secret, longPassword, key]) leaks.learnPhrase('a secret of a user', value);
    const settings = {
      DATABASE_URL: database.url,
      NEW_DATABASE_URL: `file:${path.join(folder, 'new.db')}`,
      ENCRYPTION_KEY: encryptionKey,
    };
    const exported = await runCommands('leaving/export.sh', settings, { folder, leaks });
    expect(exported).toContain('Exported 7 users to users.jsonl.');
    expect(exported).toContain('WARNING');
    expect(statSync(path.join(folder, 'users.jsonl')).mode & 0o777).toBe(0o600);
    const imported = await runCommands('leaving/import.sh', settings, { folder, leaks });
    expect(imported).toContain('Imported 7 users.');

    const moved = await serviceOn(settings.NEW_DATABASE_URL);
    // What is exported there is what was imported.
    const everyone: unknown[] = [];
    for await (const user of moved.users.export()) everyone.push(JSON.parse(JSON.stringify(user)));
    expect(everyone).toEqual(recordsOf('users.jsonl'));

    const login = async (email: string, secretOfUser: string) =>
      (await moved.emailPassword.login({ email, password: secretOfUser })).user.id;
    expect(await login('ada@acme.test', password)).toBe(ada.id);
    expect((await moved.emailPassword.login({ username: 'ada', password })).user.id).toBe(ada.id);
    expect(await moved.users.find({ externalId: 4711 })).toMatchObject({
      id: ada.id,
      roles: ['editor'],
      metadata: { name: 'Ada', plan: 'pro' },
      createdAt: ada.createdAt,
    });
    expect(await signInWithGoogle(moved)).toBe(ada.id);
    expect(await login('lea@acme.test', longPassword)).toBe(lea.id);
    expect(await outcomeOf(() => login('lea@acme.test', longPassword.slice(0, -1)))).toBe(
      'invalid_credentials',
    );
    expect(await login('new@acme.test', password)).toBe(open2.id);
    expect(await moved.users.get(open2.id)).toMatchObject({ emailVerified: false });
    expect(await outcomeOf(() => login('mallory@acme.test', password))).toBe('user_blocked');
    const phil = await moved.users.find({ username: 'Phil of Accounting' });
    expect(await moved.users.find({ phone: '+436601234567' })).toEqual(phil);
    for (const app of ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU'])
      expect(await moved.totp.verify(phil?.id ?? '', codeAt(app, now()))).toBe(true);
    expect(await moved.apiKeys.verify(oldKey)).toMatchObject({ name: 'Old key', userId: phil?.id });

    // Every second step is passed in its way.
    const pending = async (email: string) => {
      const result = await moved.emailPassword.login({ email, password }, { startSession: true });
      expect(result.session).toBeUndefined();
      return result.pending?.token ?? '';
    };
    const tokenOfTim = await pending('tim@acme.test');
    const signedInWithApp = await moved.totp.finishSignIn({ token: tokenOfTim, code: codeAt(secret, now()) });
    expect(signedInWithApp.user.id).toBe(tim.id);
    const recoveryCode = recoveryCodes[0] ?? '';
    const withoutApp = { token: await pending('tim@acme.test'), recoveryCode };
    expect((await moved.totp.finishSignIn(withoutApp)).recoveryCodesLeft).toBe(9);
    const token = await pending('tim@acme.test');
    await moved.secondFactor.sendEmailCode({ token });
    const code = mails.lastCode('tim@acme.test') ?? '';
    expect((await moved.secondFactor.finishWithEmailCode({ token, code })).user.id).toBe(tim.id);
    expect(await pending('phil@acme.test')).not.toBe('');

    const { options, challenge } = await moved.webauthn.startAuthentication();
    const response = authenticator.get(options);
    const signedIn = await moved.webauthn.finishAuthentication({ response, expectedChallenge: challenge });
    expect(signedIn.user.id).toBe(pia.id);
    expect(await moved.apiKeys.verify(key)).toMatchObject({ userId: pia.id, scopes: ['read'] });
    expect(await moved.orgs.get(org.id)).toMatchObject({ name: 'Acme', slug: 'acme' });
    expect(await moved.orgs.roleOf(org.id, ada.id)).toBe('member');
    expect(await moved.orgs.roleOf(org.id, pia.id)).toBe('owner');

    // Another system verifies the hashes of both kinds.
    const rows = await querySql(database.url, readFileSync(apps('leaving/users.sql'), 'utf8'));
    const hashOf = (email: string) => String(rows.find((row) => row['email'] === email)?.['password_hash']);
    expect(rows).toHaveLength(7);
    expect(await matches(longPassword, hashOf('lea@acme.test'))).toBe(true);
    expect(await matches(`${longPassword}!`, hashOf('lea@acme.test'))).toBe(false);
    expect(await matches(password, hashOf('ada@acme.test'))).toBe(true);
    expect(await matches(password, hashOf('phil@acme.test'))).toBe(true);
    await runSql(database.url, 'leaving/belongings.sql');

    const again = await runCommands('leaving/import.sh', settings, { folder, leaks });
    expect(again).toContain('Imported 0 users. Added to 0 accounts; 7 were there already;');
  });

  test('creates its file only on purpose, and only when it is complete', async () => {
    const env = {
      ...process.env,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: 'another key, which has thirty-two bytes or more',
    };
    const run = (...args: string[]) => runCommandLine(['export', ...args], { folder, env });
    const isThere = (name: string) => existsSync(path.join(folder, name));
    const config = ['--config', 'users.config.ts'];

    expect(await run('--all')).toMatchObject({ code: 2, err: expect.stringContaining('--file') });
    expect(await run('--file', 'all.jsonl')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--all'),
    });
    writeFileSync(path.join(folder, 'mine.txt'), 'mine');
    const refused = await run('--all', '--file', 'mine.txt', ...config);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('exists') });
    expect(readFileSync(path.join(folder, 'mine.txt'), 'utf8')).toBe('mine');

    // The authenticator apps of the database were encrypted with another key, or the service has none.
    for (const more of [config, []]) {
      const failed = await run('--all', '--file', 'all.jsonl', ...more);
      expect(failed).toMatchObject({ code: 1, out: '', err: expect.stringContaining('does not decrypt') });
      expect(['all.jsonl', 'all.jsonl.part'].filter(isThere)).toEqual([]);
    }
    expect(await run('--all', '--file', 'none/all.jsonl', ...config)).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be created'),
    });
  });
});
