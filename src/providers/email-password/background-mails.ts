/**
 * Mails that no response waits for, because an error or the time would reveal whether the address has an account: what happens if one is
 * refused or cannot be sent (docs/decisions/reset-uniformity.md).
 */
import { isServiceError } from '../../errors/service-error.js';
import type { ConsumedLimits } from '../../core/limits/consumed-limits.js';
import type { Delivery } from '../../core/queues/background-work.js';

/** Runs `work`. A malformed address or a reached limit is not a failure; the mailer has already logged a failed send. */
export async function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error) || error.code === 'internal_error') throw error;
    return undefined;
  }
}

/** Returns the delivery of a mail, which does not count if it cannot be sent. */
export function deliveryOf(spent: ConsumedLimits, send: () => Promise<void>): Delivery {
  return () =>
    unlessRefused(async () => {
      try {
        await send();
      } catch (error) {
        await spent.refund();
        throw error;
      }
    });
}
