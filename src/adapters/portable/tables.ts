/**
 * Describes tables once: the columns of a record, how each is written, and how it is read. A new
 * column is one line in records.ts and a migration.
 */
import { asJsonb, readTime } from '../shared/bindings.js';
import { epochOf, lockdowns, sessionsValidAfterOf } from '../shared/lockdown-columns.js';
import type { Bindings, Value } from './statements.js';

/**
 * `number`: an integer of at most 53 bits. `json`: JSON as text. `list`: strings. `userEpoch` and `userEnd`: the epoch and
 * `sessionsValidAfter` of a user, which are read with the lockdowns of everyone.
 */
export type Kind = 'text' | 'boolean' | 'number' | 'time' | 'json' | 'list' | 'userEpoch' | 'userEnd';

/** A row as the driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

interface Column {
  field: string;
  name: string;
  kind: Kind;
}

export interface Table<Fields> {
  name: string;
  columns: readonly Column[];
  /** The statement that inserts a record. Its bindings have the names of the columns. */
  insertion: string;
  /** Never set: gives the record its type. */
  record?: Fields;
}

/** @param kinds of the columns, by field: `createdAt` is the column `created_at`. */
export function table<Fields extends object>(
  name: string,
  kinds: { readonly [Field in keyof Required<Fields>]: Kind },
): Table<Fields> {
  const columns = Object.entries<Kind>(kinds).map(([field, kind]) => ({
    field,
    name: field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    kind,
  }));
  const names = columns.map((column) => column.name);
  const insertion = `insert into ${name} (${names.join(', ')}) values (${columns.map((column) => written(column)).join(', ')})`;
  return { name, columns, insertion };
}

const written = ({ name, kind }: Column, suffix: string | number = '') => {
  if (kind === 'userEpoch') return `:${name}${suffix} - ${lockdowns}`;
  return kind === 'list' ? `{toList :${name}${suffix}}` : `:${name}${suffix}`;
};

/** Returns the statement that inserts `count` records. The bindings of the record `n` end with `_r<n>`. */
export function rowsInsertion({ name, columns }: Table<object>, count: number): string {
  const row = (at: number) => `(${columns.map((column) => written(column, `_r${at}`)).join(', ')})`;
  const rows = Array.from({ length: count }, (_, at) => row(at)).join(', ');
  return `insert into ${name} (${columns.map((column) => column.name).join(', ')}) values ${rows}`;
}

const readMarks: Partial<Record<Kind, string>> = { time: 'ms', json: 'asJson', list: 'asList' };

/** Returns the columns of `alias` for a select list, under the names that `readerOf` expects. */
export function columnsOf({ columns }: Table<object>, alias: string): string {
  return columns
    .map(({ name, kind }) => {
      if (kind === 'userEpoch') return `${epochOf(alias)} as ${alias}_${name}`;
      if (kind === 'userEnd') return `{ms ${sessionsValidAfterOf(alias)}} as ${alias}_${name}`;
      const column = `${alias}.${name}`;
      const mark = readMarks[kind];
      return `${mark ? `{${mark} ${column}}` : column} as ${alias}_${name}`;
    })
    .join(', ');
}

/** Returns a function that reads a record from the columns of `columnsOf`. */
export function readerOf<Fields>({ columns }: Table<Fields>, alias: string): (row: Row) => Fields {
  const read = columns.map(({ field, name, kind }) => ({ field, kind, key: `${alias}_${name}` }));
  return (row) => {
    const record: Record<string, unknown> = {};
    for (const { field, kind, key } of read) record[field] = readValue(kind, row[key]);
    return record as Fields;
  };
}

/** Like `readerOf`, for a row as a list of values in which these columns begin at `first`. */
export function listReaderOf<Fields>(
  { columns }: Table<Fields>,
  first: number,
): (values: readonly unknown[]) => Fields {
  return (values) => {
    const record: Record<string, unknown> = {};
    let index = first;
    for (const { field, kind } of columns) record[field] = readValue(kind, values[index++]);
    return record as Fields;
  };
}

function readValue(kind: Kind, value: unknown): unknown {
  if (kind === 'list') return value === null ? [] : (JSON.parse(value as string) as unknown);
  if (value === null || kind === 'text') return value;
  if (kind === 'time' || kind === 'userEnd') return readMs(value);
  if (kind === 'json') return JSON.parse(value as string) as unknown;
  return kind === 'boolean' ? Number(value) === 1 : Number(value);
}

/** Reads a column that was selected with `{ms …}`. A malformed value becomes an invalid Date, never null. */
export function readMs(value: unknown): Date {
  return typeof value === 'number' ? new Date(value) : readTime(String(value));
}

/** Returns the bindings of the fields, by column. JSON is written as text; undefined is left out. */
export function valuesOf<Fields>({ columns }: Table<Fields>, fields: Partial<Fields>): Bindings {
  const values: Record<string, Value> = {};
  for (const { field, name, kind } of columns) {
    const value = fields[field as keyof Fields] as unknown;
    if (value !== undefined) values[name] = toBinding(kind, value);
  }
  return values;
}

function toBinding(kind: Kind, value: unknown): Value {
  return (kind === 'json' || kind === 'list') && value !== null ? asJsonb(value as object) : (value as Value);
}

/**
 * Returns the assignments of an update, `a = :a, b = :b`, of the bindings of `valuesOf`. An epoch is raised by one, whatever its
 * binding: a lockdown since the user was read must not be lost.
 */
export function assignmentsOf({ columns }: Table<object>, values: Bindings): string {
  return columns
    .filter(({ name }) => name in values)
    .map((column) =>
      column.kind === 'userEpoch'
        ? `${column.name} = ${column.name} + 1`
        : `${column.name} = ${written(column)}`,
    )
    .join(', ');
}
