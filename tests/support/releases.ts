/** Databases of earlier releases, with rows in every table as those releases wrote them. */
import type { Knex } from 'knex';
import { firstRelease } from '../../src/adapters/postgres/migrations/0001-first-release.js';
import { proTier } from '../../src/adapters/postgres/migrations/0002-pro-tier.js';
import type { Migration } from '../../src/adapters/postgres/migrations/migration.js';

export type Row = Record<string, unknown>;

export interface Release {
  migrations: readonly Migration[];
  /** One row per table. An array in it is JSON, both written and read. */
  rows: Readonly<Record<string, Row>>;
}

/** Returns an id that is the same in every run. */
export function idOf(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

export const [userId, sessionId, orgId, familyId, keyId] = [1, 2, 4, 5, 6].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
];

const rowsOfFirst: Record<string, Row> = {
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
    id: idOf(3),
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

const rowsOfSecond: Record<string, Row> = {
  ...rowsOfFirst,
  svc_users: { ...rowsOfFirst['svc_users'], is_guest: false },
  svc_refresh_families: {
    id: familyId,
    user_id: userId,
    counter: 7,
    rotated_at: '2031-05-03T00:00:00.011Z',
    epoch: 4,
    claims: { plan: 'free' },
    device: { name: 'Phone' },
    created_at: '2031-05-01T00:00:00.012Z',
    expires_at: '2031-06-01T00:00:00.013Z',
    revoked_at: null,
  },
  svc_orgs: {
    id: orgId,
    name: 'Acme',
    slug: 'acme',
    metadata: {},
    created_at: '2029-03-01T00:00:00.014Z',
    updated_at: '2029-03-01T00:00:00.015Z',
  },
  svc_org_memberships: {
    org_id: orgId,
    user_id: userId,
    role: 'owner',
    created_at: '2029-03-01T00:00:00.016Z',
  },
  svc_org_invites: {
    id: idOf(7),
    digest: 'invite',
    org_id: orgId,
    email: 'grace@example.test',
    role: 'member',
    invited_by_user_id: userId,
    created_at: '2031-05-01T00:00:00.017Z',
    expires_at: '2031-06-01T00:00:00.018Z',
    accepted_at: null,
  },
  svc_api_keys: {
    id: keyId,
    name: 'Deployment',
    prefix: 'svc_abcd',
    secret_hash: 'hash',
    user_id: userId,
    org_id: null,
    scopes: ['read'],
    metadata: {},
    created_at: '2031-05-01T00:00:00.019Z',
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
  },
};

export const releases: Readonly<Record<'first' | 'second', Release>> = {
  first: { migrations: [firstRelease], rows: rowsOfFirst },
  second: { migrations: [firstRelease, proTier], rows: rowsOfSecond },
};

/** Creates the schema and rows of a release in an empty database. */
export async function installRelease(knex: Knex, { migrations, rows }: Release): Promise<void> {
  await knex.raw('create table svc_migrations (id integer primary key, name text not null)');
  for (const { id, name, statements } of migrations) {
    for (const statement of statements) await knex.raw(statement);
    await knex('svc_migrations').insert({ id, name });
  }
  for (const [table, row] of Object.entries(rows)) await insertRow(knex, table, row);
}

/** Inserts a row with the columns of its release. */
export async function insertRow(knex: Knex, table: string, row: Row): Promise<void> {
  const toBinding = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : value);
  const bindings = Object.entries(row).map(([column, value]) => [column, toBinding(value)]);
  await knex(table).insert(Object.fromEntries(bindings));
}

/** Reads the rows of a table with the columns of the release. */
export async function readRows(knex: Knex, table: string, { rows }: Release): Promise<unknown[]> {
  const found = await knex<Row>(table).select(Object.keys(rows[table] ?? {}));
  return JSON.parse(JSON.stringify(found)) as unknown[];
}
