/** Makes one hash of what old systems keep in one column without a name, or in several. */
import type { ForeignHash } from '../../domain/imported-user.js';
import type { HashForm, MapContext, Row } from './source.js';
import { namesItsFormat } from './hash-formats.js';
import { asObject, asText, valueAt } from './values.js';

/** What a rule for `passwordHash` returns when the salt or the cost is in another column. */
export interface PasswordColumns {
  hash: unknown;
  salt?: unknown;
  iterations?: unknown;
}

/** Returns the hash of a column, or of several. Null if there is none. */
export function passwordHashOf(value: unknown, context: MapContext): string | ForeignHash | null {
  const columns = asObject(value);
  if (columns && 'format' in columns) return columns as unknown as ForeignHash;
  const { hash, salt, iterations } = (columns ?? { hash: value }) as Partial<PasswordColumns>;
  // Applications that have changed their hasher have hashes of both.
  if (context.hashForm && hash !== null && hash !== undefined && hash !== '' && !namesItsFormat(hash))
    return inForm(context.hashForm, hash, salt, iterations);
  return asText(hash);
}

/** Applies the form that --hash describes. */
function inForm(
  form: HashForm,
  hash: unknown,
  salt: unknown,
  iterations: unknown,
): string | ForeignHash | null {
  const { layout, ...parts } = form;
  const encoding =
    form['encoding'] === 'base64' || form['encoding'] === 'base64url' ? form['encoding'] : 'hex';
  const write = (value: unknown) =>
    Buffer.isBuffer(value) ? value.toString(encoding) : (asText(value) ?? '');
  let [hashText, saltText] = [write(hash), write(salt)];
  if (typeof layout === 'string') {
    const split = splitByLayout(hashText, layout);
    // Written by another code than the others: the import says which formats it knows.
    if (!split) return hashText;
    [hashText, saltText] = [split.hash, split.salt];
  }
  const rounds = Number(asText(iterations) ?? Number.NaN);
  return {
    ...parts,
    ...(Number.isInteger(rounds) && { iterations: rounds }),
    salt: saltText,
    hash: hashText,
  } as unknown as ForeignHash;
}

/** @param layout `salt:hash`, `hash.salt` and the like: its separator is between the words. */
function splitByLayout(text: string, layout: string): { salt: string; hash: string } | null {
  const [, first, separator = '', second] = /^(salt|hash)([^a-z])(salt|hash)$/.exec(layout) ?? [];
  const [before, after, ...others] = text.split(separator || '\n');
  if (first === undefined || first === second || !before || !after || others.length > 0) return null;
  return first === 'salt' ? { salt: before, hash: after } : { salt: after, hash: before };
}

/** Returns a rule for hashes whose salt and cost are in columns. */
export function passwordColumns(hashes: readonly string[], salt: string | null, iterations: string | null) {
  return (row: Row): PasswordColumns | null => {
    const value = hashes
      .map((name) => valueAt(row, name))
      .find((each) => each !== null && each !== undefined && each !== '');
    if (value === undefined) return null;
    return {
      hash: value,
      ...(salt !== null && { salt: valueAt(row, salt) }),
      ...(iterations !== null && { iterations: valueAt(row, iterations) }),
    };
  };
}
