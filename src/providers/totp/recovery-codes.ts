/** Recovery codes: 120 random bits each, so that a fast keyed hash is enough (docs/decisions/second-factor.md). */
import { mac } from '../../crypto/digest.js';
import type { Keyring } from '../../crypto/keys.js';
import { randomBase32 } from '../../crypto/random.js';

const count = 10;
const bytes = 15;

/** Ten codes of four groups of six letters and digits, to be written down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => (randomBase32(bytes).match(/.{6}/g) ?? []).join('-'));
}

/**
 * Returns the MACs of a code as typed by the user, one per encryption key, the current one first. Bound to the user, so that
 * a row is useless for another user.
 */
export function recoveryCodeHashes(keys: Keyring, userId: string, code: string): [string, ...string[]] {
  const canonical = code.toUpperCase().replace(/[\s-]/g, '');
  const [present, ...previous] = keys.subkeys('recovery_code');
  const hash = (key: typeof present) => mac(key, userId, canonical).toString('base64url');
  return [hash(present), ...previous.map(hash)];
}
