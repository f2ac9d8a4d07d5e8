/** Reports the event `sign_in.failed`. */
import { isUuid } from '../../domain/uuid.js';
import { reasonOf } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import type { EventBus } from './events.js';

/**
 * Emits the event. The payload has the same fields for known and unknown addresses.
 * @param subject the user id of the account, or an address, user name or phone number, which is not part of the event.
 */
export function signInFailed(events: EventBus, method: string, subject: string, error: ServiceError): void {
  const reason = reasonOf(error) ?? error.code;
  events.emit('sign_in.failed', { method, reason, ...(isUuid(subject) && { userId: subject }) });
}
