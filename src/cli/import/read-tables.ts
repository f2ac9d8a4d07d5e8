/** Reads users from the old database in pages, and for each page what belongs to them, so that memory stays the same for any number. */
import type { Knex } from 'knex';
import { UsageError } from '../arguments.js';
import type { OldDatabase } from './open-database.js';
import { decodeRows, decoderOf, selectBytes, unreadableColumn } from './sqlite-text.js';
import { columnNamed, tableNamed, type OldTable } from './schema.js';
import type { Relation, Row, SourceRecord } from './source.js';
import { plainName } from './values.js';

export interface UserTables {
  users: OldTable;
  relations: readonly FoundRelation[];
}

export interface FoundRelation {
  name: string;
  table: OldTable;
  userColumn: string;
  lookups: readonly { name: string; table: OldTable; column: string; key: string }[];
}

/** Returns the relations whose tables exist. */
export function findRelations(
  tables: readonly OldTable[],
  relations: Readonly<Record<string, Relation>>,
): FoundRelation[] {
  return Object.entries(relations).flatMap(([name, relation]) => {
    const table = tableNamed(tables, relation.tables);
    const userColumn = table && columnNamed(table, relation.userColumn);
    if (!table || userColumn === null) return [];
    const lookups = Object.entries(relation.lookups ?? {}).flatMap(([lookup, { tables: names, column }]) => {
      const target = tableNamed(tables, names);
      const from = columnNamed(table, column);
      return target && from !== null
        ? [{ name: lookup, table: target, column: from, key: target.key ?? 'id' }]
        : [];
    });
    return [{ name, table, userColumn, lookups }];
  });
}

const pageSize = 500;

/** Yields the users in the order of their key. @throws UsageError if the table has none. */
export async function* readTables(
  database: OldDatabase,
  { relations, users }: UserTables,
): AsyncGenerator<SourceRecord> {
  const key = keyColumnOf(users, database.kind === 'SQLite');
  const reader = await readerOf(database);
  // With its table: SQLite would sort by what is selected, which has the same name.
  const ownKey = `${users.name}.${key}`;
  let last: unknown = null;
  for (;;) {
    const query = reader
      .from(users, [key])
      .orderBy(ownKey)
      .limit(pageSize + 1);
    const rows = await reader.rows(last === null ? query : query.where(ownKey, '>', last as Knex.Value));
    const [beyond] = rows.splice(pageSize);
    const page = rows.map((row) => simple(row));
    for (const relation of relations) await attach(reader, page, rows, key, relation);
    for (const row of page) yield recordOf(`${users.name} ${shownKey(row[key])}`, row);
    if (!beyond) return;
    last = rows.at(-1)?.[key] ?? null;
    // Without a primary key: the next page would be this one again, or leave out users.
    if (last === null || shownKey(last) === shownKey(beyond[key]))
      throw new UsageError(
        `The column ${key} of ${users.name} is empty or repeated, so that the users cannot be read in pages. Give the table a primary key.`,
      );
  }
}

function recordOf(place: string, row: AnyRow): SourceRecord {
  const column = row[unreadableColumn];
  if (column === undefined) return { place, row };
  const message = `The column ${column} has bytes that are not text in the encoding of the database.`;
  return { place, fault: { reason: 'encoding_invalid', message } };
}

export async function countUsers({ knex }: OldDatabase, users: OldTable): Promise<number> {
  const [row] = await tableOf(knex, users).count({ count: '*' });
  return Number(row?.['count'] ?? 0);
}

const sampleSize = 50;

/** Returns the first and the last rows, for a proposal: old accounts may have other columns than new ones. */
export async function sampleRows(database: OldDatabase, table: OldTable): Promise<Row[]> {
  const reader = await readerOf(database);
  const first = await reader.rows(reader.from(table).limit(sampleSize));
  const { key } = table;
  if (key === null || first.length < sampleSize) return first.map((row) => simple(row));
  const last = await reader.rows(
    reader.from(table).orderBy(`${table.name}.${key}`, 'desc').limit(sampleSize),
  );
  return [...first, ...last].map((row) => simple(row));
}

type AnyRow = Record<string, unknown> & { [unreadableColumn]?: string };
type Query = Knex.QueryBuilder<AnyRow, AnyRow[]>;

interface Reader {
  /** @param extra columns that are needed whatever they contain, or that the catalog does not list. */
  from: (table: OldTable, extra?: readonly string[]) => Query;
  rows: (query: Query) => Promise<AnyRow[]>;
}

async function readerOf({ kind, knex }: OldDatabase): Promise<Reader> {
  const columnsOf = (table: OldTable, extra: readonly string[] = []) => {
    const columns = table.columns.filter((column) => !isLarge(column)).map(({ name }) => name);
    return [...new Set([...columns, ...extra])];
  };
  if (kind !== 'SQLite')
    return {
      from: (table, extra) => tableOf(knex, table).select<AnyRow[]>(...columnsOf(table, extra)),
      rows: async (query) => query,
    };
  const decoder = await decoderOf(knex);
  return {
    from: (table, extra) =>
      tableOf(knex, table).select<AnyRow[]>(
        ...columnsOf(table, extra).map((name) => selectBytes(knex, name)),
      ),
    rows: async (query) => decodeRows(await query, decoder),
  };
}

const tableOf = (knex: Knex, { name, schema }: OldTable): Knex.QueryBuilder<AnyRow, AnyRow[]> =>
  schema === null ? knex<AnyRow>(name) : knex<AnyRow>(name).withSchema(schema);

/** Pictures and documents would fill the memory of a page. */
const isLarge = ({ name, type }: OldTable['columns'][number]) =>
  /blob|bytea|binary|image/.test(type) && !/pass|pw|hash|salt|key|credential|id$/.test(plainName(name));

function keyColumnOf(table: OldTable, hasRowId: boolean): string {
  const key = table.key ?? columnNamed(table, ['id', 'user_id']) ?? (hasRowId ? 'rowid' : null);
  if (key !== null) return key;
  throw new UsageError(
    `The table ${table.name} has no primary key of one column, by which it could be read in pages.`,
  );
}

const shownKey = (key: unknown) => (Buffer.isBuffer(key) ? key.toString('hex') : String(key));

/** Adds the rows of another table to the users of a page, with one statement. */
async function attach(
  reader: Reader,
  page: AnyRow[],
  rows: readonly AnyRow[],
  key: string,
  { lookups, name, table, userColumn }: FoundRelation,
): Promise<void> {
  if (rows.length === 0) return;
  const byUser = new Map<string, AnyRow[]>();
  const users = bindable(
    rows.map((row) => row[key]),
    table,
    userColumn,
  );
  const found = await reader.rows(reader.from(table).whereIn(`${table.name}.${userColumn}`, users));
  for (const lookup of lookups) await attachLookup(reader, found, lookup);
  for (const row of found) {
    const user = shownKey(row[userColumn]);
    byUser.set(user, [...(byUser.get(user) ?? []), simple(row)]);
  }
  for (const [index, row] of page.entries()) {
    const own = byUser.get(shownKey(rows[index]?.[key])) ?? [];
    row[`@${name}`] = own;
    markUnreadable(row, own);
  }
}

/** A user of whom a part cannot be read is refused as a whole: the part may be what the sign-in needs. */
function markUnreadable(row: AnyRow, parts: readonly AnyRow[]): void {
  const column = parts.map((part) => part[unreadableColumn]).find((each) => each !== undefined);
  if (column !== undefined) row[unreadableColumn] ??= column;
}

async function attachLookup(
  reader: Reader,
  rows: AnyRow[],
  { column, key, name, table }: FoundRelation['lookups'][number],
): Promise<void> {
  const ids = [...new Map(rows.map((row) => [shownKey(row[column]), row[column]])).values()];
  if (ids.length === 0) return;
  const found = await reader.rows(
    reader.from(table).whereIn(`${table.name}.${key}`, bindable(ids, table, key)),
  );
  const byKey = new Map(found.map((row) => [shownKey(row[key]), simple(row)]));
  for (const row of rows) row[`@${name}`] = byKey.get(shownKey(row[column])) ?? null;
}

/** PostgreSQL refuses to compare a number with a column of strings, unless it gets a string. */
function bindable(values: readonly unknown[], table: OldTable, column: string): Knex.Value[] {
  const type = table.columns.find(({ name }) => name === column)?.type ?? '';
  const isText = /char|text|citext|uuid/.test(type);
  return values.map((value) =>
    isText && (typeof value === 'number' || typeof value === 'bigint') ? String(value) : value,
  ) as Knex.Value[];
}

/** Numbers of SQLite are read as integers of any size, and its bytes, with one of the drivers, not as a Buffer. */
function simple(row: AnyRow): AnyRow {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'bigint')
      row[name] = Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    else if (value instanceof ArrayBuffer) row[name] = Buffer.from(value);
    else if (value instanceof Uint8Array && !Buffer.isBuffer(value)) row[name] = Buffer.from(value);
  }
  return row;
}
