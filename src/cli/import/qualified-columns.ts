/** Columns of --map with their table before them, such as `users.mail` or `auth.users.mail`. */
import { columnsOf, type ColumnMap } from './column-map.js';
import { columnNamed, type OldTable } from './schema.js';

/** Returns the map with the names of columns alone, and with the table that they name. A path into JSON stays as it is. */
export function withoutQualifiers(map: ColumnMap, tables: readonly OldTable[]): ColumnMap {
  const given = map['table'];
  const users = tables.find((table) =>
    given === undefined
      ? columnsOf(map).some((column) => unqualified(column, table) !== column)
      : given === table.name || given === `${table.schema}.${table.name}`,
  );
  if (!users) return map;
  const columns = Object.entries(map).map(([name, column]): [string, string] => {
    if (/^(?:table|identities|provider\..*)$/.test(name)) return [name, column];
    const sign = column.startsWith('!') ? '!' : '';
    const parts = column.slice(sign.length).split('|');
    return [name, sign + parts.map((part) => unqualified(part, users)).join('|')];
  });
  const names = Object.fromEntries(columns);
  return given === undefined && columnsOf(map).every((column) => unqualified(column, users) === column)
    ? names
    : { ...names, table: users.name };
}

function unqualified(column: string, table: OldTable): string {
  // A column that has a name with a dot, or the start of a path.
  if (columnNamed(table, [column, column.split('.')[0] ?? ''])) return column;
  const prefixes = [`${table.name}.`, ...(table.schema === null ? [] : [`${table.schema}.${table.name}.`])];
  const prefix = prefixes.find((each) => column.startsWith(each));
  const rest = prefix === undefined ? '' : column.slice(prefix.length);
  return rest !== '' && columnNamed(table, [rest, rest.split('.')[0] ?? '']) ? rest : column;
}
