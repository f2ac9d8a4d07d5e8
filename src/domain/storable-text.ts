/**
 * Text that every database can store unchanged: without U+0000, which PostgreSQL rejects, and
 * without lone surrogates, which have no UTF-8 form and would all become the same character.
 */
const unstorable = /\0|\p{Surrogate}/gu;

export function isStorableText(text: string): boolean {
  // `search` and not `test`, which would continue after the previous match.
  return text.search(unstorable) === -1;
}

/**
 * Returns whether the string has no lone surrogates. A lone surrogate has no UTF-8 form:
 * `encodeURIComponent` throws for it, and `URLSearchParams` replaces it.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/**
 * Returns the text with U+FFFD for each character that cannot be stored. For text that is only
 * displayed.
 */
export function storableText(text: string): string {
  return text.replace(unstorable, '\ufffd');
}
