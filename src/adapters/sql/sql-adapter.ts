/** A StorageAdapter over any knex instance that speaks PostgreSQL; knexAdapter and pgliteAdapter open one. */
import type { Knex } from 'knex';
import { ConfigError } from '../../errors/catalog.js';
import type { StorageAdapter, StorageWarning } from '../../storage/adapter.js';
import { accountQueries } from './accounts.js';
import { apiKeyQueries } from './api-keys.js';
import { epochMs, readTime } from './bindings.js';
import { credentialQueries } from './credentials.js';
import { toInternalError } from './database-error.js';
import { database } from './database.js';
import { guestQueries } from './guests.js';
import { identityQueries } from './identities.js';
import { migrate, tables } from './migrations/migrate.js';
import { oneTimeCodeQueries } from './one-time-codes.js';
import { orgInviteQueries } from './org-invites.js';
import { orgMembershipQueries } from './org-memberships.js';
import { orgQueries } from './orgs.js';
import { purgeQueries } from './purge.js';
import { rateLimitQueries } from './rate-limits.js';
import { refreshFamilyQueries } from './refresh-families.js';
import { revocationQueries } from './revocations.js';
import { checkServer } from './server-check.js';
import { sessionQueries } from './sessions.js';
import { singleUseTokenQueries } from './single-use-tokens.js';
import { statementsIn } from './statements.js';
import { totpQueries } from './totp.js';
import { userQueries } from './users.js';

/** Where the knex instance comes from, and how to give it back. */
export interface KnexSource {
  /** Called for every statement: the first call opens, the others answer the same. */
  open: () => Promise<Knex>;
  close: () => Promise<void>;
}

// The one statement that reads a clock: it is what the engine compares its own with.
const readClock = `select ${epochMs('clock_timestamp()')} as now_ms`;

/** @param schema the name of the schema of the tables; without it, the connection's current one. @throws ConfigError for a bad name. */
export function sqlAdapter(source: KnexSource, schema?: string): StorageAdapter {
  const configured = schema === undefined ? undefined : statementsIn(schema, tables);
  const statements = rememberSuccess(
    async () => configured ?? statementsIn(await currentSchema(await source.open()), tables),
  );
  let warn: StorageWarning = (_fields, message) => process.emitWarning(message, 'SvcAuthWarning');
  const db = database({ open: source.open, statements, warn: (...warning) => warn(...warning) });
  const { claim, resetPassword, changePassword, changeEmail, revokeAll } = revocationQueries(db);
  return {
    users: { ...userQueries(db), claim, resetPassword, changePassword },
    identities: identityQueries(db),
    sessions: { ...sessionQueries(db), revokeAll },
    oneTimeCodes: oneTimeCodeQueries(db),
    singleUseTokens: singleUseTokenQueries(db),
    rateLimits: rateLimitQueries(db),
    guests: guestQueries(db),
    refreshFamilies: refreshFamilyQueries(db),
    apiKeys: apiKeyQueries(db),
    orgs: { ...orgQueries(db), ...orgMembershipQueries(db), ...orgInviteQueries(db) },
    totp: totpQueries(db),
    credentials: credentialQueries(db),
    accounts: { ...accountQueries(db), changeEmail },
    ...purgeQueries(db),
    async init(options) {
      warn = options?.warn ?? warn;
      await checkServer(db);
      await migrate(db, warn);
    },
    async currentTime() {
      const [now] = await db.query(readClock, {}, (row: { now_ms: string }) => readTime(row.now_ms));
      return now?.getTime() ?? Number.NaN;
    },
    close: source.close,
  };
}

/** A source that opens an instance of its own at the first statement, and so destroys it. */
export function ownedKnex(create: () => Promise<Knex>): KnexSource {
  let opening: Promise<Knex> | null = null;
  const open = rememberSuccess(create);
  return {
    open: () => (opening = open()),
    async close() {
      const knex = await opening?.catch(() => null);
      await knex?.destroy();
    },
  };
}

/** The first schema of the `search_path` that exists, in which unqualified tables would be created. */
async function currentSchema(knex: Knex): Promise<string> {
  try {
    const { rows } = await knex.raw<{ rows: { name: string | null }[] }>(
      'select cast(current_schema() as text) as name',
    );
    if (rows[0]?.name) return rows[0].name;
  } catch (error) {
    throw toInternalError(error);
  }
  const message =
    'no schema of the search_path exists: create one, or name another with the option `schema`.';
  throw new ConfigError([{ path: 'adapter', message }]);
}

function rememberSuccess<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () =>
    (asked ??= ask().catch((error: unknown) => {
      // Tried again by the next statement: what was in the way may be gone by then.
      asked = null;
      throw error;
    }));
}
