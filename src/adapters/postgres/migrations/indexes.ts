/** Creates and drops indexes while their tables are in use. */
import { InternalError } from '../../../errors/catalog.js';
import { isCatalogRace, isConflict, isLockTimeout, isUniqueViolation } from '../database-error.js';
import type { Database } from '../database.js';
import { pauseWithJitter } from '../../../storage/retries.js';
import type { IndexChange } from './migration.js';

const pollIntervalMs = 200;
// Ten minutes while another session builds the index.
const maxPolls = 3_000;
const maxAttempts = 20;

// An invalid index is being built, or its build has failed. A session that builds one has this
// lock on the table.
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

/**
 * Applies the changes that are missing. Only the last change of each index counts. Safe to call
 * from several processes at the same time.
 */
export async function changeIndexes(
  db: Database,
  changes: readonly IndexChange[],
  report: (name: string) => void = () => undefined,
): Promise<void> {
  for (const [name, change] of lastChanges(changes)) await changeIndex(db, name, change, report);
}

function lastChanges(changes: readonly IndexChange[]): Map<string, IndexChange> {
  return new Map(changes.map((change) => ['drop' in change ? change.drop : change.create, change]));
}

const createOf = (name: string, change: Extract<IndexChange, { create: string }>) =>
  `create ${change.unique ? 'unique index' : 'index'} concurrently if not exists ${name} on ${change.on}`;

const dropOf = (index: string) => `drop index concurrently if exists ${index}`;

/** Returns the statements with which `changeIndexes` begins for each index that is not as it should be. */
export async function plannedIndexes(
  db: Database,
  changes: readonly IndexChange[],
): Promise<{ name: string; sql: string }[]> {
  const planned: { name: string; sql: string }[] = [];
  for (const [name, change] of lastChanges(changes)) {
    const index = `${await db.schema()}.${name}`;
    const [state] = await db.query(findState, { index }, (row: IndexState) => row);
    const isCreation = 'create' in change;
    // One that is invalid is removed and built again.
    if (state && !(isCreation && state.is_valid)) planned.push({ name, sql: dropOf(index) });
    if (isCreation && !state?.is_valid) planned.push({ name, sql: createOf(name, change) });
  }
  return planned;
}

async function changeIndex(
  db: Database,
  name: string,
  change: IndexChange,
  report: (name: string) => void,
): Promise<void> {
  const index = `${await db.schema()}.${name}`;
  const isCreation = 'create' in change;
  let isReported = false;
  for (let polls = 0; polls < maxPolls; polls += 1) {
    const [state] = await db.query(findState, { index }, (row: IndexState) => row);
    if (isCreation ? state?.is_valid : !state) return;
    if (!isReported) report(name);
    isReported = true;
    if (isCreation && !state) {
      await retry(() => db.executeAlone(createOf(name, change)));
    } else if (!isCreation || !state?.is_in_use) {
      await retry(() => db.executeAlone(dropOf(index)));
    } else {
      await pauseWithJitter(pollIntervalMs);
    }
  }
  throw new InternalError(undefined, `The index ${name} was not changed: another session is working on it.`);
}

/**
 * Two sessions that change one index may block each other or collide on its name. One of them
 * succeeds.
 */
async function retry(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isTransient = [isConflict, isLockTimeout, isUniqueViolation, isCatalogRace].some((is) =>
        is(error),
      );
      if (!isTransient || attempt === maxAttempts) throw error;
      await pauseWithJitter(pollIntervalMs);
    }
  }
}
