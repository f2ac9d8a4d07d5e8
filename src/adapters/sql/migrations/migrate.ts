/** Brings the schema up to date: each missing migration in a separate transaction, one process at a time. */
import { InternalError } from '../../../errors/catalog.js';
import type { StorageWarning } from '../../../storage/adapter.js';
import { isLockTimeout } from '../database-error.js';
import type { Database, Queryable } from '../database.js';
import { pauseAbout } from '../retries.js';
import { firstRelease } from './0001-first-release.js';
import { proTier } from './0002-pro-tier.js';
import { secondFactors } from './0003-second-factors.js';
import { accountStates } from './0004-account-states.js';
import { renewalsInPlace } from './0005-renewals-in-place.js';
import { listPages } from './0006-list-pages.js';
import { changeIndexes } from './indexes.js';
import type { Migration } from './migration.js';

const migrations: readonly Migration[] = [
  firstRelease,
  proTier,
  secondFactors,
  accountStates,
  renewalsInPlace,
  listPages,
];

/** The names of all tables. */
export const tables: readonly string[] = [
  'svc_migrations',
  ...migrations
    .flatMap(({ statements }) => statements)
    .flatMap((statement) => /create table (?:if not exists )?(svc_\w+)/.exec(statement)?.[1] ?? []),
];

// Arbitrary, but ours alone ("svc-auth" in ASCII): advisory locks are shared with the rest of the database.
// Tried instead of waited for: a transaction that waits would hold up `create index concurrently` in another process.
const tryLock = `select pg_try_advisory_xact_lock(8319395793567511656) as is_locked`;

// Requests for a table wait behind a migration that waits for it, so the migration gives way soon and tries again.
const lockTimeoutMs = 300;
const betweenTriesMs = 1_000;
const mostTries = 120;
// While another process migrates: ten minutes in all.
const betweenLooksMs = 200;
const mostLooks = 3_000;

const limitLocks = `set local lock_timeout = ${lockTimeoutMs}`;
// The limit of the role is meant for requests.
const liftStatementLimit = `set local statement_timeout = 0`;

// In the catalog itself: `to_regclass` may answer from before the lock was taken.
const findRegister = `
  select exists (
    select from pg_class where relname = :register and relnamespace = to_regnamespace(:schema)) as is_found`;
const createRegister = `create table svc_migrations (id integer primary key, name text not null)`;
const readRegister = `select id from svc_migrations`;
const register = `insert into svc_migrations (id, name) values (:id, :name)`;

/**
 * Applies what is missing. Waits for a table only briefly, then tries again for about two minutes.
 * @throws InternalError if the database refuses. The migrations before the failed one stay.
 */
export async function migrate(db: Database, warn: StorageWarning): Promise<void> {
  // Read first, without a lock: a role that may not create tables can still start on a schema that is up to date.
  const applied = (await appliedIds(db, await db.schema())) ?? [];
  for (const migration of migrations) {
    if (applied.includes(migration.id)) continue;
    await tryAgain(migration, warn, () => apply(db, migration));
  }
  const newest = migrations.at(-1)?.id ?? 0;
  // A newer release knows better which indexes there should be.
  if (applied.some((id) => id > newest)) return;
  await changeIndexes(
    db,
    migrations.flatMap(({ indexes = [] }) => indexes),
  );
}

/** Null if the register of migrations does not exist. */
async function appliedIds(on: Queryable, schema: string): Promise<number[] | null> {
  const bindings = { register: 'svc_migrations', schema };
  const [isFound] = await on.query(findRegister, bindings, (row: { is_found: boolean }) => row.is_found);
  return isFound ? on.query(readRegister, {}, (row: { id: number }) => row.id) : null;
}

/** `busy`: another process is migrating. */
async function apply(db: Database, { id, name, statements }: Migration): Promise<'done' | 'busy'> {
  const schema = await db.schema();
  return db.transaction(async (transaction) => {
    await transaction.execute(liftStatementLimit, {});
    const [isLocked] = await transaction.query(tryLock, {}, (row: { is_locked: boolean }) => row.is_locked);
    if (!isLocked) return 'busy';
    await transaction.execute(limitLocks, {});
    const applied = await appliedIds(transaction, schema);
    if (applied === null) await transaction.execute(createRegister, {});
    if (applied?.includes(id)) return 'done';
    for (const statement of statements) await transaction.execute(statement, {});
    await transaction.execute(register, { id, name });
    return 'done';
  });
}

async function tryAgain(
  { name }: Migration,
  warn: StorageWarning,
  attempt: () => Promise<'done' | 'busy'>,
): Promise<void> {
  let tries = 0;
  for (let looks = 0; looks < mostLooks; looks += 1) {
    try {
      if ((await attempt()) === 'done') return;
      await pauseAbout(betweenLooksMs);
    } catch (error) {
      tries += 1;
      if (!isLockTimeout(error) || tries === mostTries) throw error;
      if (tries === 1) {
        const message =
          'a migration needs a table that another transaction is using; it tries again every second';
        warn({ event: 'migration_waits', migration: name }, message);
      }
      await pauseAbout(betweenTriesMs);
    }
  }
  throw new InternalError(undefined, `The migration ${name} was not applied: another process is migrating.`);
}
