/** Brings the schema up to date: all missing migrations in one transaction, one process at a time. */
import type { Database } from '../database.js';
import { firstRelease } from './0001-first-release.js';
import { proTier } from './0002-pro-tier.js';
import type { Migration } from './migration.js';

const migrations: readonly Migration[] = [firstRelease, proTier];

// Arbitrary, but ours alone ("svc-auth" in ASCII): advisory locks are shared with the rest of the database.
const lock = `select pg_advisory_xact_lock(8319395793567511656)`;

const createRegister = `create table if not exists svc_migrations (id integer primary key, name text not null)`;

/** @throws InternalError where the database refuses; then nothing has changed. */
export async function migrate(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.execute(lock, {});
    await transaction.execute(createRegister, {});
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
