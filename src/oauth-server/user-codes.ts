/** The codes that people type (RFC 8628, 6.1): eight consonants, so that no word and no letter that looks like a digit comes up. */

import { mac } from '../crypto/digest.js';
import type { Keyring } from '../crypto/keys.js';
import { typedCode } from '../domain/typed-text.js';

/** The name that the engine has for the alphabet: BCDFGHJKLMNPQRSTVWXZ. */
export const userCodeCharset = 'base-20';
export const userCodeMask = '****-****';

/** Returns a typed code as the engine knows it, in any case and with any hyphens and spaces. Null for one that cannot be a code. */
export function readUserCode(typed: string): string | null {
  const code = typedCode(typed).toUpperCase();
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code) ? code : null;
}

/**
 * Returns what may be stored of a code, with the newest secret first. Of its digest alone, all codes could be tried in a minute by one who
 * reads the database.
 */
export function userCodeAliases(keys: Keyring, code: string): string[] {
  return keys.subkeys('oauth_server').map((key) => mac(key, 'user_code', code).toString('hex'));
}

export function shownUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
