/** The codes that people type (RFC 8628, 6.1): eight consonants, so that no word and no letter that looks like a digit comes up. */

/** The name that the engine has for the alphabet: BCDFGHJKLMNPQRSTVWXZ. */
export const userCodeCharset = 'base-20';
export const userCodeMask = '****-****';

/** Returns a typed code as it is stored, in any case and with any hyphens and spaces. Null for one that cannot be a code. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replaceAll(/[\s\p{Dash}.]/gu, '');
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code) ? code : null;
}

export function shownUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
