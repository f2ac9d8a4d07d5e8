/** Moves the secrets of authenticator apps to the current encryption key (docs/decisions/encryption.md). */
import type { Keyring } from '../../crypto/keys.js';
import { currentSealPrefix, seal, unseal } from '../../crypto/secret-box.js';
import type { TotpRepository } from '../../storage/pro-repositories.js';

export interface ReencryptCounts {
  /** Secrets that are under the current key now. */
  reencrypted: number;
  /** Secrets that no configured key opens. */
  unreadable: number;
}

const batchSize = 500;

/** In batches, each secret by compare-and-swap: sign-ins go on, and several processes may do it at once. */
export async function reencryptSecrets(
  enrollments: TotpRepository,
  keys: Keyring,
  limit = Infinity,
): Promise<ReencryptCounts> {
  const counts = { reencrypted: 0, unreadable: 0 };
  const prefix = currentSealPrefix(keys, 'totp');
  let after: string | null = null;
  while (counts.reencrypted < limit) {
    const size = Math.min(batchSize, limit - counts.reencrypted);
    const batch = await enrollments.listSecrets(prefix, after, size);
    for (const { userId, secret } of batch) {
      const opened = unseal(keys, 'totp', userId, secret);
      counts[opened ? 'reencrypted' : 'unreadable'] += 1;
      if (opened) await enrollments.reencrypt(userId, secret, seal(keys, 'totp', userId, opened.text));
      after = userId;
    }
    if (batch.length < size) break;
  }
  return counts;
}
