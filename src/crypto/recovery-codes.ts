/**
 * Recovery codes: short enough to be typed, and kept as MACs under a key that is not in the database, so that neither guesses nor a copy of
 * it find one (docs/decisions/second-factor.md).
 */
import { mac } from './digest.js';
import type { Keyring } from './keys.js';
import { randomCharacters } from './random.js';
import { typedCode } from '../domain/typed-text.js';

const count = 10;

/** Base32 (RFC 4648, 6): five bits a letter, without the digits 0, 1 and 8, which look like letters. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * 50 bits. With ten codes and the fifty guesses a day that `secondFactorLimits` allows, an attacker who knows the first factor finds one in
 * a year with a probability of 50 * 365 * 10 / 2^50, one in six billion.
 */
const length = 10;

/** Returns ten codes of two groups of five letters and digits, to be written down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => randomCharacters(alphabet, length).replace(/.{5}(?=.)/, '$&-'));
}

/**
 * Returns the MACs of a code as typed by the user, one per encryption key, the current one first. Bound to the user, so that
 * a row is useless for another user. Codes of earlier releases have 24 characters of the same alphabet.
 */
export function recoveryCodeHashes(keys: Keyring, userId: string, code: string): [string, ...string[]] {
  const canonical = typedCode(code)
    .toUpperCase()
    .replace(/[018]/g, (digit) => lookalikes.get(digit)!);
  const [present, ...previous] = keys.subkeys('recovery_code');
  const hash = (key: typeof present) => mac(key, userId, canonical).toString('base64url');
  return [hash(present), ...previous.map(hash)];
}

/** What a handwritten letter is read as. */
const lookalikes = new Map([
  ['0', 'O'],
  ['1', 'I'],
  ['8', 'B'],
]);
