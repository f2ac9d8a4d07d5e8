// `service.users.import`: what is stored, what is refused, and what happens with conflicts.
// cspell:ignore emial Conflcit JBSWY DPEHPK аdmin Jörg
import { createHash, randomUUID } from 'node:crypto';
import type { ImportedUser, ImportFault, ImportOptions, ImportReport } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';
import {
  cheapHash,
  equippedOldUser,
  importedPassword,
  importingConfig,
  oldUser,
} from '../support/imported-users.js';

const reasonsOf = ({ faults }: ImportReport) =>
  faults.map(({ index, reason, field }) => [index, reason, field]);

describeAdapters('users.import', (on) => {
  const { makePro } = proFixtures(on);
  const open = (options: object = {}) => makePro({ ...importingConfig(), ...options });
  const importInto = ({ service }: ProService, records: ImportedUser[], options?: ImportOptions) =>
    service.users.import(records, options);

  it('stores a user with everything that lets the user sign in', async () => {
    const test = await open();
    const { service } = test;
    const key = `sk_live_${randomUUID()}`;
    const digest = createHash('sha256').update(key).digest('hex');
    const record = equippedOldUser({
      lastSignInAt: 1_700_000_000_000,
      language: null,
      apiKeys: [{ name: 'CI', digest, prefix: 'sk_live_', scopes: ['read'] }],
    });
    const report = await service.users.import([record]);
    expect(report).toMatchObject({ read: 1, created: 1, refused: 0, skipped: 0, faults: [] });
    const user = await service.users.find({ externalId: String(record.externalId) });
    expect(user).toMatchObject({
      email: record.email,
      emailVerified: true,
      username: record.username,
      metadata: { plan: 'gold' },
      roles: ['editor'],
      hasPassword: true,
      twoFactor: true,
      createdAt: new Date('2019-03-04T05:06:07Z'),
      lastSignInAt: new Date(1_700_000_000_000),
    });
    const id = user!.id;
    const identities = await service.identities.list(id);
    expect(identities.map(({ provider }) => provider).sort()).toEqual(['google', 'phone']);
    expect(await service.totp.listApps(id)).toHaveLength(1);
    expect((await service.apiKeys.verify(key)).userId).toBe(id);
    await expect(service.apiKeys.verify(`${key}x`)).rejects.toMatchObject({ code: 'api_key_invalid' });
    const { memberships } = await service.orgs.listForUser(id, {});
    expect(memberships.map(({ org, role }) => [org.name, role])).toEqual([['Acme', 'owner']]);
    const credentials = { email: record.email!, password: importedPassword };
    const login = service.emailPassword.login(credentials, { startSession: true });
    expect(await login).toMatchObject({ pending: { methods: ['totp', 'recovery'] } });
    expect(await test.takeEvents()).toContainEqual({
      name: 'users.imported',
      payload: { created: [id], merged: [], renewed: [] },
    });
  });

  it('accepts the recovery codes of the old system, in any spelling, once', async () => {
    const { service } = await open();
    const record = equippedOldUser();
    await service.users.import([record]);
    const { id } = (await service.users.find({ externalId: String(record.externalId) }))!;
    expect(await service.totp.verifyRecoveryCode(id, 'A1B2 C3D4')).toBe(true);
    expect(await service.totp.verifyRecoveryCode(id, 'a1b2-c3d4')).toBe(false);
    expect(await service.totp.verifyRecoveryCode(id, '12345678')).toBe(true);
  });

  it('keeps a UUID as the id, and takes any other id as the external id', async () => {
    const test = await open();
    const uuid = randomUUID();
    await importInto(test, [
      oldUser({ id: uuid.toUpperCase(), externalId: null }),
      oldUser({ id: 42_000_001, externalId: null }),
    ]);
    expect((await test.service.users.get(uuid)).externalId).toBeNull();
    const other = await test.service.users.find({ externalId: '42000001' });
    expect(other?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('leaves users of an earlier import unchanged, whatever the records say now', async () => {
    const test = await open();
    const records = Array.from({ length: 7 }, () => equippedOldUser());
    expect(await importInto(test, records, { batchSize: 3 })).toMatchObject({ created: 7 });
    const again = records.map((record) => ({
      ...record,
      passwordHash: cheapHash('other'),
      roles: ['admin'],
    }));
    const report = await importInto(test, again, { batchSize: 2, onConflict: 'merge' });
    expect(report).toMatchObject({ read: 7, created: 0, unchanged: 7, faults: [] });
    const user = await test.service.users.find({ externalId: String(records[0]!.externalId) });
    expect(user?.roles).toEqual(['editor']);
  });

  it('refuses a record with its reason, and imports the others', async () => {
    const test = await open();
    const faulty: [unknown, string, string | undefined][] = [
      [{ emial: 'a@example.com' }, 'invalid_request', 'emial'],
      [{ email: 'not an address' }, 'email_invalid', 'email'],
      [{ username: 'has spaces in it' }, 'username_invalid', 'username'],
      [{ username: 'admin' }, 'username_reserved', 'username'],
      [{ phone: '0171 123', phoneVerified: true }, 'phone_invalid', 'phone'],
      [{ externalId: 'undefined' }, 'id_invalid', 'externalId'],
      [{ externalId: '' }, 'id_invalid', 'externalId'],
      [{ id: '00000000-0000-0000-0000-000000000000', externalId: null }, 'id_invalid', 'id'],
      [{ createdAt: 1_600_000_000 }, 'time_invalid', 'createdAt'],
      [{ createdAt: 'yesterday' }, 'time_invalid', 'createdAt'],
      [{ createdAt: '2023-02-29' }, 'time_invalid', 'createdAt'],
      [{ lastSignInAt: '2024-04-31T10:00:00+02:00' }, 'time_invalid', 'lastSignInAt'],
      [{ metadata: { __svc: 1 } }, 'metadata_invalid', 'metadata'],
      [{ roles: ['Not A Role'] }, 'roles_invalid', 'roles'],
      [{ language: 'klingon!' }, 'language_invalid', 'language'],
      [{ identities: [{ provider: 'google', providerAccountId: 1e21 }] }, 'identity_invalid', 'identities'],
      [{ totp: { secret: 'short' } }, 'totp_invalid', 'totp'],
      [{ totp: { secret: 'JBSWY3DPEHPK3PXP', recoveryCodes: ['1234'] } }, 'recovery_code_invalid', 'totp'],
      [{ passkeys: [{ id: '!', publicKey: 'AA' }] }, 'passkey_invalid', 'passkeys'],
      [{ apiKeys: [{ name: 'x', digest: 'abc' }] }, 'api_key_invalid', 'apiKeys'],
      [
        { memberships: [{ organization: { externalId: 1, name: '' }, role: 'owner' }] },
        'organization_invalid',
        'memberships',
      ],
      [
        { memberships: [{ organization: { externalId: 1, name: 'A' }, role: 'boss' }] },
        'invalid_request',
        'memberships',
      ],
      [{ email: null }, 'sign_in_missing', 'email'],
      [{ passwordHash: 'plain text' }, 'hash_unknown', 'passwordHash'],
      [{ passwordHash: { format: 'md5', hash: '' } }, 'hash_unknown', 'passwordHash'],
      [{ passwordHash: 7 }, 'invalid_request', 'passwordHash'],
    ];
    const records = faulty.map(([change]) => ({ ...oldUser(), ...(change as object) }));
    const all = [oldUser(), ...records, null, 'user', oldUser()] as ImportedUser[];
    const faults: ImportFault[] = [];
    const report = await importInto(test, all, { batchSize: 4, onFault: (fault) => void faults.push(fault) });
    expect(report).toMatchObject({ read: all.length, created: 2, refused: faulty.length + 2, faults: [] });
    expect(faults.slice(0, faulty.length).map(({ index, reason, field }) => [index, reason, field])).toEqual(
      faulty.map(([, reason, field], at) => [at + 1, reason, field]),
    );
    expect(JSON.stringify(faults)).not.toContain('cheap$');
  });

  it('refuses unknown options, wrong ones and records that are not a list by name', async () => {
    const { service } = await open();
    const refused = (records: unknown, options?: unknown) =>
      expect(service.users.import(records as never, options as never)).rejects;
    await refused([], { onConflcit: 'skip' }).toMatchObject({
      code: 'invalid_request',
      message: /onConflict/,
    });
    await refused([], { batchSize: 0 }).toMatchObject({ message: /batchSize/ });
    await refused([], { batchSize: 5_001 }).toMatchObject({ message: /batchSize/ });
    await refused([], { onConflict: 'replace' }).toMatchObject({ message: /onConflict/ });
    await refused('users').toMatchObject({ field: 'records' });
    await refused(undefined).toMatchObject({ field: 'records' });
    await refused(Promise.resolve([])).toMatchObject({ field: 'records' });
  });

  it('ends before the batch of a conflict by default, and has stored the batches before it', async () => {
    const test = await open();
    const email = on.uniqueEmail();
    await test.service.users.create({ email, emailVerified: true });
    const records = [oldUser(), oldUser(), oldUser(), oldUser({ email }), oldUser()];
    const error = await importInto(test, records, { batchSize: 2 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'import_conflict',
      reason: 'email_taken',
      faults: [{ index: 3, reason: 'email_taken', field: 'email' }],
      report: { read: 2, created: 2 },
    });
    const found = records.map(({ externalId }) =>
      test.service.users.find({ externalId: String(externalId) }),
    );
    expect((await Promise.all(found)).map((user) => user !== null)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('leaves out records that share something with an account or with an earlier record', async () => {
    const test = await open();
    const first = equippedOldUser();
    await importInto(test, [first]);
    const twin = oldUser();
    const records = [
      oldUser({ email: first.email!.toUpperCase() }),
      oldUser({ username: first.username!.toUpperCase() }),
      oldUser({ phone: first.phone!, phoneVerified: true }),
      oldUser({ identities: first.identities! }),
      oldUser({ passkeys: first.passkeys! }),
      oldUser({ apiKeys: first.apiKeys! }),
      twin,
      oldUser({ email: twin.email! }),
      oldUser(),
    ];
    const report = await importInto(test, records, { onConflict: 'skip' });
    expect(report).toMatchObject({ read: 9, created: 2, skipped: 7 });
    const expected = [
      [0, 'email_taken', 'email'],
      [1, 'username_taken', 'username'],
      [2, 'phone_taken', 'phone'],
      [3, 'identity_taken', 'identities'],
      [4, 'passkey_taken', 'passkeys'],
      [5, 'api_key_taken', 'apiKeys'],
      [7, 'email_taken', 'email'],
    ];
    expect(reasonsOf(report)).toEqual(expected);
  });

  it('lists in a dry run everything that the import would refuse or leave out, and changes nothing', async () => {
    const test = await open();
    const existing = oldUser();
    await importInto(test, [existing]);
    const twin = oldUser();
    const records = [
      existing,
      oldUser({ email: existing.email! }),
      twin,
      oldUser({ email: 'no' }),
      oldUser({ email: twin.email! }),
      oldUser({ externalId: twin.externalId! }),
      equippedOldUser(),
    ];
    const report = await importInto(test, records, { dryRun: true, batchSize: 2 });
    expect(report).toMatchObject({ read: 7, created: 2, unchanged: 2, skipped: 2, refused: 1 });
    expect(reasonsOf(report)).toEqual([
      [1, 'email_taken', 'email'],
      [3, 'email_invalid', 'email'],
      [4, 'email_taken', 'email'],
      [5, 'account_differs', 'email'],
    ]);
    expect(await test.service.users.find({ externalId: String(twin.externalId) })).toBeNull();
    expect((await test.takeEvents()).filter(({ name }) => name === 'users.imported')).toHaveLength(1);
  });

  it('warns once of addresses that are not verified, unless they are trusted', async () => {
    const test = await open();
    const records = [oldUser({ emailVerified: false }), oldUser({ emailVerified: null }), oldUser()];
    const { warnings } = await importInto(test, records, { dryRun: true });
    expect(warnings).toEqual([expect.stringMatching(/^2 users .*emailVerified: 'trust-all'/)]);
    const trusted = await importInto(test, records, { emailVerified: 'trust-all' });
    expect(trusted.warnings).toEqual([]);
    const user = await test.service.users.find({ externalId: String(records[0]!.externalId) });
    expect(user?.emailVerified).toBe(true);
  });

  it('keeps user names that a sign-up refuses with anyUsername, and they can sign in', async () => {
    const test = await open();
    const names = ['Anna Maria', 'аdmin-миx', 'Jörg', 'x'.repeat(60)].map(
      (name) => `${name} ${randomUUID().slice(0, 4)}`,
    );
    const records = names.map((username) => oldUser({ username, email: null }));
    expect(await importInto(test, records, { anyUsername: true })).toMatchObject({ created: 4, refused: 0 });
    for (const username of names) {
      const login = { username: username.toUpperCase(), password: importedPassword };
      expect((await test.service.emailPassword.login(login)).user.email).toBeNull();
    }
    const refused = ['a@example.com', 'two\nlines', '', randomUUID(), 'x\u202ey'].map((username) =>
      oldUser({ username }),
    );
    const report = await importInto(test, refused, { anyUsername: true, dryRun: true });
    expect(reasonsOf(report).map(([index, reason]) => [index, reason])).toEqual(
      [0, 1, 3, 4].map((at) => [at, 'username_invalid']),
    );
  });

  it('creates an organization with its first member, finds it again, and warns of one without an owner', async () => {
    const test = await open();
    const [one, two] = [`o-${randomUUID()}`, `o-${randomUUID()}`];
    const of = (externalId: string, role: 'owner' | 'member') =>
      oldUser({
        memberships: [{ organization: { externalId, name: 'Firma & Söhne', slug: `s-${externalId}` }, role }],
      });
    const records = [of(one, 'member'), of(two, 'member'), of(one, 'owner'), of(two, 'member')];
    const { warnings, created } = await importInto(test, records, { batchSize: 2 });
    expect(created).toBe(4);
    expect(warnings).toEqual([expect.stringContaining(two)]);
    const org = await test.service.orgs.get(`s-${one}`);
    const members = await test.service.orgs.listMembers(org!.id);
    expect(members.map(({ role }) => role).sort()).toEqual(['member', 'owner']);
  });

  it('reads an async source as fast as it stores, and ends with the signal', async () => {
    const test = await open();
    const controller = new AbortController();
    let read = 0;
    async function* source() {
      for (;;) {
        read += 1;
        yield oldUser();
      }
    }
    const progress: number[] = [];
    const report = await test.service.users.import(source(), {
      batchSize: 5,
      signal: controller.signal,
      onProgress: ({ created }) => {
        progress.push(created);
        if (created >= 10) controller.abort();
      },
    });
    expect(report.created).toBe(report.read);
    expect(report.created).toBeLessThanOrEqual(20);
    expect(read).toBeLessThanOrEqual(25);
    expect(progress.slice(0, 2)).toEqual([5, 10]);
    expect(report.warnings).toEqual([expect.stringMatching(/signal/)]);
  });

  it('ends at once with what was stored when the signal is aborted while the source hangs', async () => {
    const test = await open();
    const controller = new AbortController();
    const records = [oldUser(), oldUser()];
    let returns = 0;
    const source: AsyncIterable<ImportedUser> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const value = records.shift();
          return value ? { done: false, value } : new Promise<never>(() => undefined);
        },
        return() {
          returns += 1;
          return new Promise<never>(() => undefined);
        },
      }),
    };
    const report = await test.service.users.import(source, {
      batchSize: 2,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(report).toMatchObject({ read: 2, created: 2 });
    expect(returns).toBe(1);
  });

  it('rejects with the error of its source, and closes it', async () => {
    const test = await open();
    let isClosed = false;
    async function* broken() {
      try {
        yield oldUser();
        throw new Error('the file is broken');
      } finally {
        isClosed = true;
      }
    }
    await expect(test.service.users.import(broken())).rejects.toThrow('the file is broken');
    expect(isClosed).toBe(true);
  });

  it('refuses a second factor that would be lost, and passwords without a hasher', async () => {
    const test = await makePro({ providers: { emailPassword: undefined } });
    const records = [equippedOldUser({ passwordHash: null }), oldUser(), oldUser({ passwordHash: null })];
    const report = await importInto(test, records);
    expect(reasonsOf(report)).toEqual([
      [0, 'provider_not_configured', 'totp'],
      [1, 'provider_not_configured', 'passwordHash'],
    ]);
    expect(report.created).toBe(1);
  });
});
