/**
 * The lock order of src/adapters/portable/locks.ts under load: everything that locks users and
 * organizations, concurrently, on few of them. PostgreSQL detects a deadlock after a second and
 * ends one of the two transactions: no call may fail, and no deadlock may be counted.
 */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const longAgo = new Date('2030-05-06T07:08:09.123Z');
const expiresAt = new Date(now.getTime() + 60_000);

let database: TestDatabase;
let knex: Knex;
let storage: Required<StorageAdapter>;

beforeAll(async () => {
  database = await createMigratedDatabase();
  knex = knexPackage({ client: 'pg', connection: database.url, pool: { min: 0, max: 20 } });
  storage = knexAdapter(knex) as Required<StorageAdapter>;
  await storage.init();
});

afterAll(async () => {
  await knex.destroy();
  await database.drop();
});

/**
 * Returns numbers below a bound, the same ones for the same seed, so that a failure can be
 * reproduced.
 */
function dice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

// Few slots, many calls. Deleted rows are replaced, so that there is always contention.
const users: { id: string; email: string }[] = [];
const orgs: string[] = [];
const digests: string[] = [];

async function newUser(slot: number): Promise<void> {
  const identity = { id: randomUUID(), email: `${randomUUID()}@example.test` };
  const user = { id: identity.id, passwordHash: null, metadata: {} };
  if (slot % 4 === 3) {
    const createdAt = slot % 8 === 3 ? longAgo : now;
    await storage.guests.insert({ ...user, email: null, emailVerified: false, createdAt });
  } else {
    const emailVerified = slot % 2 === 0;
    await storage.users.insert({ ...user, email: identity.email, emailVerified, createdAt: now });
  }
  users[slot] = identity;
}

async function newOrg(slot: number, userId: string): Promise<void> {
  const org = { id: randomUUID(), name: 'Acme', slug: `slug-${slot}`, metadata: {} };
  const owner = { orgId: org.id, userId, role: 'owner', createdAt: now } as const;
  const outcome = await storage.orgs.create({ ...org, createdAt: now, updatedAt: now }, owner);
  if (outcome === 'created') orgs[slot] = org.id;
}

type Call = (pick: (bound: number) => number) => Promise<unknown>;

const anyUser = (pick: (bound: number) => number) => users[pick(8)] as { id: string; email: string };
const anyOrg = (pick: (bound: number) => number) => orgs[pick(3)] ?? randomUUID();

const change: Call = (pick) => {
  const ids = { orgId: anyOrg(pick), userId: anyUser(pick).id, actingUserId: anyUser(pick).id };
  return storage.orgs.changeMember(
    { ...ids, now },
    () => (['member', 'admin', 'owner', null] as const)[pick(4)] ?? null,
  );
};

const invite: Call = (pick) => {
  const digest = randomUUID();
  digests.push(digest);
  const { email } = anyUser(pick);
  const invitedByUserId = pick(3) ? anyUser(pick).id : null;
  const times = { createdAt: now, expiresAt: pick(4) ? expiresAt : longAgo, acceptedAt: null };
  const inviteFields = { id: randomUUID(), orgId: anyOrg(pick), email, role: 'member' as const };
  const actor =
    invitedByUserId !== null && pick(2) ? { userId: invitedByUserId, decide: () => undefined } : undefined;
  return storage.orgs.insertInvite({ ...inviteFields, invitedByUserId, ...times }, digest, actor);
};

const deletion: Call = async (pick) => {
  const slot = pick(8);
  const pause = async (transaction: unknown) =>
    void (await (transaction as Knex).raw('select pg_sleep(0.005)'));
  await storage.accounts.deleteUser(users[slot]?.id ?? '', pause);
  await newUser(slot);
};

const calls: Call[] = [
  change,
  change,
  invite,
  invite,
  deletion,
  async (pick) =>
    storage.orgs.acceptInvite(
      digests[digests.length - 1 - pick(6)] ?? '',
      anyUser(pick).id,
      now,
      () => 'member',
    ),
  async (pick) => {
    const slot = pick(3);
    const owner = { userId: anyUser(pick).id, decide: () => undefined };
    if (pick(2)) await storage.orgs.delete(orgs[slot] ?? '', pick(2) ? owner : undefined);
    await newOrg(slot, anyUser(pick).id);
  },
  async (pick) => {
    const orgId = anyOrg(pick);
    const [invited] = await storage.orgs.listPendingInvites(orgId, now);
    const actor = { userId: anyUser(pick).id, decide: () => undefined };
    await storage.orgs.revokeInvite({ orgId, inviteId: invited?.id ?? '', now }, actor);
    const [key] = await storage.apiKeys.list({ orgId });
    await storage.apiKeys.revoke(key?.id ?? '', now, { orgId, actor });
  },
  async (pick) => storage.users.claim(anyUser(pick).id, now),
  async (pick) => storage.sessions.revokeAll(anyUser(pick).id, now),
  async (pick) => {
    const family = {
      id: randomUUID(),
      userId: anyUser(pick).id,
      kind: null,
      counter: 0,
      epoch: 0,
      claims: {},
      device: {},
    };
    await storage.refreshFamilies.insert({
      ...family,
      rotatedAt: now,
      createdAt: now,
      expiresAt,
      revokedAt: null,
    });
    await storage.refreshFamilies.rotate({ familyId: family.id, counter: pick(2), graceMs: 10, now });
  },
  async (pick) => storage.refreshFamilies.revokeAllForUser(anyUser(pick).id, now),
  async (pick) => {
    const owner = pick(2) ? { userId: anyUser(pick).id, orgId: null } : { userId: null, orgId: anyOrg(pick) };
    const parts = { name: 'Deployment', prefix: 'svc_abcd', secretHash: 'hash', scopes: [], metadata: {} };
    const times = { createdAt: now, lastUsedAt: null, expiresAt: null, revokedAt: null };
    const actor = pick(2) ? { userId: anyUser(pick).id, decide: () => undefined } : undefined;
    await storage.apiKeys.insert({ id: randomUUID(), ...owner, ...parts, ...times }, pick(2), { actor });
  },
  async (pick) => {
    const names = { provider: 'google', providerAccountId: `account-${pick(10)}` };
    const userId = anyUser(pick).id;
    const identity = pick(3) ? { id: randomUUID(), userId, ...names, createdAt: now } : null;
    const email = pick(2) ? anyUser(pick).email : `${pick(10)}@example.test`;
    await storage.guests.upgrade({ userId, identity, email, emailVerified: true, passwordHash: null, now });
  },
  async (pick) => {
    const passwordHash = `hash ${pick(3)}`;
    const before = await storage.users.findById(anyUser(pick).id);
    const from = { userId: before?.id ?? '', epoch: before?.epoch ?? 0, fromHash: 'hash' };
    await storage.users.changePassword({ ...from, passwordHash, now });
    const { id: userId, epoch = 0 } = (await storage.users.findById(anyUser(pick).id)) ?? { id: '' };
    const email = pick(2) ? (anyUser(pick).email ?? '') : `${pick(10)}@example.test`;
    await storage.accounts.changeEmail({ userId, epoch, email, now });
  },
  async (pick) => {
    const { id } = anyUser(pick);
    await storage.totp.savePending(id, `secret ${pick(2)}`);
    const codes = { recoveryCodeHashes: ['one', 'two', 'three'], step: 1, now };
    await storage.totp.confirm({ userId: id, pendingSecret: `secret ${pick(2)}`, ...codes });
    await storage.totp.advance(id, `secret ${pick(2)}`, pick(9), now);
    await storage.totp.reencrypt(id, 'secret 0', 'secret 1');
  },
  async (pick) => storage.totp.replaceRecoveryCodes(anyUser(pick).id, ['three', 'two', 'four'], now),
  async (pick) =>
    storage.totp.consumeRecoveryCode(anyUser(pick).id, [['one', 'two', 'three'][pick(3)] ?? '']),
  async (pick) => storage.totp.disable(anyUser(pick).id, now),
  async (pick) => {
    // Few ids, so that several users want the same one.
    const [id, userId] = [`passkey ${pick(6)}`, anyUser(pick).id];
    const key = { publicKey: 'key', counter: 0, transports: [], backupEligible: false, backedUp: false };
    const passkey = {
      id,
      userId,
      ...key,
      aaguid: '',
      name: null,
      lastUsedFrom: null,
      userHandle: null,
      createdAt: now,
      lastUsedAt: null,
    };
    const epoch = (await storage.users.findById(userId))?.epoch ?? 0;
    await storage.credentials.insert(passkey, epoch);
    await storage.credentials.use({ id, counter: pick(3), backedUp: true, now });
    if (pick(2)) await storage.credentials.remove(anyUser(pick).id, `passkey ${pick(6)}`);
  },
  async (pick) => {
    const names = { provider: 'phone', providerAccountId: `+4915${pick(6)}` };
    const { id: userId } = anyUser(pick);
    const epoch = (await storage.users.findById(userId))?.epoch ?? 0;
    await storage.identities.link({ id: randomUUID(), userId, ...names, createdAt: now }, epoch);
    const code = { purpose: 'phone_code', subject: `+4915${pick(6)}`, codeHash: 'mac' } as const;
    await storage.oneTimeCodes.replace({ ...code, expiresAt, metadata: {} });
  },
  async (pick) => {
    const [tokenDigest, userId] = [randomUUID(), anyUser(pick).id];
    const user = await storage.users.findById(userId);
    const { epoch = 0, passwordHash } = user ?? {};
    const email = user?.email ?? '';
    const account = { epoch, hasPassword: (passwordHash ?? null) !== null };
    const token = { digest: tokenDigest, purpose: 'password_reset', subject: email, account } as const;
    await storage.singleUseTokens.insert({ ...token, expiresAt, metadata: {} });
    await storage.users.resetPassword({ tokenDigest, email, userId, passwordHash: 'hash', now });
  },
  async () => {
    await storage.purgeExpired({ now });
    const abandonedIds = await storage.guests.listAbandoned({ createdBefore: longAgo, limit: 8 });
    for (const id of abandonedIds) await storage.guests.delete(id, async () => undefined);
    await newUser(3);
  },
];

it('concurrent calls never deadlock', async () => {
  for (let slot = 0; slot < 8; slot += 1) await newUser(slot);
  const caller = async (_: unknown, seed: number) => {
    const pick = dice(seed + 1);
    for (let round = 0; round < 120; round += 1) await calls[pick(calls.length)]?.(pick);
  };
  await Promise.all(Array.from({ length: 20 }, caller));
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(rows).toEqual([{ deadlocks: '0' }]);
}, 300_000);
