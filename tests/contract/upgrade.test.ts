/** A database of the first release, with rows in every table, is brought up to date: nothing lost, everything usable. */
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/sql/knex-adapter.js';
import { firstRelease } from '../../src/adapters/sql/migrations/0001-first-release.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const [userId, sessionId, identityId] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];

// As the first release wrote them.
const rows: Record<string, Record<string, unknown>> = {
  svc_users: {
    id: userId,
    email: 'ada@example.test',
    email_verified: false,
    password_hash: '$2b$10$hash',
    metadata: { plan: 'free' },
    epoch: 4,
    sessions_valid_after: '2030-01-01T00:00:00.001Z',
    created_at: '2029-01-01T00:00:00.002Z',
    updated_at: '2029-02-01T00:00:00.003Z',
  },
  svc_identities: {
    id: identityId,
    user_id: userId,
    provider: 'google',
    provider_account_id: 'ada',
    created_at: '2029-01-01T00:00:00.004Z',
  },
  svc_sessions: {
    id: sessionId,
    user_id: userId,
    device: { name: 'Phone' },
    created_at: '2031-05-01T00:00:00.005Z',
    last_seen_at: '2031-05-02T00:00:00.006Z',
    expires_at: '2031-06-01T00:00:00.007Z',
    revoked_at: null,
  },
  svc_one_time_codes: {
    purpose: 'email_code',
    subject: 'ada@example.test',
    code_hash: 'mac',
    attempts: 2,
    expires_at: '2031-06-01T00:00:00.008Z',
    consumed_at: null,
    metadata: {},
  },
  svc_single_use_tokens: {
    digest: 'digest',
    purpose: 'password_reset',
    subject: userId,
    expires_at: '2031-06-01T00:00:00.009Z',
    metadata: {},
  },
  svc_rate_limits: { key: 'send:ada', count: 3, reset_at: '2031-06-01T00:00:00.010Z' },
};

let database: TestDatabase;
let knex: Knex;
let storage: StorageAdapter;

beforeEach(async () => {
  database = await createDatabase();
  knex = knexPackage({ client: 'pg', connection: database.url });
  await knex.raw('create table svc_migrations (id integer primary key, name text not null)');
  for (const statement of firstRelease.statements) await knex.raw(statement);
  await knex('svc_migrations').insert({ id: firstRelease.id, name: firstRelease.name });
  for (const [table, row] of Object.entries(rows)) await knex(table).insert(row);
  storage = knexAdapter(knex);
});

afterEach(async () => {
  await knex.destroy();
  await database.drop();
});

async function stored(table: string): Promise<unknown[]> {
  const found = await knex<Record<string, unknown>>(table).select(Object.keys(rows[table] ?? {}));
  return JSON.parse(JSON.stringify(found)) as unknown[];
}

it('keeps every row as it was', async () => {
  await storage.init();
  await storage.init();
  for (const [table, row] of Object.entries(rows))
    expect([table, await stored(table)]).toEqual([table, [row]]);
  expect(await knex('svc_migrations').orderBy('id')).toEqual([
    { id: 1, name: 'first-release' },
    { id: 2, name: 'pro-tier' },
    { id: 3, name: 'second-factors' },
  ]);
});

it('makes nobody a guest, and the rows do all that they did', async () => {
  await storage.init();
  expect(await storage.guests?.isGuest(userId)).toBe(false);
  const found = await storage.sessions.findWithUser(sessionId);
  expect(found).toMatchObject({
    session: { device: { name: 'Phone' } },
    user: { email: 'ada@example.test' },
  });
  expect(await storage.identities.findUser('google', 'ada')).toEqual(found?.user);
  const attempt = await storage.oneTimeCodes.reserveAttempt('email_code', 'ada@example.test', 5, now);
  expect(attempt).toMatchObject({ status: 'reserved', code: { attempts: 3 } });
  const [hit] = await storage.rateLimits.hit([{ key: 'send:ada', windowMs: 1 }], now.getTime());
  expect(hit?.count).toBe(4);
  const reset = { tokenDigest: 'digest', userId, passwordHash: 'new', now };
  expect(await storage.users.resetPassword(reset)).toMatchObject({ user: { epoch: 5 }, claimed: true });
});

it('gives the users of the first release everything that is new', async () => {
  await storage.init();
  const family = {
    id: sessionId,
    userId,
    counter: 0,
    rotatedAt: now,
    epoch: 4,
    claims: {},
    device: {},
    createdAt: now,
    expiresAt: new Date(now.getTime() + 1000),
    revokedAt: null,
  };
  expect(await storage.refreshFamilies?.insert(family)).toBe(true);
  const org = { id: identityId, name: 'Acme', slug: 'acme', metadata: {}, createdAt: now, updatedAt: now };
  const owner = { orgId: org.id, userId, role: 'owner' as const, createdAt: now };
  expect(await storage.orgs?.create(org, owner)).toBe('created');
  const within = async () => undefined;
  expect(await storage.accounts?.deleteUser(userId, within)).toEqual({ status: 'last_owner', orgId: org.id });
  expect(await storage.orgs?.delete(org.id)).toBe(true);
  expect(await storage.accounts?.deleteUser(userId, within)).toEqual({ status: 'deleted' });
  for (const table of [
    'svc_users',
    'svc_identities',
    'svc_sessions',
    'svc_one_time_codes',
    'svc_single_use_tokens',
  ]) {
    expect([table, await stored(table)]).toEqual([table, []]);
  }
});

it('lets processes of the first release go on beside those of this one', async () => {
  await storage.init();
  const { svc_users: user, svc_sessions: session } = rows;
  const [nextId, otherId] = [identityId, '00000000-0000-7000-8000-000000000004'];
  // Their statements name their own columns, as the rows here do.
  await knex('svc_users').insert({ ...user, id: nextId, email: null });
  await knex('svc_sessions').insert({ ...session, id: otherId, user_id: nextId });
  expect(await storage.guests?.isGuest(nextId)).toBe(false);
  expect((await storage.sessions.findWithUser(otherId))?.user.id).toBe(nextId);
});

it('indexes every foreign key, so that a deletion does not read whole tables', async () => {
  await storage.init();
  const { rows: unindexed } = await knex.raw<{ rows: unknown[] }>(`
    select c.conrelid::regclass as table, a.attname as column
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and not exists (
      select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1])`);
  expect(unindexed).toEqual([]);
});
