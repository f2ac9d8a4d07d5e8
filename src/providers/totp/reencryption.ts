/** Moves the secrets of authenticator apps to the current encryption key (docs/decisions/encryption.md). */
import type { Keyring } from '../../crypto/keys.js';
import { currentSealPrefix, seal, unseal } from '../../crypto/secret-box.js';
import type { TotpRepository } from '../../storage/second-factor-repositories.js';

export interface ReencryptCounts {
  /** Secrets that are now encrypted with the current key. */
  reencrypted: number;
  /** Secrets that no configured key decrypts. */
  unreadable: number;
}

export interface ReencryptProgress extends ReencryptCounts {
  /** How many secrets were not encrypted with the current key at the start. */
  total: number;
}

const batchSize = 500;

/** Works in batches, each secret by compare-and-swap: sign-ins continue, and several processes may run it concurrently. */
export async function reencryptSecrets(
  enrollments: TotpRepository,
  keys: Keyring,
  limit = Infinity,
  onProgress?: (progress: ReencryptProgress) => void,
): Promise<ReencryptCounts> {
  const counts = { reencrypted: 0, unreadable: 0 };
  const prefix = currentSealPrefix(keys, 'totp');
  const total = onProgress ? await enrollments.countSecrets(prefix) : 0;
  onProgress?.({ ...counts, total });
  let after: string | null = null;
  while (counts.reencrypted < limit) {
    const size = Math.min(batchSize, limit - counts.reencrypted);
    // Of `size` users, who may have several apps.
    const batch = await enrollments.listSecrets(prefix, after, size);
    for (const { userId, secret } of batch) {
      const opened = unseal(keys, 'totp', userId, secret);
      counts[opened ? 'reencrypted' : 'unreadable'] += 1;
      if (opened) await enrollments.reencrypt(userId, secret, seal(keys, 'totp', userId, opened.text));
      after = userId;
    }
    if (batch.length > 0) onProgress?.({ ...counts, total });
    if (new Set(batch.map(({ userId }) => userId)).size < size) break;
  }
  return counts;
}
