/** Brings the schema up to date: all missing migrations in one transaction, one process at a time. */
import type { Database } from '../database.js';
import { firstRelease } from './0001-first-release.js';
import { proTier } from './0002-pro-tier.js';
import { secondFactors } from './0003-second-factors.js';
import type { Migration } from './migration.js';

const migrations: readonly Migration[] = [firstRelease, proTier, secondFactors];

// Arbitrary, but ours alone ("svc-auth" in ASCII): advisory locks are shared with the rest of the database.
const lock = `select pg_advisory_xact_lock(8319395793567511656)`;

const findRegister = `select to_regclass('svc_migrations') is not null as found`;
const createRegister = `create table svc_migrations (id integer primary key, name text not null)`;

/** @throws InternalError where the database refuses; then nothing has changed. */
export async function migrate(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.execute(lock, {});
    // Asked for first: a role that may not create tables can still start on a schema that is up to date.
    const [found] = await transaction.query(findRegister, {}, (row: { found: boolean }) => row.found);
    if (!found) await transaction.execute(createRegister, {});
    const applied = await transaction.query(
      `select id from svc_migrations`,
      {},
      (row: { id: number }) => row.id,
    );
    for (const { id, name, statements } of migrations) {
      if (applied.includes(id)) continue;
      for (const statement of statements) await transaction.execute(statement, {});
      await transaction.execute(`insert into svc_migrations (id, name) values (:id, :name)`, { id, name });
    }
  });
}
