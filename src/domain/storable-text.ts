/**
 * Text that every store can keep as it stands: without U+0000, which PostgreSQL refuses, and without lone surrogates,
 * which have no form in UTF-8 and would all become one character.
 */
const unstorable = /\0|\p{Surrogate}/gu;

export function isStorableText(text: string): boolean {
  // `search` and not `test`, which would go on from where it found something before.
  return text.search(unstorable) === -1;
}

/**
 * Returns whether the string has no lone surrogates. A lone surrogate has no UTF-8 form: `encodeURIComponent` throws for it, and
 * `URLSearchParams` replaces it.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** The text with a U+FFFD for each character that cannot be kept: for what is only ever shown. */
export function storableText(text: string): string {
  return text.replace(unstorable, '\ufffd');
}
