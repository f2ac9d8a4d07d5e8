/**
 * The lock order of src/adapters/sql/locks.ts under a crowd: everything that locks users and organisations, on few of
 * them, at once. PostgreSQL finds a deadlock after a second and ends one of the two: no call may fail, none be counted.
 */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/sql/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const longAgo = new Date('2030-05-06T07:08:09.123Z');
const expiresAt = new Date(now.getTime() + 60_000);

let database: TestDatabase;
let knex: Knex;
let storage: Required<StorageAdapter>;

beforeAll(async () => {
  database = await createDatabase();
  knex = knexPackage({ client: 'pg', connection: database.url, pool: { min: 0, max: 20 } });
  storage = knexAdapter(knex) as Required<StorageAdapter>;
  await storage.init();
});

afterAll(async () => {
  await knex.destroy();
  await database.drop();
});

/** Numbers below a bound, the same ones for the same seed: a failure can be run again. */
function dice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

// Few slots, many calls. What is deleted is replaced, so that there is always something to fight for.
const people: { id: string; email: string }[] = [];
const orgs: string[] = [];
const digests: string[] = [];

async function newPerson(slot: number): Promise<void> {
  const person = { id: randomUUID(), email: `${randomUUID()}@example.test` };
  const user = { id: person.id, passwordHash: null, metadata: {} };
  if (slot % 4 === 3) {
    const createdAt = slot % 8 === 3 ? longAgo : now;
    await storage.guests.insert({ ...user, email: null, emailVerified: false, createdAt });
  } else {
    const emailVerified = slot % 2 === 0;
    await storage.users.insert({ ...user, email: person.email, emailVerified, createdAt: now });
  }
  people[slot] = person;
}

async function newOrg(slot: number, userId: string): Promise<void> {
  const org = { id: randomUUID(), name: 'Acme', slug: `slug-${slot}`, metadata: {} };
  const owner = { orgId: org.id, userId, role: 'owner', createdAt: now } as const;
  const outcome = await storage.orgs.create({ ...org, createdAt: now, updatedAt: now }, owner);
  if (outcome === 'created') orgs[slot] = org.id;
}

type Call = (pick: (bound: number) => number) => Promise<unknown>;

const someone = (pick: (bound: number) => number) => people[pick(8)] as { id: string; email: string };
const someOrg = (pick: (bound: number) => number) => orgs[pick(3)] ?? randomUUID();

const change: Call = (pick) => {
  const ids = { orgId: someOrg(pick), userId: someone(pick).id, actingUserId: someone(pick).id };
  return storage.orgs.changeMember(
    { ...ids, now },
    () => (['member', 'admin', 'owner', null] as const)[pick(4)] ?? null,
  );
};

const invite: Call = (pick) => {
  const digest = randomUUID();
  digests.push(digest);
  const { email } = someone(pick);
  const invitedByUserId = pick(3) ? someone(pick).id : null;
  const times = { createdAt: now, expiresAt: pick(4) ? expiresAt : longAgo, acceptedAt: null };
  const wanted = { id: randomUUID(), orgId: someOrg(pick), email, role: 'member' as const };
  const actor =
    invitedByUserId !== null && pick(2) ? { userId: invitedByUserId, decide: () => undefined } : undefined;
  return storage.orgs.insertInvite({ ...wanted, invitedByUserId, ...times }, digest, actor);
};

const deletion: Call = async (pick) => {
  const slot = pick(8);
  const pause = async (transaction: unknown) =>
    void (await (transaction as Knex).raw('select pg_sleep(0.005)'));
  await storage.accounts.deleteUser(people[slot]?.id ?? '', pause);
  await newPerson(slot);
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
      someone(pick).id,
      now,
      () => 'member',
    ),
  async (pick) => {
    const slot = pick(3);
    const owner = { userId: someone(pick).id, decide: () => undefined };
    if (pick(2)) await storage.orgs.delete(orgs[slot] ?? '', pick(2) ? owner : undefined);
    await newOrg(slot, someone(pick).id);
  },
  async (pick) => {
    const orgId = someOrg(pick);
    const [invited] = await storage.orgs.listPendingInvites(orgId, now);
    const actor = { userId: someone(pick).id, decide: () => undefined };
    await storage.orgs.revokeInvite({ orgId, inviteId: invited?.id ?? '', now }, actor);
    const [key] = await storage.apiKeys.list({ orgId });
    await storage.apiKeys.revoke(key?.id ?? '', now, { orgId, actor });
  },
  async (pick) => storage.users.claim(someone(pick).id, now),
  async (pick) => storage.sessions.revokeAll(someone(pick).id, now),
  async (pick) => {
    const family = {
      id: randomUUID(),
      userId: someone(pick).id,
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
  async (pick) => storage.refreshFamilies.revokeAllForUser(someone(pick).id, now),
  async (pick) => {
    const owner = pick(2)
      ? { userId: someone(pick).id, orgId: null }
      : { userId: null, orgId: someOrg(pick) };
    const parts = { name: 'Deployment', prefix: 'svc_abcd', secretHash: 'hash', scopes: [], metadata: {} };
    const times = { createdAt: now, lastUsedAt: null, expiresAt: null, revokedAt: null };
    const actor = pick(2) ? { userId: someone(pick).id, decide: () => undefined } : undefined;
    await storage.apiKeys.insert({ id: randomUUID(), ...owner, ...parts, ...times }, pick(2), { actor });
  },
  async (pick) => {
    const names = { provider: 'google', providerAccountId: `account-${pick(10)}` };
    const userId = someone(pick).id;
    const identity = pick(3) ? { id: randomUUID(), userId, ...names, createdAt: now } : null;
    const email = pick(2) ? someone(pick).email : `${pick(10)}@example.test`;
    await storage.guests.upgrade({ userId, identity, email, emailVerified: true, passwordHash: null, now });
  },
  async (pick) => {
    const passwordHash = `hash ${pick(3)}`;
    const before = await storage.users.findById(someone(pick).id);
    const from = { userId: before?.id ?? '', epoch: before?.epoch ?? 0, fromHash: 'hash' };
    await storage.users.changePassword({ ...from, passwordHash, now });
    const { id: userId, epoch = 0 } = (await storage.users.findById(someone(pick).id)) ?? { id: '' };
    const email = pick(2) ? (someone(pick).email ?? '') : `${pick(10)}@example.test`;
    await storage.accounts.changeEmail({ userId, epoch, email, now });
  },
  async (pick) => {
    const { id } = someone(pick);
    await storage.totp.savePending(id, `secret ${pick(2)}`);
    const codes = { recoveryCodeHashes: ['one', 'two', 'three'], step: 1, now };
    await storage.totp.confirm({ userId: id, pendingSecret: `secret ${pick(2)}`, ...codes });
    await storage.totp.advance(id, `secret ${pick(2)}`, pick(9));
    await storage.totp.reencrypt(id, 'secret 0', 'secret 1');
  },
  async (pick) => storage.totp.replaceRecoveryCodes(someone(pick).id, ['three', 'two', 'four'], now),
  async (pick) =>
    storage.totp.consumeRecoveryCode(someone(pick).id, [['one', 'two', 'three'][pick(3)] ?? '']),
  async (pick) => storage.totp.disable(someone(pick).id, now),
  async (pick) => {
    // Few ids, so that several users want the same.
    const [id, userId] = [`passkey ${pick(6)}`, someone(pick).id];
    const key = { publicKey: 'key', counter: 0, transports: [], backupEligible: false, backedUp: false };
    const passkey = { id, userId, ...key, aaguid: '', createdAt: now, lastUsedAt: null };
    const epoch = (await storage.users.findById(userId))?.epoch ?? 0;
    await storage.credentials.insert(passkey, epoch);
    await storage.credentials.use({ id, counter: pick(3), backedUp: true, now });
    if (pick(2)) await storage.credentials.remove(someone(pick).id, `passkey ${pick(6)}`);
  },
  async (pick) => {
    const names = { provider: 'phone', providerAccountId: `+4915${pick(6)}` };
    const { id: userId } = someone(pick);
    const epoch = (await storage.users.findById(userId))?.epoch ?? 0;
    await storage.identities.link({ id: randomUUID(), userId, ...names, createdAt: now }, epoch);
    const code = { purpose: 'phone_code', subject: `+4915${pick(6)}`, codeHash: 'mac' } as const;
    await storage.oneTimeCodes.replace({ ...code, expiresAt, metadata: {} });
  },
  async (pick) => {
    const [tokenDigest, userId] = [randomUUID(), someone(pick).id];
    const user = await storage.users.findById(userId);
    const { email, epoch = 0, passwordHash } = user ?? {};
    const account = { email: email ?? '', epoch, hasPassword: (passwordHash ?? null) !== null };
    const token = { digest: tokenDigest, purpose: 'password_reset', subject: userId, account } as const;
    await storage.singleUseTokens.insert({ ...token, expiresAt, metadata: {} });
    await storage.users.resetPassword({ tokenDigest, userId, passwordHash: 'hash', now });
  },
  async () => {
    await storage.purgeExpired({ now });
    const due = await storage.guests.listAbandoned({ createdBefore: longAgo, limit: 8 });
    for (const id of due) await storage.guests.delete(id, async () => undefined);
    await newPerson(3);
  },
];

it('nobody waits for somebody who waits for them', async () => {
  for (let slot = 0; slot < 8; slot += 1) await newPerson(slot);
  const caller = async (_: unknown, seed: number) => {
    const pick = dice(seed + 1);
    for (let round = 0; round < 120; round += 1) await calls[pick(calls.length)]?.(pick);
  };
  await Promise.all(Array.from({ length: 20 }, caller));
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(rows).toEqual([{ deadlocks: '0' }]);
}, 60_000);
