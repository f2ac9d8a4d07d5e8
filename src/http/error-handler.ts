/**
 * Translates errors to HTTP, in this file only (specification part 7): a status, and a body with a
 * constant message.
 */
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import {
  InternalError,
  InvalidRequestError,
  type ChallengeRequiredError,
  type FieldsRequiredError,
  type MfaRequiredError,
  type RateLimitError,
  type TokenInvalidError,
} from '../errors/catalog.js';
import {
  errorCodes,
  isServiceError,
  type ServiceError,
  type ServiceErrorCode,
} from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import { reasonOf } from '../errors/reasons.js';
import { describeError, type Logger } from '../core/support/logger.js';
import { clientAddress } from './client-address.js';
import { setProofChallenge } from './key-proofs.js';
import { because, isDevelopment, refusalOf, refusedStatuses, setReason, shownReason } from './refusal.js';
import { sendJson, setResponseHeaders } from './respond.js';
import { recordRefusal, type Refusal, type RefusalTools } from './refused-requests.js';
import { isFieldsRequired, keepUnfinishedSignUp } from './sign-up-cookie.js';

export const statusOf = (code: ServiceErrorCode): number => errorCodes[code].status;

type Level = 'debug' | 'info';

/**
 * Returns the error that the client may see, and logs it. A refusal also leaves a record with the option `audit`. Foreign errors become an
 * `InternalError`; only the log has their cause.
 */
export function toServiceError(
  error: unknown,
  req: Request,
  tools: RefusalTools,
  level: Level = 'info',
): ServiceError {
  const serviceError = logError(error, req, tools.logger, level);
  const reason = reasonOf(serviceError);
  if (reason !== undefined && refusedStatuses.includes(statusOf(serviceError.code)))
    recordRefusal(tools, req, { reason, error: serviceError });
  return serviceError;
}

/** As `toServiceError`, for an error that refuses no request: it leaves no record. */
export function logError(error: unknown, req: Request, logger: Logger, level: Level = 'info'): ServiceError {
  const serviceError = isServiceError(error)
    ? error
    : isMalformedPath(error)
      ? malformedPath()
      : new InternalError(error);
  if (serviceError.code === 'internal_error') {
    const { message, cause } = serviceError;
    const detail = message === errorCodes.internal_error.message ? undefined : message;
    logger.error({ ...requestForLog(req), detail, err: describeError(cause) }, 'a request failed');
  } else {
    const { code, field, message } = serviceError;
    const refusal = refusalOf(serviceError);
    const detail = refusal && message !== errorCodes[code].message ? message : undefined;
    const reason = reasonOf(serviceError);
    logger[level](
      { ...requestForLog(req), event: 'refused', code, reason, field, detail },
      'a request was refused',
    );
  }
  return serviceError;
}

/**
 * Logs and records a refusal that is not an error of the service: those of OAuth have codes of the protocol.
 * @param status of the response.
 */
export function noteRefusal(
  { code, status, ...refusal }: Refusal & { code: string | null; status: number },
  req: Request,
  tools: RefusalTools,
  level: Level = 'info',
): void {
  const { reason } = refusal;
  tools.logger[level]({ ...requestForLog(req), event: 'refused', code, reason }, 'a request was refused');
  if (refusedStatuses.includes(status)) recordRefusal(tools, req, refusal);
}

/** Without the query, which may contain a token. */
export function requestForLog(req: Request): { method: string; path: string; ip: string | undefined } {
  return { method: req.method, path: `${req.baseUrl}${req.path}`, ip: clientAddress(req) };
}

/** Express throws a URIError for a parameter such as `%zz`. */
function isMalformedPath(error: unknown): boolean {
  return error instanceof URIError;
}

const malformedPath = () => new InvalidRequestError('The path is malformed.', because('path_malformed'));

export function sendError(res: Response, error: ServiceError): void {
  setResponseHeaders(res);
  setRetryAfter(res, error);
  setProofChallenge(res, error);
  setReason(res, error);
  sendJson(res, errorBody(error), statusOf(error.code));
}

/** Sets the header with the seconds until a limit ends. */
export function setRetryAfter(res: Response, error: ServiceError): void {
  if (error.code !== 'rate_limit_exceeded') return;
  const { retryAfterMs } = error as RateLimitError;
  res.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1000)));
}

export type ErrorBody = { error: ServiceErrorCode; message: string } & Readonly<Record<string, unknown>>;

/** Returns what a client may know of an error, in every framework. */
export function errorBody(error: ServiceError): ErrorBody {
  const { code, reason, field } = error;
  const diagnosis = shownReason(error);
  const message =
    isDevelopment() && refusalOf(error) === 'content_type' ? error.message : errorCodes[code].message;
  const body = {
    error: code,
    message,
    ...(reason && { reason }),
    ...(field && { field }),
    ...(diagnosis && { diagnosis }),
  };
  if (code === 'invalid_request') {
    const { issues } = error as InvalidRequestError;
    return { ...body, ...(issues && { issues }) };
  }
  if (code === 'token_invalid') {
    const { serverTime } = error as TokenInvalidError;
    return { ...body, ...(serverTime !== undefined && { serverTime }) };
  }
  if (code === 'challenge_required') {
    const { challenge } = error as ChallengeRequiredError;
    return { ...body, challenge };
  }
  if (code === 'mfa_required') {
    const { methods, preferred, pending } = error as MfaRequiredError;
    return { ...body, ...(methods && { methods, preferred }), ...(pending && { pending }) };
  }
  if (code === 'fields_required') {
    const { pending } = error as FieldsRequiredError;
    return { ...body, ...(pending && { pending }) };
  }
  if (code !== 'rate_limit_exceeded') return body;
  const { retryAfterMs } = error as RateLimitError;
  return { ...body, retryAfterMs };
}

/** The last handler of a router. Express's default handler would send a stack trace. */
export function errorHandler(service: Service): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const serviceError = toServiceError(error, req, service[internals]);
    // A timeout of the application may have responded already.
    if (res.headersSent) return;
    sendError(
      res,
      isFieldsRequired(serviceError) ? keepUnfinishedSignUp(service, req, res, serviceError) : serviceError,
    );
  };
}
