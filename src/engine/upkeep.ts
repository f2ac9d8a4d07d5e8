/** Maintenance that a daily job runs. */
import { EncryptionRequiredError, InvalidRequestError } from '../errors/catalog.js';
import { capability } from '../core/support/capability.js';
import { parseOptions } from '../core/support/input.js';
import type { Toolkit } from '../core/toolkit.js';
import {
  reencryptSecrets,
  type ReencryptCounts,
  type ReencryptProgress,
} from '../providers/totp/reencryption.js';
import type { PurgeCounts } from '../storage/adapter.js';

export interface PurgeOptions {
  limit?: number;
  guests?: boolean;
  onProgress?: (removed: number) => void;
}

export interface ReencryptOptions {
  limit?: number;
  onProgress?: (progress: ReencryptProgress) => void;
}

export async function purgeExpired(
  { clock, storage, userDeletion }: Toolkit,
  isLicensed: () => boolean,
  options: PurgeOptions,
): Promise<PurgeCounts> {
  const { guests = true, limit, onProgress } = parseOptions(options, ['limit', 'guests', 'onProgress']);
  checkLimit(limit);
  checkProgress(onProgress);
  if (typeof guests !== 'boolean') throw new InvalidRequestError('guests must be true or false.');
  let total = 0;
  const counts = await storage.purgeExpired({
    now: new Date(clock()),
    limit,
    ...(onProgress && { onProgress: (removed: number) => onProgress((total += removed)) }),
  });
  // Last: the application's handlers run for each guest and may be slow; they must not delay the rest.
  if (!storage.guests || !guests) return counts;
  if (isLicensed()) return { ...counts, guests: await userDeletion.purgeGuests(limit) };
  await userDeletion.reportGuestsLeft();
  return { ...counts, guests: 0 };
}

export async function reencrypt(
  { encryptionKeys, storage }: Toolkit,
  options: ReencryptOptions,
): Promise<ReencryptCounts> {
  const { limit, onProgress } = parseOptions(options, ['limit', 'onProgress']);
  checkLimit(limit);
  checkProgress(onProgress);
  if (!encryptionKeys) throw new EncryptionRequiredError();
  return reencryptSecrets(capability(storage, 'totp'), encryptionKeys, limit, onProgress);
}

function checkProgress(onProgress: unknown): void {
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new InvalidRequestError('onProgress must be a function.');
}

function checkLimit(limit: unknown): void {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && (limit as number) >= 0))
    throw new InvalidRequestError('limit must be a whole number of rows, 0 or more.');
}
