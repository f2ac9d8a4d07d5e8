/**
 * Identifiers that come from outside: from an identity provider, or from the application. A missing value that was converted to a string,
 * such as `undefined` or `[object Object]`, is the same for every user, who would all share one account.
 */

import { InvalidRequestError } from '../errors/catalog.js';

/** What JavaScript makes of a value that is not an identifier, in any case. */
const placeholder = /^(?:undefined|null|nan|true|false|-?infinity|\[object [^\]]*\])$/i;

/**
 * What a template of the application makes of one, exactly as JavaScript spells it, such as `acme-null`, and of a number that
 * has lost digits: `1e+21`. At an end of the text, because a random identifier has `null` there once in hundreds of millions.
 */
const template = /undefined$|[^\p{L}\p{N}](?:null|NaN)$|^(?:null|NaN)[^\p{L}\p{N}]|^-?\d(?:\.\d+)?e\+\d+$/u;

/**
 * Returns whether the text identifies nothing: it has no letter and no digit, it is a placeholder, or one of its parts is, as in
 * `tenant:undefined`. A random identifier can contain `null` between the characters of base64url, so these do not separate parts;
 * `undefined` is too long to appear by chance.
 */
export function isMadeOfNothing(text: string): boolean {
  const parts = text.replace(/\[object [^\]]*\]/gi, ':undefined:').split(/[^\p{L}\p{N}_+/=-]+/u);
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return (
    words.every((word) => placeholder.test(word)) ||
    words.some((word) => /^undefined$/i.test(word)) ||
    template.test(text) ||
    parts.some((part) => placeholder.test(part) && !/^(?:true|false)$/i.test(part))
  );
}

/**
 * Returns the identifier as a string, or null if it is not one: a string of 1 to 255 printable ASCII characters (OpenID Connect Core, 2) that
 * identifies something, or an integer whose digits JavaScript keeps.
 */
export function externalIdOf(id: unknown): string | null {
  if (Number.isSafeInteger(id)) return String(id);
  if (typeof id === 'bigint') return String(id).length <= 255 ? String(id) : null;
  return typeof id === 'string' && /^[\x20-\x7e]{1,255}$/.test(id) && !isMadeOfNothing(id) ? id : null;
}

/** Like `externalIdOf`. @throws InvalidRequestError */
export function parseExternalId(id: unknown): string {
  const externalId = externalIdOf(id);
  if (externalId !== null) return externalId;
  const message =
    'externalId must be an integer that JavaScript represents exactly, or a string of 1 to 255 printable ASCII characters that identifies something.';
  throw new InvalidRequestError(message, { field: 'externalId' });
}
