/** Reports the event `code.failed`: a code was refused, in a sign-in or elsewhere. */
import { isUuid } from '../../domain/uuid.js';
import { reasonOf } from '../../errors/reasons.js';
import { isServiceError } from '../../errors/service-error.js';
import type { EventBus, ServiceEvents } from './events.js';

/** The codes of errors that say that a code was refused. A limit that was used up before is `limit.exceeded`. */
const refusals = ['code_invalid', 'code_expired', 'code_not_found', 'max_attempts_exceeded'];

/** @param subject the address, phone number or user id that the code belongs to. Only the id is part of the event. */
export type ReportFailedCode = (
  purpose: ServiceEvents['code.failed']['purpose'],
  subject: string,
  error: unknown,
) => void;

export function codeFailed(events: EventBus): ReportFailedCode {
  return (purpose, subject, error) => {
    if (!isServiceError(error) || !refusals.includes(error.code)) return;
    const reason = reasonOf(error) ?? error.code;
    events.emit('code.failed', { purpose, reason, ...(isUuid(subject) && { userId: subject }) });
  };
}
