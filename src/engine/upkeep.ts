/** Maintenance that a daily job runs. */
import { EncryptionRequiredError, InvalidRequestError } from '../errors/catalog.js';
import { capability } from '../core/support/capability.js';
import { parseOptions } from '../core/support/input.js';
import type { Toolkit } from '../core/toolkit.js';
import { reencryptSecrets, type ReencryptCounts } from '../providers/totp/reencryption.js';
import type { PurgeCounts } from '../storage/adapter.js';

export async function purgeExpired(
  { clock, storage, userDeletion }: Toolkit,
  isLicensed: () => boolean,
  options: { limit?: number },
): Promise<PurgeCounts> {
  const limit = limitOf(options);
  const counts = await storage.purgeExpired({ now: new Date(clock()), limit });
  // Last: the application's handlers run for each guest and may be slow; they must not delay the rest.
  if (!storage.guests) return counts;
  if (isLicensed()) return { ...counts, guests: await userDeletion.purgeGuests(limit) };
  await userDeletion.reportGuestsLeft();
  return { ...counts, guests: 0 };
}

export async function reencrypt(
  { encryptionKeys, storage }: Toolkit,
  options: { limit?: number },
): Promise<ReencryptCounts> {
  const limit = limitOf(options);
  if (!encryptionKeys) throw new EncryptionRequiredError();
  return reencryptSecrets(capability(storage, 'totp'), encryptionKeys, limit);
}

function limitOf(options: { limit?: number }): number | undefined {
  const { limit } = parseOptions(options, ['limit']);
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
    throw new InvalidRequestError('limit must be a whole number of rows, 0 or more.');
  return limit;
}
