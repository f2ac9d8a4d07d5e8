/**
 * Brings the schema up to date: each missing migration in a separate transaction, one process at a
 * time.
 */
import { InternalError } from '../../../errors/catalog.js';
import type { StorageWarning } from '../../../storage/warning.js';
import { isLockTimeout } from '../database-error.js';
import type { Database, Queryable } from '../database.js';
import { pauseWithJitter } from '../../../storage/retries.js';
import { firstRelease } from './0001-first-release.js';
import { proTier } from './0002-pro-tier.js';
import { secondFactors } from './0003-second-factors.js';
import { accountStates } from './0004-account-states.js';
import { renewalsInPlace } from './0005-renewals-in-place.js';
import { listPages } from './0006-list-pages.js';
import { userAdministration } from './0007-user-administration.js';
import { sessionChanges } from './0008-session-changes.js';
import { moreSecondFactors } from './0009-more-second-factors.js';
import { passkeyDetails } from './0010-passkey-details.js';
import { linksWithCodes } from './0011-links-with-codes.js';
import { sessionOrigins } from './0012-session-origins.js';
import { userLanguages } from './0013-user-languages.js';
import { oauthServer } from './0014-oauth-server.js';
import { oauthTokenClients } from './0015-oauth-token-clients.js';
import { externalIds } from './0016-external-ids.js';
import { foreignApiKeys } from './0017-foreign-api-keys.js';
import { passkeyHandles } from './0018-passkey-handles.js';
import { lockdowns } from './0019-lockdowns.js';
import { boundSessions } from './0020-bound-sessions.js';
import { boundSessionChanges } from './0021-bound-session-changes.js';
import { auditLog } from './0022-audit-log.js';
import { statistics } from './0023-statistics.js';
import { auditActingUser } from './0024-audit-acting-user.js';
import { changeIndexes } from './indexes.js';
import type { Migration } from './migration.js';
import { withTableLock } from './table-lock.js';

export const migrations: readonly Migration[] = [
  firstRelease,
  proTier,
  secondFactors,
  accountStates,
  renewalsInPlace,
  listPages,
  userAdministration,
  sessionChanges,
  moreSecondFactors,
  passkeyDetails,
  linksWithCodes,
  sessionOrigins,
  userLanguages,
  oauthServer,
  oauthTokenClients,
  externalIds,
  foreignApiKeys,
  passkeyHandles,
  lockdowns,
  boundSessions,
  boundSessionChanges,
  auditLog,
  statistics,
  auditActingUser,
];

export interface MigrationOptions {
  /**
   * What keeps processes from migrating at the same time: an advisory lock, or a row in the table `svc_migration_lock`, for databases
   * without advisory locks. Default: `advisory`.
   */
  lock?: 'advisory' | 'table';
  /**
   * If false, the triggers that `session.cache` uses are not created, for databases without `NOTIFY`; `session.cache` then requires a
   * `store`. Choose it before the first `init()`: a migration is applied once. Default: true.
   */
  triggers?: boolean;
}

/** Names of all tables. */
export const tables: readonly string[] = [
  'svc_migrations',
  ...namesAfter(/create table (?:if not exists )?(svc_\w+)/),
];

/** The tables that the repositories write to, those that refer to others first. */
export const tablesWithRows: readonly string[] = tables.slice(1).reverse();

/** Names of all tables and functions. Statements write them without the schema. */
export const qualifiedNames: readonly string[] = [
  ...tables,
  'svc_migration_lock',
  ...namesAfter(/create or replace function (svc_\w+)/),
];

function namesAfter(creation: RegExp): string[] {
  return migrations
    .flatMap(({ statements }) => statements)
    .flatMap((statement) => creation.exec(statement)?.[1] ?? []);
}

// Arbitrary but unique ("svc-auth" in ASCII), because advisory locks are shared with the rest of
// the database. It does not wait for the lock: a waiting transaction would block `create index
// concurrently` in another process.
const tryLock = `select pg_try_advisory_xact_lock(8319395793567511656) as is_locked`;

// Queries on a table queue behind a migration that waits for it, so the migration soon gives up its
// place and tries again.
const lockTimeoutMs = 300;
const retryIntervalMs = 1_000;
const maxAttempts = 120;
// Ten minutes while another process migrates.
const pollIntervalMs = 200;
const maxPolls = 3_000;

const limitLocks = `set local lock_timeout = ${lockTimeoutMs}`;
// The role's own limit is meant for requests.
const liftStatementLimit = `set local statement_timeout = 0`;

// Reads the catalog: `to_regclass` may return the state from before the lock was taken.
const findRegister = `
  select exists (
    select from pg_class where relname = :register and relnamespace = to_regnamespace(:schema)) as is_found`;
export const createRegister = `create table svc_migrations (id integer primary key, name text not null)`;
const readRegister = `select id from svc_migrations`;
const register = `insert into svc_migrations (id, name) values (:id, :name)`;

/**
 * Applies the migrations that are missing. Waits for a table only briefly, then tries again for
 * about two minutes.
 * @param report receives the name of each migration and index before it is changed.
 * @throws InternalError if a migration fails. The migrations before it stay applied.
 */
export async function migrate(
  db: Database,
  warn: StorageWarning,
  options: MigrationOptions = {},
  report: (step: string) => void = () => undefined,
): Promise<void> {
  // Read first, without a lock: a role that may not create tables can still start on a schema that
  // is up to date.
  const applied = (await appliedIds(db, await db.schema())) ?? [];
  for (const migration of migrations) {
    if (applied.includes(migration.id)) continue;
    report(migration.name);
    await retry(migration, warn, () => apply(db, migration, options));
  }
  const newest = migrations.at(-1)?.id ?? 0;
  // A newer release has migrated the database and may have changed the indexes.
  if (applied.some((id) => id > newest)) return;
  await changeIndexes(
    db,
    migrations.flatMap(({ indexes = [] }) => indexes),
    report,
  );
}

/** Null if the register of migrations does not exist. */
export async function appliedIds(on: Queryable, schema: string): Promise<number[] | null> {
  const bindings = { register: 'svc_migrations', schema };
  const [isFound] = await on.query(findRegister, bindings, (row: { is_found: boolean }) => row.is_found);
  return isFound ? on.query(readRegister, {}, (row: { id: number }) => row.id) : null;
}

/** `busy`: another process is migrating. */
async function apply(
  db: Database,
  migration: Migration,
  { lock = 'advisory', triggers = true }: MigrationOptions,
): Promise<'done' | 'busy'> {
  const included = triggers || !migration.isOfTriggers ? migration : { ...migration, statements: [] };
  if (lock === 'advisory') return applyOnce(db, included, true);
  return withTableLock(db, async () => {
    try {
      return await applyOnce(db, included, false);
    } catch (error) {
      // A process whose row has expired may have applied it in the meantime.
      const applied = await appliedIds(db, await db.schema());
      if (applied?.includes(migration.id)) return 'done';
      throw error;
    }
  });
}

async function applyOnce(
  db: Database,
  { id, name, statements }: Migration,
  takesLock: boolean,
): Promise<'done' | 'busy'> {
  const schema = await db.schema();
  return db.transaction(async (transaction) => {
    await transaction.execute(liftStatementLimit, {});
    if (takesLock) {
      const [isLocked] = await transaction.query(tryLock, {}, (row: { is_locked: boolean }) => row.is_locked);
      if (!isLocked) return 'busy';
    }
    await transaction.execute(limitLocks, {});
    const applied = await appliedIds(transaction, schema);
    if (applied === null) await transaction.execute(createRegister, {});
    if (applied?.includes(id)) return 'done';
    for (const statement of statements) await transaction.execute(statement, {});
    await transaction.execute(register, { id, name });
    return 'done';
  });
}

async function retry(
  { name }: Migration,
  warn: StorageWarning,
  attempt: () => Promise<'done' | 'busy'>,
): Promise<void> {
  let attempts = 0;
  for (let polls = 0; polls < maxPolls; polls += 1) {
    try {
      if ((await attempt()) === 'done') return;
      await pauseWithJitter(pollIntervalMs);
    } catch (error) {
      attempts += 1;
      if (!isLockTimeout(error) || attempts === maxAttempts) throw error;
      if (attempts === 1) {
        const message =
          'A migration requires a table that another transaction is using. It tries again every second.';
        warn({ event: 'migration_waits', migration: name }, message);
      }
      await pauseWithJitter(retryIntervalMs);
    }
  }
  throw new InternalError(undefined, `The migration ${name} was not applied: another process is migrating.`);
}
