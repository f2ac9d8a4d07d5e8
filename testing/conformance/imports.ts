import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ImportBatch, ImportOutcome, ImportRecord } from '../../src/storage/import-repository.js';
import { revocationsOfImport } from '../../src/domain/user.js';
import { newPhone } from './equipment.js';
import {
  after,
  inParallel,
  insertedUser,
  newIdentity,
  newUser,
  now,
  type RegisterConformanceTest,
  startedSession,
  tally,
  testsRequiring,
} from './suite.js';

type Overrides = Partial<ImportRecord['user']>;

export function newRecord(user: Overrides = {}, rest: Partial<ImportRecord> = {}): ImportRecord {
  const id = user.id ?? randomUUID();
  return {
    user: {
      id,
      externalId: randomUUID(),
      email: `${id}@example.test`,
      emailVerified: true,
      username: null,
      passwordHash: 'hash',
      metadata: { plan: 'old' },
      roles: ['editor'],
      language: null,
      epoch: 0,
      sessionsValidAfter: null,
      totpEnabled: rest.secondFactor != null,
      blocked: null,
      createdAt: now,
      updatedAt: now,
      lastSignInAt: null,
      ...user,
    },
    keepsId: false,
    isProven: true,
    identities: [newIdentity(id)],
    secondFactor: null,
    credentials: [],
    apiKeys: [],
    memberships: [],
    leftOut: [],
    ...rest,
  };
}

function newFactor(userId: string) {
  const app = { id: randomUUID(), userId, name: 'Phone', secret: `sealed ${userId}`, lastStep: 0 };
  const recoveryCodeHashes = ['one', 'two'];
  return { apps: [{ ...app, createdAt: now, lastUsedAt: null }], recoveryCodeHashes, email: false };
}

export function newKey(userId: string) {
  const key = {
    id: randomUUID(),
    name: 'CI',
    prefix: 'sk_',
    userId,
    orgId: null,
    scopes: ['read'],
    metadata: {},
  };
  const times = { createdAt: now, lastUsedAt: null, expiresAt: null, revokedAt: null };
  return { ...key, ...times, secretHash: '', keyDigest: randomUUID() };
}

export function newCredential(userId: string) {
  const key = { publicKey: 'key', userHandle: null, counter: 7, transports: ['internal'] };
  const state = { backupEligible: true, backedUp: false, aaguid: randomUUID(), name: 'Laptop' };
  const times = { createdAt: now, lastUsedAt: null, lastUsedFrom: null };
  return { id: randomUUID(), userId, ...key, ...state, ...times };
}

export function newMember(externalId: string, role: 'owner' | 'member', slug = `slug-${externalId}`) {
  const org = {
    id: randomUUID(),
    externalId,
    name: 'Acme',
    slugs: [slug, `${slug}-1`],
    hasSlug: true,
    keepsId: false,
  };
  return { org: { ...org, metadata: {}, createdAt: now }, role, createdAt: now };
}

export const batchOf = (records: ImportRecord[], overrides: Partial<ImportBatch> = {}): ImportBatch => ({
  records,
  onConflict: 'fail',
  dryRun: false,
  now: after(5),
  ...overrides,
});

const statusesOf = (outcomes: readonly ImportOutcome[]) =>
  outcomes.map((each) => (each.status === 'conflict' ? each.reason : each.status));

export function describeImports(register: RegisterConformanceTest): void {
  const test = testsRequiring(
    register,
    'imports',
    'userAdministration',
    'totp',
    'credentials',
    'apiKeys',
    'orgs',
  );

  test('importUsers stores users with everything that belongs to them', async (storage) => {
    const id = randomUUID();
    const [key, credential] = [newKey(id), newCredential(id)];
    const name = `Anna ${id}`;
    const record = newRecord(
      {
        id,
        username: { name, key: name.toLowerCase() },
        blocked: { at: now, until: after(9), reason: 'abuse' },
        lastSignInAt: after(1),
        language: 'de',
      },
      {
        secondFactor: newFactor,
        apiKeys: [key],
        credentials: [credential],
        memberships: [newMember(randomUUID(), 'owner')],
      },
    );
    const { isWritten, outcomes } = await storage.imports.importUsers(
      batchOf([record, newRecord({ email: null })]),
    );
    assert.deepEqual([isWritten, statusesOf(outcomes)], [true, ['created', 'created']]);
    const user = await storage.userAdministration.find({ externalId: record.user.externalId ?? '' });
    assert.deepEqual(user, { ...record.user, username: name, isGuest: false });
    assert.deepEqual(await storage.identities.listForUser(id), record.identities);
    assert.equal((await storage.userAdministration.find({ usernameKey: name.toLowerCase() }))?.id, id);
    assert.deepEqual(
      (await storage.totp.listApps(id)).map(({ secret }) => secret),
      [`sealed ${id}`],
    );
    assert.equal(await storage.totp.advance(id, `sealed ${id}`, 1, now), true);
    assert.equal(await storage.totp.countRecoveryCodes(id), 2);
    assert.deepEqual((await storage.credentials.findWithUser(credential.id))?.credential, credential);
    const { keyDigest, ...stored } = key;
    const found = await storage.apiKeys.findByDigest?.(keyDigest);
    assert.deepEqual(found, { ...stored, ownerBlock: record.user.blocked });
    assert.deepEqual(await storage.apiKeys.findByDigest?.('unknown'), null);
    assert.equal((await storage.orgs.listForUser(id)).length, 1);
  });

  test('importUsers leaves users of an earlier import unchanged, by external id or by id', async (storage) => {
    const records = [newRecord(), newRecord({ externalId: null }, { keepsId: true })];
    await storage.imports.importUsers(batchOf(records));
    const changed = records.map((record) => ({ ...record, user: { ...record.user, passwordHash: 'other' } }));
    const { outcomes } = await storage.imports.importUsers(batchOf(changed, { onConflict: 'merge' }));
    assert.deepEqual(
      outcomes,
      records.map(({ user }) => ({ status: 'unchanged', userId: user.id })),
    );
    assert.equal((await storage.users.findById(records[0]?.user.id ?? ''))?.passwordHash, 'hash');
  });

  test('importUsers reports that the account of an earlier import has another address or user name', async (storage) => {
    const username = (name: string) => ({ name, key: name });
    const [first, nameless] = [
      newRecord(),
      newRecord({ email: null, username: username(`a${randomUUID()}`) }),
    ];
    await storage.imports.importUsers(batchOf([first, nameless]));
    const others = [
      { ...first, user: { ...first.user, email: `${randomUUID()}@example.test` } },
      { ...nameless, user: { ...nameless.user, username: username(`b${randomUUID()}`) } },
    ];
    const { outcomes } = await storage.imports.importUsers(batchOf(others));
    const differing = (user: { id: string }, field: string) => ({
      status: 'unchanged',
      userId: user.id,
      partial: [{ reason: 'account_differs', field }],
    });
    assert.deepEqual(outcomes, [differing(first.user, 'email'), differing(nameless.user, 'username')]);
  });

  test('importUsers renews the hash of an earlier import that mayRenew accepts, and ends the sessions', async (storage) => {
    const [foreign, own, moved, other] = [
      newRecord(),
      newRecord({ passwordHash: 'own' }),
      newRecord(),
      newRecord(),
    ];
    await storage.imports.importUsers(batchOf([foreign, own, moved, other]));
    const session = await startedSession(storage, foreign.user.id);
    const renewed = [foreign, own, moved].map((record) => ({
      ...record,
      user: { ...record.user, passwordHash: 'new' },
    }));
    renewed[2]!.user.email = `${randomUUID()}@example.test`;
    const mayRenew = (stored: string) => stored === 'hash';
    const check = await storage.imports.importUsers(batchOf([...renewed, other], { dryRun: true, mayRenew }));
    const { outcomes } = await storage.imports.importUsers(batchOf([...renewed, other], { mayRenew }));
    assert.deepEqual(statusesOf(outcomes), ['renewed', 'unchanged', 'unchanged', 'unchanged']);
    assert.deepEqual(check.outcomes, outcomes);
    const hashes = await Promise.all(
      [foreign, own, moved].map(async ({ user }) => (await storage.users.findById(user.id))?.passwordHash),
    );
    assert.deepEqual(hashes, ['new', 'own', 'hash']);
    const found = await storage.sessions.findWithUser(session.id);
    assert.equal(found?.user.epoch, 1);
    assert.notEqual(found?.session.revokedAt, null);
  });

  test('importUsers renews no hash of a batch with a conflict if onConflict is fail', async (storage) => {
    const { email } = await insertedUser(storage, { emailVerified: true });
    const record = newRecord();
    await storage.imports.importUsers(batchOf([record]));
    const session = await startedSession(storage, record.user.id);
    const renewed = { ...record, user: { ...record.user, passwordHash: 'new' } };
    const fresh = newRecord();
    const again = newRecord({ email: fresh.user.email });
    for (const others of [[newRecord({ email })], [fresh, again]]) {
      const batch = batchOf([renewed, ...others], { mayRenew: () => true });
      assert.equal((await storage.imports.importUsers(batch)).isWritten, false);
    }
    const found = await storage.sessions.findWithUser(session.id);
    assert.deepEqual([found?.session.revokedAt, found?.user.passwordHash], [null, 'hash']);
  });

  test('importUsers writes nothing of a batch with a conflict if onConflict is fail', async (storage) => {
    const { email } = await insertedUser(storage, { emailVerified: true });
    const [first, taken] = [newRecord(), newRecord({ email })];
    for (const batch of [
      [first, taken],
      [taken, first],
      [first, newRecord({ email: first.user.email })],
    ]) {
      const { isWritten, outcomes } = await storage.imports.importUsers(batchOf(batch));
      assert.equal(isWritten, false);
      assert.ok(statusesOf(outcomes).includes('email_taken'));
      assert.equal(await storage.users.findById(first.user.id), null);
    }
  });

  test('importUsers reports what a record shares with another account, or with an earlier record', async (storage) => {
    const phone = newPhone();
    const name = `x${randomUUID()}`;
    const first = newRecord({ username: { name: name.toUpperCase(), key: name } });
    const { id } = first.user;
    Object.assign(first, { credentials: [newCredential(id)], apiKeys: [newKey(id)] });
    Object.assign(first, {
      identities: [newIdentity(id), newIdentity(id, { provider: 'phone', providerAccountId: phone })],
    });
    const [identity, number] = first.identities;
    const conflicts = [
      newRecord({ username: first.user.username }),
      newRecord({}, { identities: [{ ...number!, id: randomUUID() }] }),
      newRecord({}, { identities: [{ ...identity!, id: randomUUID() }] }),
      newRecord({}, { credentials: first.credentials }),
      newRecord({}, { apiKeys: first.apiKeys.map((key) => ({ ...key, id: randomUUID() })) }),
      newRecord({ id: randomUUID(), externalId: randomUUID() }),
    ];
    const { outcomes } = await storage.imports.importUsers(
      batchOf([first, ...conflicts], { onConflict: 'skip' }),
    );
    const expected = ['username_taken', 'phone_taken', 'identity_taken', 'passkey_taken', 'api_key_taken'];
    assert.deepEqual(statusesOf(outcomes), ['created', ...expected, 'created']);
  });

  test('importUsers decides the same in a dry run, and changes nothing', async (storage) => {
    const { email } = await insertedUser(storage, { emailVerified: true });
    const records = [newRecord(), newRecord({ email })];
    const { outcomes } = await storage.imports.importUsers(
      batchOf(records, { dryRun: true, onConflict: 'merge' }),
    );
    assert.deepEqual(statusesOf(outcomes), ['created', 'merged']);
    assert.equal(await storage.users.findById(records[0]?.user.id ?? ''), null);
    assert.equal((await storage.users.findByEmail(email ?? ''))?.passwordHash, null);
  });

  test('importUsers adds to a verified account what it does not have', async (storage) => {
    const { id, email } = await insertedUser(storage, { emailVerified: true, metadata: { plan: 'new' } });
    const session = await startedSession(storage, id);
    const org = randomUUID();
    const record = newRecord(
      { email, metadata: { plan: 'old', since: 1 } },
      { memberships: [newMember(org, 'member')] },
    );
    const merge = () => storage.imports.importUsers(batchOf([record], { onConflict: 'merge' }));
    const partial = [{ reason: 'roles_kept', field: 'roles' }];
    assert.deepEqual((await merge()).outcomes, [{ status: 'merged', userId: id, claimed: false, partial }]);
    const user = await storage.userAdministration.find({ id });
    assert.deepEqual(
      [user?.passwordHash, user?.externalId, user?.roles],
      ['hash', record.user.externalId, []],
    );
    assert.deepEqual(user?.metadata, { plan: 'new', since: 1 });
    assert.equal((await storage.identities.listForUser(id)).length, 1);
    assert.equal((await storage.sessions.findWithUser(session.id))?.session.revokedAt, null);
    assert.deepEqual(statusesOf((await merge()).outcomes), ['unchanged']);
    const factor = newRecord({ email, externalId: null }, { secondFactor: newFactor });
    await storage.imports.importUsers(batchOf([factor], { onConflict: 'merge' }));
    const found = await storage.sessions.findWithUser(session.id);
    assert.deepEqual([found?.user.totpEnabled, found?.user.epoch], [true, 1]);
    assert.notEqual(found?.session.revokedAt, null);
  });

  test('importUsers claims an unverified account of a proven address, and of no other', async (storage) => {
    const { id, email } = await insertedUser(storage, { passwordHash: 'of a stranger' });
    await startedSession(storage, id);
    await storage.identities.link(newIdentity(id), 0);
    const merge = (record: ImportRecord) =>
      storage.imports.importUsers(batchOf([record], { onConflict: 'merge' }));
    const unproven = await merge(newRecord({ email }, { isProven: false }));
    assert.deepEqual(statusesOf(unproven.outcomes), ['email_taken']);
    const record = newRecord({ email, roles: [] });
    assert.deepEqual((await merge(record)).outcomes, [{ status: 'merged', userId: id, claimed: true }]);
    const user = await storage.users.findById(id);
    assert.deepEqual([user?.passwordHash, user?.emailVerified], ['hash', true]);
    const identities = await storage.identities.listForUser(id);
    assert.deepEqual(
      identities,
      record.identities.map((identity) => ({ ...identity, userId: id })),
    );
  });

  test('importUsers marks a claim by which an account gets its external id, and no other end of sessions', async (storage) => {
    const claim = async (user: Overrides, rest: Partial<ImportRecord> = {}, owned: Overrides = {}) => {
      const unproven = newRecord({ emailVerified: false, externalId: null, ...owned }, { isProven: false });
      const { email } = unproven.user;
      for (const record of [unproven, newRecord({ email, ...user }, rest)])
        await storage.imports.importUsers(batchOf([record], { onConflict: 'merge' }));
      const found = await storage.users.findById(unproven.user.id);
      assert.equal(found?.emailVerified, true);
      return { epoch: found.epoch, sessionsValidAfter: found.sessionsValidAfter };
    };
    const marked = revocationsOfImport('claim', after(5));
    assert.deepEqual(await claim({}), marked);
    assert.deepEqual(await claim({}, { secondFactor: newFactor }), marked);
    const ended = { epoch: 1, sessionsValidAfter: after(5) };
    assert.deepEqual(await claim({ externalId: null }), ended);
    assert.deepEqual(await claim({ externalId: null }, {}, { externalId: randomUUID() }), ended);
    const later = { epoch: marked.epoch + 7, sessionsValidAfter: after(120_000) };
    assert.deepEqual(await claim({}, {}, later), { ...later, epoch: later.epoch + 1 });
  });

  test('importUsers finds an organization by its external id, and gives it another slug if its own is taken', async (storage) => {
    const [org, slug] = [randomUUID(), `s-${randomUUID()}`];
    const members = [
      newMember(org, 'owner', slug),
      newMember(org, 'member', slug),
      newMember(randomUUID(), 'owner', slug),
    ];
    const records = members.map((membership) => newRecord({}, { memberships: [membership] }));
    const { outcomes } = await storage.imports.importUsers(batchOf(records));
    const partial = [{ reason: 'slug_taken', field: 'memberships' }];
    assert.deepEqual(
      outcomes.map((each) => ('partial' in each ? each.partial : [])),
      [[], [], partial],
    );
    const found = await storage.orgs.findBySlug(slug);
    assert.equal((await storage.orgs.listMembers(found?.id ?? '')).length, 2);
    assert.notEqual(await storage.orgs.findBySlug(`${slug}-1`), null);
  });

  test('importUsers imports each user once if several imports run in parallel', async (storage) => {
    const records = Array.from({ length: 20 }, () => newRecord());
    const copies = await inParallel(4, async () => {
      const own = records.map((record) => {
        const user = { ...record.user, id: randomUUID() };
        return {
          ...record,
          user,
          identities: record.identities.map((each) => ({ ...each, id: randomUUID(), userId: user.id })),
        };
      });
      return (await storage.imports.importUsers(batchOf(own, { onConflict: 'skip' }))).outcomes;
    });
    assert.deepEqual(tally(statusesOf(copies.flat())), { created: 20, unchanged: 60 });
  });

  test('importUsers loses no user of a batch if some of them sign up in the meantime', async (storage) => {
    const records = Array.from({ length: 30 }, () => newRecord());
    const signUps = records
      .slice(0, 10)
      .map(({ user: { email } }) => storage.users.insert(newUser({ email })));
    const [{ outcomes }, ...inserted] = await Promise.all([
      storage.imports.importUsers(batchOf(records, { onConflict: 'skip' })),
      ...signUps,
    ]);
    const created = outcomes.filter(({ status }) => status === 'created').length;
    assert.equal(created + inserted.filter(Boolean).length, 30);
    assert.ok(created >= 20);
  });
}
