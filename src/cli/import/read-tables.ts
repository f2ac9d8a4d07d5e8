/** Reads users from the old database in pages, and for each page what belongs to them, so that memory stays the same for any number. */
import type { Knex } from 'knex';
import { UsageError } from '../arguments.js';
import type { OldDatabase } from './open-database.js';
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
  { knex, kind }: OldDatabase,
  { relations, users }: UserTables,
): AsyncGenerator<SourceRecord> {
  const key = keyColumnOf(users, kind === 'SQLite');
  let last: unknown = null;
  for (;;) {
    const query = from(knex, users, [key])
      .orderBy(key)
      .limit(pageSize + 1);
    const rows = await (last === null ? query : query.where(key, '>', last as Knex.Value));
    const [beyond] = rows.splice(pageSize);
    const page = rows.map((row) => simple(row));
    for (const relation of relations) await attach(knex, page, rows, key, relation);
    for (const row of page) yield { place: `${users.name} ${shownKey(row[key])}`, row };
    if (!beyond) return;
    last = rows.at(-1)?.[key] ?? null;
    // Without a primary key: the next page would be this one again, or leave out users.
    if (last === null || shownKey(last) === shownKey(beyond[key]))
      throw new UsageError(
        `The column ${key} of ${users.name} is empty or repeated, so that the users cannot be read in pages. Give the table a primary key.`,
      );
  }
}

export async function countUsers({ knex }: OldDatabase, users: OldTable): Promise<number> {
  const [row] = await tableOf(knex, users).count({ count: '*' });
  return Number(row?.['count'] ?? 0);
}

const sampleSize = 50;

/** Returns the first and the last rows, for a proposal: old accounts may have other columns than new ones. */
export async function sampleRows({ knex }: OldDatabase, table: OldTable): Promise<Row[]> {
  const first = await from(knex, table).limit(sampleSize);
  const { key } = table;
  if (key === null || first.length < sampleSize) return first.map((row) => simple(row));
  const last = await from(knex, table).orderBy(key, 'desc').limit(sampleSize);
  return [...first, ...last].map((row) => simple(row));
}

type AnyRow = Record<string, unknown>;

const tableOf = (knex: Knex, { name, schema }: OldTable): Knex.QueryBuilder<AnyRow, AnyRow[]> =>
  schema === null ? knex<AnyRow>(name) : knex<AnyRow>(name).withSchema(schema);

/** Pictures and documents would fill the memory of a page. */
const isLarge = ({ name, type }: OldTable['columns'][number]) =>
  /blob|bytea|binary|image/.test(type) && !/pass|pw|hash|salt|key|credential|id$/.test(plainName(name));

/** @param extra columns that are needed whatever they contain, or that the catalog does not list. */
function from(
  knex: Knex,
  table: OldTable,
  extra: readonly string[] = [],
): Knex.QueryBuilder<AnyRow, AnyRow[]> {
  const columns = table.columns.filter((column) => !isLarge(column)).map(({ name }) => name);
  const names = [...new Set([...columns, ...extra])];
  return tableOf(knex, table).select<AnyRow[]>(...names);
}

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
  knex: Knex,
  page: AnyRow[],
  rows: readonly AnyRow[],
  key: string,
  { lookups, name, table, userColumn }: FoundRelation,
): Promise<void> {
  if (rows.length === 0) return;
  const byUser = new Map<string, AnyRow[]>();
  const found = await from(knex, table).whereIn(
    userColumn,
    bindable(
      rows.map((row) => row[key]),
      table,
      userColumn,
    ),
  );
  for (const lookup of lookups) await attachLookup(knex, found, lookup);
  for (const row of found) {
    const user = shownKey(row[userColumn]);
    byUser.set(user, [...(byUser.get(user) ?? []), simple(row)]);
  }
  for (const [index, row] of page.entries()) row[`@${name}`] = byUser.get(shownKey(rows[index]?.[key])) ?? [];
}

async function attachLookup(
  knex: Knex,
  rows: AnyRow[],
  { column, key, name, table }: FoundRelation['lookups'][number],
): Promise<void> {
  const ids = [...new Map(rows.map((row) => [shownKey(row[column]), row[column]])).values()];
  if (ids.length === 0) return;
  const found = await from(knex, table).whereIn(key, bindable(ids, table, key));
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
