/** The option --map: which column has which field of a user. */
import { existsSync, readFileSync } from 'node:fs';
import type { ImportedUser } from '../../domain/imported-user.js';
import { unknownKey } from '../../errors/closest-name.js';
import { UsageError } from '../arguments.js';
import { identity, isIdentity } from './identity-providers.js';
import { passwordColumns } from './password-columns.js';
import { related, type FieldRules, type MapContext, type Relation, type Row, type Rule } from './source.js';
import { asFlag, asObjects, asText, parsedJson, valueAt } from './values.js';

/** A column by the name of a field, or several with `|`, of which the first that is not empty counts, and some by names that start with `metadata.`, `identity.` and `provider.`. */
export type ColumnMap = Readonly<Record<string, string>>;

const fields = [
  'externalId',
  'id',
  'email',
  'emailVerified',
  'username',
  'phone',
  'phoneVerified',
  'language',
  'createdAt',
  'lastSignInAt',
  'blocked',
  'roles',
  'passwordHash',
] as const satisfies readonly (keyof ImportedUser)[];

const names = [...fields, 'salt', 'iterations', 'totp', 'metadata', 'table', 'identities'];
const prefixes = /^(?:metadata|identity|provider)\.[^\s.]+$/;

/** Parses `email=mail,passwordHash=pw_hash`, or the JSON of a file with the same names. @throws UsageError */
export function parseMap(text: string): ColumnMap {
  const pairs = text.includes('=') ? pairsOf(text, '--map') : pairsOfFile(text);
  for (const [name, column] of pairs) {
    if (column.trim() === '') throw new UsageError(`--map: ${name} has no column.`);
    if (names.includes(name) || prefixes.test(name)) continue;
    throw new UsageError(`--map: ${name} ${unknownKey(name, names)}`);
  }
  return Object.fromEntries(pairs);
}

/** @throws UsageError */
export function pairsOf(text: string, option: string): [name: string, value: string][] {
  const seen = new Set<string>();
  return text.split(',').map((pair) => {
    const [name = '', ...rest] = pair.split('=');
    if (rest.length === 0)
      throw new UsageError(`${option} must be pairs such as email=mail, with commas between them.`);
    if (seen.has(name.trim())) throw new UsageError(`${option} has ${name.trim()} twice.`);
    seen.add(name.trim());
    return [name.trim(), rest.join('=').trim()];
  });
}

function pairsOfFile(file: string): [string, string][] {
  if (!existsSync(file)) throw new UsageError('--map must be pairs such as email=mail, or a file of JSON.');
  const value = parsedJson(readFileSync(file, 'utf8'));
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const pairs = entries.flatMap(([name, column]): [string, string][] =>
    typeof column === 'string' ? [[name, column]] : [],
  );
  if (pairs.length === 0 || pairs.length < entries.length)
    throw new UsageError(
      `${file} must be an object of JSON with the names of columns, such as {"email": "mail"}.`,
    );
  return pairs;
}

/** Returns the map as an argument. */
export function writeMap(map: ColumnMap): string {
  const text = Object.entries(map)
    .map(([name, column]) => `${name}=${column}`)
    .join(',');
  return /^[\w=,.:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the columns that the map names, to compare them with those that there are. */
export function columnsOf(map: ColumnMap): string[] {
  return Object.entries(map)
    .filter(([name]) => !/^(?:table|identities|provider\..*)$/.test(name))
    .flatMap(([, column]) => column.replace(/^!/, '').split('|'));
}

/** Returns the names that the configuration gives to identity providers. */
export function providersOf(map: ColumnMap): Record<string, string> {
  return Object.fromEntries(entriesBelow(map, 'provider'));
}

const entriesBelow = (map: ColumnMap, prefix: string) =>
  Object.entries(map)
    .filter(([name]) => name.startsWith(`${prefix}.`))
    .map(([name, column]) => [name.slice(prefix.length + 1), column] as const);

/** Returns the rules of a map, for the fields that it names. */
export function rulesOf(map: ColumnMap): FieldRules {
  const rules: Partial<Record<keyof ImportedUser, Rule>> = {};
  for (const field of fields) {
    const column = map[field];
    if (column !== undefined)
      rules[field] = column.startsWith('!') ? negated(column.slice(1)) : column.split('|');
  }
  const { passwordHash, salt = null, iterations = null, totp, metadata } = map;
  if (passwordHash !== undefined)
    rules.passwordHash = passwordColumns(passwordHash.split('|'), salt, iterations);
  if (totp !== undefined) rules.totp = (row) => totpOf(valueAt(row, totp));
  const named = entriesBelow(map, 'metadata');
  if (metadata !== undefined) rules.metadata = metadata;
  else if (named.length > 0) rules.metadata = (row) => metadataOf(row, named);
  const columns = entriesBelow(map, 'identity');
  if (columns.length > 0 || map['identities'] !== undefined)
    rules.identities = (row, context) => identitiesOf(row, context, columns, identityTable(map));
  return rules;
}

const negated = (column: string) => (row: Row) => {
  const flag = asFlag(valueAt(row, column));
  return flag === null ? null : !flag;
};

function totpOf(value: unknown) {
  const secret = asText(value)?.replace(/[\s-]/g, '').toUpperCase() ?? '';
  return secret === '' ? null : { secret };
}

function metadataOf(row: Row, named: readonly (readonly [string, string])[]) {
  const values = named.map(([name, column]) => [name, valueAt(row, column)] as const);
  return Object.fromEntries(
    values.filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );
}

interface IdentityTable {
  table: string;
  userColumn: string;
  provider: string;
  id: string;
}

/** Parses `identities=table:userColumn:providerColumn:idColumn`. @throws UsageError */
function identityTable(map: ColumnMap): IdentityTable | null {
  const text = map['identities'];
  if (text === undefined) return null;
  const [table, userColumn, provider, id, ...others] = text.split(':');
  if (!table || !userColumn || !provider || !id || others.length > 0)
    throw new UsageError('--map: identities must be table:userColumn:providerColumn:idColumn.');
  return { table, userColumn, provider, id };
}

/** Returns the relation of the table of identities, if the map names one. */
export function relationsOf(map: ColumnMap): Record<string, Relation> {
  const found = identityTable(map);
  return found ? { identities: { tables: [found.table], userColumn: [found.userColumn] } } : {};
}

function identitiesOf(
  row: Row,
  context: MapContext,
  columns: readonly (readonly [string, string])[],
  table: IdentityTable | null,
) {
  const own = columns
    .map(([provider, column]) => [provider, valueAt(row, column)] as const)
    .filter(([, id]) => asText(id) !== null)
    .map(([provider, id]) => identity(provider, id, context));
  // In a JSON file, they are an array of the user.
  const rows = table ? [...related(row, 'identities'), ...asObjects(valueAt(row, table.table))] : [];
  const others = rows.map((each) =>
    table ? identity(valueAt(each, table.provider), valueAt(each, table.id), context) : null,
  );
  return [...own, ...others].filter(isIdentity);
}
