/** The reason of a refusal in a response: outside production only, because it can say more than a client should know. */
import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { because, reasonOf, refusalOf, type Reason } from '../errors/reasons.js';
import { errorCodes, type ServiceError } from '../errors/service-error.js';

export { because, refusalOf };

/** Every response with one of these statuses has a reason. */
export const refusedStatuses: readonly number[] = [401, 403, 429];

export const isDevelopment = () => process.env['NODE_ENV'] !== 'production';

/** Returns the reason that a response may have, or undefined: in production, or for an error that is not a refusal. */
export function shownReason(error: ServiceError): Reason | undefined {
  return isDevelopment() && refusedStatuses.includes(errorCodes[error.code].status)
    ? reasonOf(error)
    : undefined;
}

/** Sets the header with the reason of an error, if the response may have it. */
export function setReason(res: Response, error: ServiceError): void {
  setReasonHeader(res, shownReason(error));
}

/** As `setReason`, for a refusal that is not an error of the service. */
export function setReasonHeader(res: Pick<ServerResponse, 'setHeader'>, reason: Reason | undefined): void {
  if (reason !== undefined && isDevelopment()) res.setHeader('svc-auth-reason', reason);
}
