/** The locks that the statements of migrations take in SQLite, MariaDB and MySQL. */
import { InternalError } from '../../../errors/catalog.js';
import type { StatementLock } from '../../../storage/schema-administration.js';

// The columns are added to the description of the table only (ALGORITHM=INSTANT), and an index is built
// while the table is in use (ALGORITHM=INPLACE, LOCK=NONE).
const moment =
  'statements on the table wait for a moment; it waits for transactions that have used the table';
const building =
  'reads and writes continue while the index is built; they wait for a moment at its start and end';

/** The table is the first group. */
const forms = {
  newTable: /^create table (?:if not exists )?svc_\w+/,
  firstRow: /^insert into svc_\w+/,
  newIndex: /^create (?:unique )?index \w+ on (svc_\w+)/,
  newColumn: /^alter table (svc_\w+) add column/,
};

/** @throws InternalError for a statement whose locks are not known: add its form above. */
export function locksOf(statement: string, isFile: boolean): StatementLock[] {
  if (!Object.values(forms).some((form) => form.test(statement)))
    throw new InternalError(undefined, `The locks of a statement are not known: ${statement}`);
  if (isFile) return [fileLock];
  const built = forms.newIndex.exec(statement)?.[1];
  if (built !== undefined) return [lockOn(built, building)];
  const altered = forms.newColumn.exec(statement)?.[1];
  if (altered !== undefined) return [lockOn(altered, moment)];
  const referenced = [...statement.matchAll(/references (svc_\w+)/g)].map(([, name = '']) => name);
  return [...new Set(referenced)].map((name) => lockOn(name, moment));
}

const lockOn = (table: string, effect: string): StatementLock => ({ table, mode: 'METADATA LOCK', effect });

const fileLock: StatementLock = {
  table: 'the file',
  mode: 'RESERVED',
  effect: 'writers wait until all migrations have been applied; readers do not',
};
