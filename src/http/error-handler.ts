/** The only translator from errors to HTTP (specification part 7): status, and a body of constant text. */
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { InternalError, InvalidRequestError, type RateLimitError } from '../errors/catalog.js';
import { messages } from '../errors/messages.js';
import { isServiceError, type ServiceError, type ServiceErrorCode } from '../errors/service-error.js';
import { internals } from '../kit/internals.js';
import { describeError, type Logger } from '../kit/logger.js';
import { clientAddress } from './client-address.js';
import { because, refusalOf } from './refusal.js';
import { sendJson, setAnswerHeaders } from './route.js';

export const statusOf: Readonly<Record<ServiceErrorCode, number>> = {
  rate_limit_exceeded: 429,
  code_invalid: 401,
  code_expired: 401,
  code_not_found: 401,
  max_attempts_exceeded: 401,
  invalid_credentials: 401,
  token_invalid: 401,
  api_key_invalid: 401,
  refresh_token_invalid: 401,
  not_authorized: 403,
  user_not_found: 404,
  email_exists: 409,
  weak_password: 400,
  org_error: 400,
  encryption_required: 400,
  provider_not_configured: 501,
  license_required: 501,
  adapter_capability: 501,
  email_send_failed: 500,
  oauth_error: 400,
  invalid_request: 400,
  mfa_required: 403,
  reauth_required: 403,
  session_changed: 409,
  email_unverified: 403,
  sms_send_failed: 500,
  config_invalid: 500,
  internal_error: 500,
};

/** Errors as the caller may know them: what is not ours is an internal error, and its reason goes to the logger. */
export function toServiceError(error: unknown, req: Request, logger: Logger): ServiceError {
  const known = isServiceError(error) ? error : isMalformedPath(error) ? badPath() : new InternalError(error);
  // The path without its query, which may hold a token.
  const about = { method: req.method, path: `${req.baseUrl}${req.path}`, ip: clientAddress(req) };
  if (known.code === 'internal_error') {
    logger.error({ ...about, err: describeError(known.cause) }, 'a request failed');
  } else {
    const { code, field } = known;
    const refusal = refusalOf(known);
    const detail = refusal && known.message !== messages[code] ? known.message : undefined;
    const fields = { ...about, event: 'refused', code, reason: known.reason ?? refusal, field, detail };
    logger.info(fields, 'a request was refused');
  }
  return known;
}

/** Express's own for a parameter such as `%zz`: the caller's fault. */
function isMalformedPath(error: unknown): boolean {
  return error instanceof URIError;
}

const badPath = () => new InvalidRequestError('The path is malformed.', because('path_malformed'));

export function sendError(res: Response, error: ServiceError): void {
  setAnswerHeaders(res);
  const { code, reason, field } = error;
  const message = isDevelopment() && refusalOf(error) === 'content_type' ? error.message : messages[code];
  const body = { error: code, message, ...(reason && { reason }), ...(field && { field }) };
  if (code !== 'rate_limit_exceeded') return sendJson(res, body, statusOf[code]);
  const { retryAfterMs } = error as RateLimitError;
  res.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1000)));
  sendJson(res, { ...body, retryAfterMs }, statusOf[code]);
}

const isDevelopment = () => process.env['NODE_ENV'] !== 'production';

/** The last handler of the router; Express's own would show a stack. */
export function errorHandler(service: Service): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const known = toServiceError(error, req, service[internals].logger);
    // The application's time-out may have answered already.
    if (!res.headersSent) sendError(res, known);
  };
}
