/** Creates and drops indexes while their tables are in use. */
import { InternalError } from '../../../errors/catalog.js';
import { isLockTimeout, isUndone, isUniqueViolation } from '../database-error.js';
import type { Database } from '../database.js';
import { pauseAbout } from '../retries.js';
import type { IndexChange } from './migration.js';

const betweenLooksMs = 200;
// Ten minutes while another session builds the index.
const mostLooks = 3_000;
const mostTries = 20;

// An index that is not valid is being built, or its build has failed. A session that builds one has this lock on the table.
const findState = `
  select i.indisvalid as is_valid, exists (
    select from pg_locks l
    where l.relation = i.indrelid and l.mode = 'ShareUpdateExclusiveLock' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())) as is_in_use
  from pg_index i where i.indexrelid = to_regclass(:index)`;

interface IndexState {
  is_valid: boolean;
  is_in_use: boolean;
}

/** Applies what is missing of the changes, of which the last one to an index counts. Any number of processes may do so at once. */
export async function changeIndexes(db: Database, changes: readonly IndexChange[]): Promise<void> {
  const lastByName = new Map(
    changes.map((change) => ['drop' in change ? change.drop : change.create, change]),
  );
  for (const [name, change] of lastByName) await changeIndex(db, name, change);
}

async function changeIndex(db: Database, name: string, change: IndexChange): Promise<void> {
  const index = `${await db.schema()}.${name}`;
  const isWanted = 'create' in change;
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const [state] = await db.query(findState, { index }, (row: IndexState) => row);
    if (isWanted ? state?.is_valid : !state) return;
    if (isWanted && !state) {
      await tryAgain(() =>
        db.executeAlone(`create index concurrently if not exists ${name} on ${change.on}`),
      );
    } else if (!isWanted || !state?.is_in_use) {
      await tryAgain(() => db.executeAlone(`drop index concurrently if exists ${index}`));
    } else {
      await pauseAbout(betweenLooksMs);
    }
  }
  throw new InternalError(undefined, `The index ${name} was not changed: another session is working on it.`);
}

/** Two sessions that change one index may block each other or collide on its name. One of them succeeds. */
async function tryAgain(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isTransient = isUndone(error) || isLockTimeout(error) || isUniqueViolation(error);
      if (!isTransient || tries === mostTries) throw error;
      await pauseAbout(betweenLooksMs);
    }
  }
}
