/**
 * The StorageAdapter for every knex instance of PostgreSQL. knexAdapter and pgliteAdapter open one.
 */
import type { Knex } from 'knex';
import { ConfigError } from '../../errors/catalog.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { StorageWarning } from '../../storage/warning.js';
import { portableRepositories } from '../portable/repositories.js';
import { apiKeyQueries } from './api-keys.js';
import { readTime } from '../shared/bindings.js';
import { epochMs } from './expressions.js';
import { toInternalError } from './database-error.js';
import { database } from './database.js';
import { postgresInspection } from './inspection.js';
import { elementaryAttempt } from '../shared/elementary-attempt.js';
import { readFirstApps } from './export-factors.js';
import { exportQueries } from '../portable/exports.js';
import { insertApps } from './import-factors.js';
import { importQueries } from '../portable/imports/imports.js';
import { identityQueries } from './identities.js';
import { migrate, qualifiedNames, tablesWithRows, type MigrationOptions } from './migrations/migrate.js';
import { cacheSuccess, type KnexSource } from '../shared/knex-source.js';
import type { PgClient } from './listener-connection.js';
import { lockdownQueries } from '../portable/lockdowns.js';
import { announceLockdown } from './session-triggers.js';
import { oneTimeCodeQueries } from './one-time-codes.js';
import { purgeQueries } from './purge.js';
import { rateLimitQueries } from './rate-limits.js';
import { refreshFamilyQueries } from './refresh-families.js';
import { checkServer } from './server-check.js';
import { replicaOf, withReplica } from './with-replica.js';
import { withSessionChanges } from './session-changes.js';
import { oauthAccessQueries } from './oauth-access.js';
import { postgresSchema } from './schema-administration.js';
import { sessionQueries } from './sessions.js';
import { sessionTriggers } from './session-triggers.js';
import { singleUseTokenQueries } from './single-use-tokens.js';
import { statementsIn } from './statements.js';
import { totpQueries } from './totp.js';
import { trustedBrowserQueries } from './trusted-browsers.js';
import { userQueries } from './users.js';
import { wordIndexQueries } from './word-index.js';

// The only statement of a service that reads a clock: the engine compares its own clock with it.
const readClock = `select ${epochMs('clock_timestamp()')} as now_ms`;

interface PostgresAdapterOptions {
  /** The schema of the tables. Default: the connection's current schema. */
  schema?: string;
  /** Creates a client outside of the pool. Absent if no other process can use the database. */
  createClient?: (knex: Knex) => Promise<PgClient>;
  migrations?: MigrationOptions;
  replica?: { source: KnexSource; maxStaleMs: number };
}

/** Returns the storage adapter. @throws ConfigError if the schema name is invalid. */
export function postgresAdapter(
  source: KnexSource,
  { schema, createClient, migrations, replica }: PostgresAdapterOptions = {},
): StorageAdapter {
  const configured = schema === undefined ? undefined : statementsIn(schema, qualifiedNames);
  const statements = cacheSuccess(
    async () => configured ?? statementsIn(await currentSchema(await source.open()), qualifiedNames),
  );
  let warn: StorageWarning = (_fields, message) => process.emitWarning(message, 'SvcAuthWarning');
  const db = database({ open: source.open, statements, warn: (...warning) => warn(...warning) });
  const { attemptAndCorrect, ...oneTimeCodes } = oneTimeCodeQueries(db);
  const { correctAndStart, hitAndFindUser, ...rateLimits } = rateLimitQueries(db);
  const listenerSource = createClient && {
    createClient: async () => createClient(await source.open()),
    ...sessionTriggers(db),
  };
  const all = portableRepositories(db);
  // The statements of the hot path are prepared, each of them one round trip.
  const repositories = {
    ...all,
    users: { ...all.users, ...userQueries(db) },
    userAdministration: { ...all.userAdministration, ...wordIndexQueries(db) },
    identities: { ...all.identities, ...identityQueries(db) },
    sessions: { ...all.sessions, ...sessionQueries(db) },
    oauthServer: { ...all.oauthServer, ...oauthAccessQueries(db) },
    oneTimeCodes: { ...oneTimeCodes, attempt: elementaryAttempt(attemptAndCorrect) },
    singleUseTokens: singleUseTokenQueries(db),
    rateLimits,
    fastPaths: { attemptAndCorrect, correctAndStart, hitAndFindUser },
    refreshFamilies: { ...all.refreshFamilies, ...refreshFamilyQueries(db) },
    apiKeys: { ...all.apiKeys, ...apiKeyQueries(db) },
    totp: totpQueries(db),
    imports: importQueries(db, insertApps),
    exports: exportQueries(db, readFirstApps),
    lockdowns: lockdownQueries(db, migrations?.triggers === false ? undefined : announceLockdown),
    trustedBrowsers: { ...all.trustedBrowsers, ...trustedBrowserQueries(db) },
  };
  const onReplica = replica && replicaOf(db, replica, statements, (...warning) => warn(...warning));
  const reporting = withSessionChanges(
    onReplica ? withReplica(repositories, onReplica) : repositories,
    listenerSource,
  );
  const { sessionChanges, ...withoutTriggers } = reporting.repositories;
  return {
    ...withoutTriggers,
    ...(migrations?.triggers !== false && { sessionChanges }),
    ...purgeQueries(db),
    inspection: postgresInspection(db, source.open, listenerSource?.createClient),
    schema: postgresSchema(db, statements, migrations),
    async init(options) {
      warn = options?.warn ?? warn;
      await checkServer(db);
      if (options?.migrate !== false) await migrate(db, warn, migrations);
    },
    async currentTime() {
      const [now] = await db.query(readClock, {}, (row: { now_ms: string }) => readTime(row.now_ms));
      return now?.getTime() ?? Number.NaN;
    },
    async clear() {
      await db.transaction(async (transaction) => {
        for (const table of tablesWithRows) await transaction.execute(`delete from ${table}`, {});
      });
      reporting.report([null]);
    },
    async close() {
      await reporting.closeListeners();
      await replica?.source.close();
      await source.close();
    },
  };
}

/**
 * Returns the first existing schema of the `search_path`, in which unqualified tables would be
 * created.
 */
async function currentSchema(knex: Knex): Promise<string> {
  try {
    const { rows } = await knex.raw<{ rows: { name: string | null }[] }>(
      'select cast(current_schema() as text) as name',
    );
    if (rows[0]?.name) return rows[0].name;
  } catch (error) {
    throw toInternalError(error);
  }
  const message = 'no schema of the search_path exists: create one, or set the option `schema`.';
  throw new ConfigError([{ path: 'adapter', message }]);
}
