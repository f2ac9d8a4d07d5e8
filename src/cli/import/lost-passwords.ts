/** Finds the passwords that a proposed map leaves out: without a question, an import must not lose them. */
import { UsageError } from '../arguments.js';
import { columnsOf, writeMap, type ColumnMap } from './column-map.js';
import { formatOf, namesItsFormat } from './hash-formats.js';
import { filledValues, type Sample } from './sample.js';
import { plainName } from './values.js';

export interface LostPasswords {
  /** Null for a file. */
  table: string | null;
  column: string;
  /** Whether another table than that of the users has them. */
  isElsewhere: boolean;
  /** Whether the values look like hashes. */
  isHash: boolean;
}

/** As plain names. Not those of tokens, hints and dates. */
const passwordName =
  /^(?:user|login|account|member|old|legacy)?(?:password|passwd|passw|pwd|pass)(?:hash|digest)?$|(?:hashed|encrypted|crypted|hash|enc)(?:password|pwd|pass)$/;
const hashName = /hash$|^(?:secret|credentials?)$/;

/** @param others the tables that are not the one of the map. */
export function lostPasswords(
  map: ColumnMap,
  sample: Sample,
  others: readonly Sample[] = [],
): LostPasswords | null {
  for (const column of sample.columns) {
    const values = lostValues(map, sample, column);
    if (values.length > 0)
      return { table: sample.table, column, isElsewhere: false, isHash: values.some(isHash) };
  }
  if (map['passwordHash'] !== undefined) return null;
  for (const { columns, ...rest } of others) {
    const column = columns.find((each) => filledValues({ columns, ...rest }, each).some(namesItsFormat));
    if (column !== undefined) return { table: rest.table, column, isElsewhere: true, isHash: true };
  }
  return null;
}

const isHash = (value: unknown) => formatOf(value) !== null;

/** Returns what the column has of users who would have no password. */
function lostValues(map: ColumnMap, sample: Sample, column: string): unknown[] {
  if (columnsOf(map).includes(column)) return [];
  const hashes = map['passwordHash']?.split('|');
  // If some users have another column with a hash: those who have none in the columns of the map.
  const rows = hashes
    ? sample.rows.filter((row) =>
        hashes.every((each) => filledValues({ ...sample, rows: [row] }, each).length === 0),
      )
    : sample.rows;
  const values = filledValues({ ...sample, rows }, column);
  const named = values.filter(namesItsFormat);
  if (named.length > 0 || hashes) return named;
  const name = plainName(column);
  if (passwordName.test(name)) return values;
  return hashName.test(name) ? values.filter(isHash) : [];
}

export function lostPasswordsRemark({ column, isElsewhere, isHash, table }: LostPasswords): string {
  if (!isHash) return `The column ${column} does not contain hashes of a known format, and is left out.`;
  const place =
    isElsewhere && table !== null ? `The column ${column} of the table ${table}` : `The column ${column}`;
  return `${place} looks like one of password hashes, and is left out: users whose hash is there could not sign in with their password.`;
}

/** @throws UsageError that says what to pass, if the map was only proposed. */
export function mustNotLosePasswords({ lost, map }: { lost: LostPasswords | null; map: ColumnMap }): void {
  if (!lost) return;
  const { column, isElsewhere, isHash } = lost;
  const { passwordHash } = map;
  const withHashes = {
    ...map,
    passwordHash: passwordHash === undefined ? column : `${passwordHash}|${column}`,
  };
  const how = isElsewhere
    ? 'Create a view of both tables, and name it with --map table=<view>,…'
    : `Pass --map ${writeMap(withHashes)}${isHash ? '' : ' and --hash <pairs>, if they are hashes.'}`;
  throw new UsageError(
    `${lostPasswordsRemark(lost)} ${how} To import without them, pass --map ${writeMap(map)}`,
  );
}
