/** Reads the state of the schema, of expired rows and of connections: storage/inspection.ts. */
import type { Knex } from 'knex';
import type { StorageInspection } from '../../storage/inspection.js';
import { asTimestamp } from '../shared/bindings.js';
import { maxOfPool } from '../shared/pool-size.js';
import { expectedIndexes, migrationState } from '../shared/schema-state.js';
import { hearsNotifications, poolerBehavior } from './connection-probes.js';
import type { Database } from './database.js';
import type { PgClient } from './listener-connection.js';
import { appliedIds, migrations } from './migrations/migrate.js';

const readIndexes = `
  select cast(c.relname as text) as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = to_regnamespace(:schema) and i.indisvalid`;

const readMaximum = `select cast(current_setting('max_connections') as integer) as max_connections`;

const readSuperuser = `select rolsuper as is_superuser from pg_roles where rolname = current_user`;

/** Sessions are purged by a separate column, which has an index. */
const expiredRows: Readonly<Record<string, string>> = {
  svc_sessions: 'purge_after <= :before and expires_at <= :before',
  svc_single_use_tokens: 'expires_at <= :before',
  svc_one_time_codes: 'expires_at <= :before',
  svc_rate_limits: 'reset_at <= :before',
  svc_refresh_families: 'expires_at <= :before',
  svc_org_invites: 'expires_at <= :before',
  svc_oauth_clients: 'expires_at <= :before',
  svc_oauth_grants: 'expires_at <= :before',
  svc_oauth_tokens: 'expires_at <= :before',
  svc_trusted_browsers: 'expires_at <= :before',
  svc_statistics: 'expires_at <= :before',
  svc_active_users: 'expires_at <= :before',
};

const revokedSessions = `
  select exists (select from svc_sessions where revoked_at is not null and revoked_at <= :before) as is_found`;

/** @param createClient opens a connection outside of the pool. Absent if no other process can use the database. */
export function postgresInspection(
  db: Database,
  open: () => Promise<Knex>,
  createClient?: () => Promise<PgClient>,
): StorageInspection {
  return {
    migrations: async () => migrationState(migrations, await appliedIds(db, await db.schema())),
    async missingIndexes() {
      const schema = await db.schema();
      const existing = await db.query(readIndexes, { schema }, (row: { name: string }) => row.name);
      return expectedIndexes(migrations).filter((name) => !existing.includes(name));
    },
    unpurged: (before) => unpurged(db, asTimestamp(before)),
    ...(createClient && {
      async connections() {
        const server = await db.find(
          readMaximum,
          {},
          (row: { max_connections: number }) => row.max_connections,
        );
        return { pool: maxOfPool(await open()), server };
      },
      isSuperuser: async () =>
        (await db.find(readSuperuser, {}, (row: { is_superuser: boolean }) => row.is_superuser)) === true,
      pooler: async () => poolerBehavior(await open()),
      hearsNotifications: async (timeoutMs) => hearsNotifications(await open(), createClient, timeoutMs),
    }),
  };
}

async function unpurged(db: Database, before: string): Promise<string[]> {
  const isFound = async (sql: string) =>
    (await db.find(sql, { before }, (row: { is_found: boolean }) => row.is_found)) === true;
  const found = new Set<string>();
  if (await isFound(revokedSessions)) found.add('svc_sessions');
  for (const [table, condition] of Object.entries(expiredRows))
    if (await isFound(`select exists (select from ${table} where ${condition}) as is_found`))
      found.add(table);
  return [...found];
}
