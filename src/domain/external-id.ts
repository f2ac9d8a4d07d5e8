/** Identifiers that another system gives: of a person at an identity provider, or in the application's own tables. */

/** What JavaScript makes of a value that is missing or not an identifier: as a key, it would join everyone who has none. */
const madeOfNothing = /^(?:undefined|null|nan|-?infinity|true|false|\[object [^\]]*\])$/i;

/** Returns whether a string was made of a value that is missing or not an identifier. */
export function isMadeOfNothing(text: string): boolean {
  const bare = text.trim();
  return bare === '' || madeOfNothing.test(bare);
}

/**
 * Returns an identifier as text: a string of 1 to 255 printable ASCII characters (OpenID Connect Core, 2), or a whole number that a
 * double represents exactly. Null for anything else, also for a string that was made of a missing value, such as `undefined`.
 */
export function externalIdOf(value: unknown): string | null {
  const isNumber = typeof value === 'bigint' || Number.isSafeInteger(value);
  const text = isNumber ? String(value) : value;
  if (typeof text !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(text)) return null;
  return isMadeOfNothing(text) ? null : text;
}
