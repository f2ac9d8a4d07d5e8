/** What a daily job asks of a service. */
import { EncryptionRequiredError, InvalidRequestError } from '../errors/catalog.js';
import { capability } from '../kit/capability.js';
import { optional } from '../kit/input.js';
import type { Toolkit } from '../kit/toolkit.js';
import { reencryptSecrets, type ReencryptCounts } from '../providers/totp/reencryption.js';
import type { PurgeCounts } from '../storage/adapter.js';

export async function purgeExpired(
  { clock, storage, userDeletion }: Toolkit,
  isLicensed: () => boolean,
  options: { limit?: number },
): Promise<PurgeCounts> {
  const limit = limitOf(options);
  const counts = await storage.purgeExpired({ now: new Date(clock()), limit });
  // Last: what the application deletes with each guest takes its time, and must hold up nothing else.
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
  const { limit } = optional(options);
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
    throw new InvalidRequestError('limit must be a whole number of rows, 0 or more.');
  return limit;
}
