import { randomUUID } from 'node:crypto';
import knexPackage from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import { StorageProcesses } from '../support/storage-processes.js';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(() => database.drop());

const tables = [
  'svc_active_users',
  'svc_api_keys',
  'svc_audit_chain',
  'svc_audit_log',
  'svc_audit_seals',
  'svc_credentials',
  'svc_identities',
  'svc_lockdown',
  'svc_migrations',
  'svc_oauth_clients',
  'svc_oauth_grants',
  'svc_oauth_keys',
  'svc_oauth_tokens',
  'svc_one_time_codes',
  'svc_org_invites',
  'svc_org_memberships',
  'svc_orgs',
  'svc_rate_limits',
  'svc_recovery_codes',
  'svc_refresh_families',
  'svc_sessions',
  'svc_single_use_tokens',
  'svc_statistics',
  'svc_totp',
  'svc_totp_apps',
  'svc_trusted_browsers',
  'svc_users',
];

async function inspect() {
  const knex = knexPackage({ client: 'pg', connection: database.url });
  const { rows: tableRows } = await knex.raw<{ rows: { tablename: string }[] }>(
    `select tablename from pg_tables where schemaname = 'public' order by tablename`,
  );
  const { rows: applied } = await knex.raw<{ rows: unknown[] }>(
    'select id, name from svc_migrations order by id',
  );
  await knex.destroy();
  return { tables: tableRows.map(({ tablename }) => tablename), applied };
}

const appliedMigrations = [
  { id: 1, name: 'first-release' },
  { id: 2, name: 'pro-tier' },
  { id: 3, name: 'second-factors' },
  { id: 4, name: 'account-states' },
  { id: 5, name: 'renewals-in-place' },
  { id: 6, name: 'list-pages' },
  { id: 7, name: 'user-administration' },
  { id: 8, name: 'session-changes' },
  { id: 9, name: 'more-second-factors' },
  { id: 10, name: 'passkey-details' },
  { id: 11, name: 'links-with-codes' },
  { id: 12, name: 'session-origins' },
  { id: 13, name: 'user-languages' },
  { id: 14, name: 'oauth-server' },
  { id: 15, name: 'oauth-token-clients' },
  { id: 16, name: 'external-ids' },
  { id: 17, name: 'foreign-api-keys' },
  { id: 18, name: 'passkey-handles' },
  { id: 19, name: 'lockdowns' },
  { id: 20, name: 'bound-sessions' },
  { id: 21, name: 'bound-session-changes' },
  { id: 22, name: 'audit-log' },
  { id: 23, name: 'statistics' },
  { id: 24, name: 'audit-acting-user' },
];

const record = {
  now: '',
  userId: '',
  email: '',
  codeHash: '',
  linkDigest: '',
  resetDigest: '',
  familyId: '',
  inviteDigest: '',
  inviteeId: '',
  pendingSecret: '',
  holderId: '',
  secret: '',
  recoveryHash: '',
  passkeyId: '',
  grantId: '',
  authorizationCode: '',
};

it('five processes that call init() concurrently on an empty database create one schema without an error', async () => {
  const processes = await StorageProcesses.start(5);
  try {
    const responses = await processes.run({ url: database.url, race: 'init', calls: 3, record });
    expect(responses).toEqual([3, 3, 3, 3, 3]);
    expect(await inspect()).toEqual({ tables, applied: appliedMigrations });
  } finally {
    await processes.stop();
  }
});

it('init() leaves a database of a newer release unchanged', async () => {
  const knex = knexPackage({ client: 'pg', connection: database.url });
  const adapter = knexAdapter(knex);
  await adapter.init();
  await knex.raw(`insert into svc_migrations (id, name) values (99, 'from-the-future')`);
  await adapter.init();
  expect(await adapter.users.findByEmail('nobody@example.test')).toBeNull();
  await knex.destroy();
});

it('an adapter works without init() if the schema exists', async () => {
  const config = { client: 'pg', connection: database.url };
  const first = knexAdapter(config);
  await first.init();
  await first.close();
  const second = knexAdapter(config);
  expect(await second.users.findByEmail('nobody@example.test')).toBeNull();
  await second.close();
});

it('owners, memberships of a user and keys are each read with one index, in a large organization, too', async () => {
  const knex = knexPackage({ client: 'pg', connection: database.url });
  const adapter = knexAdapter(knex);
  await adapter.init();
  const { rows: indexes } = await knex.raw<{ rows: { indexname: string }[] }>(
    `select indexname from pg_indexes where tablename in ('svc_org_memberships', 'svc_api_keys') order by indexname`,
  );
  expect(indexes.map(({ indexname }) => indexname)).toEqual([
    'svc_api_keys_key_digest',
    'svc_api_keys_of_org',
    'svc_api_keys_of_user',
    'svc_api_keys_pkey',
    'svc_org_memberships_by_age',
    'svc_org_memberships_of_user',
    'svc_org_memberships_owners',
    'svc_org_memberships_pkey',
  ]);
  const now = new Date();
  const [orgId, ownerId] = [randomUUID(), randomUUID()];
  const owner = { id: ownerId, email: null, emailVerified: false, passwordHash: null, metadata: {} };
  await adapter.users.insert({ ...owner, createdAt: now });
  const org = { id: orgId, name: 'Acme', slug: 'acme', metadata: {}, createdAt: now, updatedAt: now };
  await adapter.orgs!.create(org, { orgId, userId: ownerId, role: 'owner', createdAt: now });
  await knex.raw(
    `with members as (
      insert into svc_users (id, email_verified, metadata, epoch, created_at, updated_at)
      select gen_random_uuid(), false, '{}', 0, now(), now() from generate_series(1, 5000) returning id)
    insert into svc_org_memberships (org_id, user_id, role, created_at)
    select ?, id, 'member', now() from members`,
    [orgId],
  );
  await knex.raw('analyze svc_org_memberships');
  const planOf = async (condition: string, id: string) => {
    const { rows } = await knex.raw<{ rows: Record<string, string>[] }>(
      `explain select count(*) from svc_org_memberships where ${condition}`,
      [id],
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  expect(await planOf(`org_id = ? and role = 'owner'`, orgId)).toContain('svc_org_memberships_owners');
  expect(await planOf('user_id = ?', ownerId)).toContain('svc_org_memberships_of_user');
  await knex.destroy();
});
