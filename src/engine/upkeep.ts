/** Maintenance that a daily job runs. */
import { EncryptionRequiredError, InvalidRequestError } from '../errors/catalog.js';
import { capability } from '../core/support/capability.js';
import { parseOptions } from '../core/support/input.js';
import type { Toolkit } from '../core/toolkit.js';
import { reencryptSecrets, type ReencryptCounts } from '../providers/totp/reencryption.js';
import type { ParsedConfig } from '../config/schema.js';
import type { PurgeCounts } from '../storage/adapter.js';

const dayMs = 24 * 60 * 60_000;

export async function purgeExpired(
  { audit, clock, storage, userDeletion }: Toolkit,
  { audit: auditOptions }: Pick<ParsedConfig, 'audit'>,
  isLicensed: () => boolean,
  options: { limit?: number },
): Promise<PurgeCounts> {
  const limit = limitOf(options);
  const expired = await storage.purgeExpired({ now: new Date(clock()), limit });
  const days = auditOptions === false ? undefined : auditOptions.retentionDays;
  const oldest = days === undefined ? null : new Date(clock() - days * dayMs);
  const counts =
    audit && oldest ? { ...expired, auditRecords: await audit.sealer.removeBefore(oldest, limit) } : expired;
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
