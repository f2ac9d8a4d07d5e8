/** The tables and columns of the old database, from its catalog. */
import type { DatabaseKind, OldDatabase } from './open-database.js';
import { plainName } from './values.js';

export interface Column {
  name: string;
  /** As the database calls it, in lower case. */
  type: string;
}

export interface OldTable {
  /** On PostgreSQL. */
  schema: string | null;
  name: string;
  columns: readonly Column[];
  /** The only column of the primary key. */
  key: string | null;
}

interface CatalogRow {
  table_name: string;
  column_name: string;
  type: string;
  is_key: unknown;
}

const postgres = `
  select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type,
    coalesce(a.attnum = any(i.indkey) and i.indnkeyatts = 1, false) as is_key
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where n.nspname = ? and c.relkind in ('r', 'p', 'v', 'm')
  order by c.relname, a.attnum`;

const mysql = `
  select c.table_name as table_name, c.column_name as column_name, c.data_type as type, k.column_name as is_key
  from information_schema.columns c
  left join (
    select table_name, max(column_name) as column_name from information_schema.key_column_usage
    where table_schema = database() and constraint_name = 'PRIMARY' group by table_name having count(*) = 1
  ) k on k.table_name = c.table_name and k.column_name = c.column_name
  where c.table_schema = database()
  order by c.table_name, c.ordinal_position`;

const sqlite = `
  select m.name as table_name, c.name as column_name, lower(c.type) as type,
    c.pk > 0 and (select count(*) from pragma_table_info(m.name) p where p.pk > 0) = 1 as is_key
  from sqlite_master m join pragma_table_info(m.name) c
  where m.type in ('table', 'view') and m.name not like 'sqlite\\_%' escape '\\'
  order by m.name, c.cid`;

const catalogs: Readonly<Record<DatabaseKind, string>> = {
  PostgreSQL: postgres,
  MySQL: mysql,
  SQLite: sqlite,
};

/** Returns the tables, without those of svc-auth. @param schema on PostgreSQL. Default: the current one. */
export async function readSchema({ knex, kind }: OldDatabase, schema: string | null): Promise<OldTable[]> {
  const inSchema = kind === 'PostgreSQL' ? (schema ?? (await currentSchema(knex))) : null;
  const result: unknown = await knex.raw(catalogs[kind], inSchema === null ? [] : [inSchema]);
  const tables = new Map<string, OldTable & { columns: Column[] }>();
  for (const row of rowsOf(result, kind)) {
    const { table_name: name, column_name: column, type, is_key: isKey } = row as unknown as CatalogRow;
    if (name.startsWith('svc_')) continue;
    const table = tables.get(name) ?? { schema: inSchema, name, columns: [], key: null };
    table.columns.push({ name: column, type: type.toLowerCase() });
    const isOnlyKey = typeof isKey === 'string' ? isKey === column : Boolean(Number(isKey));
    tables.set(name, isOnlyKey ? { ...table, key: column } : table);
  }
  return [...tables.values()];
}

async function currentSchema(knex: OldDatabase['knex']): Promise<string> {
  const result: unknown = await knex.raw('select current_schema() as name');
  const [row] = rowsOf(result, 'PostgreSQL');
  const name = row?.['name'];
  return typeof name === 'string' ? name : 'public';
}

/** Every driver of knex returns the rows of a raw statement in another place. */
function rowsOf(result: unknown, kind: DatabaseKind): Record<string, unknown>[] {
  if (kind === 'PostgreSQL') return (result as { rows: Record<string, unknown>[] }).rows;
  return kind === 'MySQL'
    ? (result as [Record<string, unknown>[]])[0]
    : (result as Record<string, unknown>[]);
}

/** Returns the first table with one of the names, exactly as written before in another spelling. */
export function tableNamed(tables: readonly OldTable[], names: readonly string[]): OldTable | null {
  for (const name of names) {
    const exact = tables.find((table) => table.name === name);
    const other = tables.find((table) => plainName(table.name) === plainName(name));
    const found = exact ?? other;
    if (found) return found;
  }
  return null;
}

export function columnNamed(table: OldTable, names: readonly string[]): string | null {
  for (const name of names) {
    const found =
      table.columns.find((column) => column.name === name) ??
      table.columns.find((column) => plainName(column.name) === plainName(name));
    if (found) return found.name;
  }
  return null;
}
