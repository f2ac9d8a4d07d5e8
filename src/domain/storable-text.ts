/**
 * Text that every store can keep as it stands: without U+0000, which PostgreSQL refuses, and without lone surrogates,
 * which have no form in UTF-8 and would all become one character.
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
