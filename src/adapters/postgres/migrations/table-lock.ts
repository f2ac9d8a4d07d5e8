/**
 * Keeps processes from migrating at the same time, for databases without advisory locks: CockroachDB accepts their functions without
 * effect. A row says until when a process migrates. It is a courtesy: what makes a migration happen once is the primary key of the
 * register, so a process that is slower than its row, or a clock that is wrong, does no harm.
 */
import { randomUUID } from 'node:crypto';
import { isDuplicateObject } from '../database-error.js';
import type { Database } from '../database.js';

/** Longer than a migration takes. A process that dies delays the others by as much. */
const leaseSeconds = 60;

const createLock = `create table if not exists svc_migration_lock
  (id integer primary key, owner text not null, expires_at timestamptz not null)`;

// By the clock of the database, which all processes share.
const take = `
  insert into svc_migration_lock as l (id, owner, expires_at)
  values (1, :owner, now() + interval '${leaseSeconds} seconds')
  on conflict (id) do update set owner = excluded.owner, expires_at = excluded.expires_at
  where l.expires_at <= now()
  returning owner`;

const release = `delete from svc_migration_lock where owner = :owner`;

/** Runs `work` if no other process migrates. Returns `busy` otherwise. */
export async function withTableLock<Result>(
  db: Database,
  work: () => Promise<Result>,
): Promise<Result | 'busy'> {
  const owner = randomUUID();
  try {
    await db.execute(createLock, {});
  } catch (error) {
    // Another process creates the table at the same moment.
    if (isDuplicateObject(error)) return 'busy';
    throw error;
  }
  const rows = await db.query(take, { owner }, (row: { owner: string }) => row.owner);
  if (rows.length === 0) return 'busy';
  try {
    return await work();
  } finally {
    // The row expires if this fails.
    await db.execute(release, { owner }).catch(() => undefined);
  }
}
