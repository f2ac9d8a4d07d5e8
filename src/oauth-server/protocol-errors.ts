/** Errors for clients, in the format of RFC 6749, 5.2. */
import type { Request, Response } from 'express';
import { RateLimitError } from '../errors/catalog.js';
import { statusOf, toServiceError } from '../http/error-handler.js';
import { setReason } from '../http/refusal.js';
import { sendJson, setResponseHeaders } from '../http/respond.js';
import type { RefusalTools } from '../http/refused-requests.js';

/** What counts against an address: none of it happens often to a client that works. Nothing that succeeds is limited. */
const counted = ['invalid_client', 'invalid_grant', 'invalid_token'];

/** Returns whether an answer is a failure to authenticate, as a client or with a grant. */
export function isFailedAuthentication(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: unknown };
  return typeof error === 'string' && counted.includes(error);
}

export const limitedBody = {
  error: 'temporarily_unavailable',
  error_description: 'too many requests from this address',
};

export const retryAfter = (milliseconds: number) => String(Math.ceil(milliseconds / 1000));

/** Sends an error of this server, which it logs. */
export function sendProtocolError(req: Request, res: Response, error: unknown, tools: RefusalTools): void {
  const serviceError = toServiceError(error, req, tools);
  const status = statusOf(serviceError.code);
  setResponseHeaders(res);
  setReason(res, serviceError);
  if (error instanceof RateLimitError) {
    res.setHeader('Retry-After', retryAfter(error.retryAfterMs));
    return sendJson(res, limitedBody, status);
  }
  const isOurs = status >= 500;
  sendJson(res, { error: isOurs ? 'server_error' : 'invalid_request' }, status);
}
