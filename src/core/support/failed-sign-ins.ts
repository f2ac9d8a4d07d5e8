/** Reports the event `sign_in.failed`. */
import { reasonOf } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import type { EventBus } from './events.js';

/**
 * Emits the event. The payload has the same fields for known and unknown addresses.
 * @param userId of the account, if it was read.
 */
export function signInFailed(
  events: EventBus,
  method: string,
  error: ServiceError,
  userId: string | undefined,
): void {
  const reason = reasonOf(error) ?? error.code;
  events.emit('sign_in.failed', { method, reason, ...(userId !== undefined && { userId }) });
}
