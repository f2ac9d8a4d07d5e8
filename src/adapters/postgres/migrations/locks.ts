/**
 * The locks that the statements of migrations take (PostgreSQL, 13.3 Explicit Locking). A new table
 * is locked too, but no other transaction sees it.
 */
import { InternalError } from '../../../errors/catalog.js';
import type { StatementLock } from '../../../storage/schema-administration.js';

const modes = {
  'ACCESS EXCLUSIVE': 'reads and writes wait for a moment',
  'SHARE ROW EXCLUSIVE': 'writes wait for a moment',
  SHARE: 'writes wait until the index is built',
  'SHARE UPDATE EXCLUSIVE': 'nothing waits but other changes of the schema and vacuum',
} as const;

type Mode = keyof typeof modes;

interface Kind {
  /** The first group is the table. */
  form: RegExp;
  mode: Mode | null;
}

const kinds: readonly Kind[] = [
  { form: /^create table/, mode: null },
  { form: /^create or replace function/, mode: null },
  // No other statement waits for a new row.
  { form: /^insert into svc_\w+/, mode: null },
  { form: /^create (?:unique )?index concurrently .*? on (svc_\w+)/s, mode: 'SHARE UPDATE EXCLUSIVE' },
  // Waits for the transactions that use the index, and blocks none of them.
  { form: /^drop index concurrently/, mode: null },
  { form: /^create (?:unique )?index .*? on (svc_\w+)/s, mode: 'SHARE' },
  { form: /^alter table (svc_\w+)\s+add column/, mode: 'ACCESS EXCLUSIVE' },
  // A rule for later writes: no row is written.
  { form: /^alter table (svc_\w+) set \(fillfactor/, mode: 'SHARE UPDATE EXCLUSIVE' },
  { form: /^alter table (svc_\w+)\s+(?:dis|en)able trigger/, mode: 'SHARE ROW EXCLUSIVE' },
  { form: /^create or replace trigger .*?\s+on (svc_\w+)/s, mode: 'SHARE ROW EXCLUSIVE' },
];

/** @throws InternalError for a statement whose locks are not known: add its form above. */
export function locksOf(statement: string): StatementLock[] {
  const kind = kinds.find(({ form }) => form.test(statement));
  if (!kind) throw new InternalError(undefined, `The locks of a statement are not known: ${statement}`);
  const [, table] = kind.form.exec(statement) ?? [];
  const own = kind.mode === null || table === undefined ? [] : [lockOn(table, kind.mode)];
  // A foreign key is a trigger on the table that it refers to.
  const referenced = statement.startsWith('create table')
    ? new Set([...statement.matchAll(/references (svc_\w+)/g)].map(([, name = '']) => name))
    : [];
  return [...own, ...[...referenced].map((name) => lockOn(name, 'SHARE ROW EXCLUSIVE'))];
}

const lockOn = (table: string, mode: Mode): StatementLock => ({ table, mode, effect: modes[mode] });
