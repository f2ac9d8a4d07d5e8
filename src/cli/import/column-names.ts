/** Names of columns in files. A file without names has the values of its first user in their place, which must not be printed. */
import { UsageError } from '../arguments.js';
import { candidates } from './field-candidates.js';
import { formatOf } from './hash-formats.js';
import { plainName } from './values.js';

/** Databases allow at most 128 characters. */
const longestName = 128;

/** A number, also one of a phone, a time, a UUID, or a word that is a value. */
const value =
  /^(?:[+(]?[\d\s().,:-]*\d|\d{4}-\d\d-\d\d.*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|true|false|null)$/i;

function looksLikeValue(name: string): boolean {
  if (name.length > longestName || /\S@\S/.test(name) || value.test(name)) return true;
  const format = formatOf(name);
  // Names of nested objects have dots, like a salt with its hash, whose characters are random.
  return format === 'salt and hash'
    ? (name.match(/\d/g) ?? []).length > 3
    : format !== null && /\d/.test(name);
}

/** @throws UsageError, without a value of the file, if the first line of a table is one of values. */
export function mustBeNames(names: readonly string[], file: string): void {
  if (names.some(looksLikeValue))
    throw new UsageError(
      `The first line of ${file} has values, such as an address, a number or a hash, and not the names of its columns. Add a first line such as id,email,passwordHash.`,
    );
  const filled = names.filter((name) => name !== '');
  // One without a name is the numbers of the rows, as pandas writes them, or follows a delimiter at the end of each line.
  if (filled.length === 0 || names.length - filled.length > 1)
    throw new UsageError(
      `The first line of ${file} does not name its columns. Each needs a name, also those that are not imported.`,
    );
  if (new Set(filled).size < filled.length)
    throw new UsageError(
      `${file} has two columns with the same name. Rename one. If its first line is a user, add a line with the names of the columns before it.`,
    );
}

const mostNames = 50;

/** Returns the names for a message. Objects of JSON can have addresses as names. */
export function listColumns(columns: readonly string[]): string {
  const names = columns.filter((name) => !looksLikeValue(name)).slice(0, mostNames);
  const rest = columns.length - names.length;
  if (rest === 0) return names.join(', ');
  return names.length === 0 ? `${rest} that look like values` : `${names.join(', ')} and ${rest} more`;
}

/**
 * Says which columns a CSV file has. The words of its first line can be those of its first user, unless one is a usual name, or is in the
 * map that the person has written.
 */
export function describeColumns(columns: readonly string[], mapped: readonly string[] = []): string {
  const usual = [
    ...candidates.flatMap(({ field, names, negated = [] }) => [...names, ...negated, field.toLowerCase()]),
    ...mapped.map(plainName),
  ];
  return columns.some((name) => usual.includes(plainName(name)))
    ? `It has: ${listColumns(columns)}.`
    : 'Its first line seems to have no names: it must name the columns, such as id,email,passwordHash.';
}
