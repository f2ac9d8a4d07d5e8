/** The guard of routes that programs call with an API key (Pro). */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { ApiKeyInvalidError, InvalidRequestError, NotAuthorizedError } from '../errors/catalog.js';
import { optional, refuseOthers } from '../core/support/input.js';
import { internals } from '../core/internals.js';
import { checkService } from './check-service.js';
import { sendError, toServiceError } from './error-handler.js';
import { noStore, runGuard, type Guard } from './guard.js';
import { because } from './refusal.js';

export interface RequireApiKeyOptions {
  /** The key must have all of these scopes. */
  scopes?: readonly string[];
}

/**
 * Returns a guard for requests with a valid API key; sets `req.apiKey`. Reads `Authorization:
 * Bearer` or `X-Api-Key`. Responds with 401 `api_key_invalid`, with 403 `user_blocked` if the key
 * belongs to a blocked user, or with 403 `not_authorized` if it lacks a scope.
 * @throws ConfigError if the first argument is not a service; InvalidRequestError for invalid
 * options.
 */
export function requireApiKey(service: Service, options: RequireApiKeyOptions = {}): Guard {
  checkService(service, 'requireApiKey');
  const { scopes = [], ...others } = optional(options);
  refuseOthers(others, 'is not an option of this guard');
  if (!Array.isArray(scopes)) throw new InvalidRequestError('scopes must be a list.');
  return (req, res, next) =>
    runGuard(res, next, authorize(service, req, res, scopes), (error) =>
      sendError(res, toServiceError(error, req, service[internals].logger)),
    );
}

async function authorize(
  service: Service,
  req: Request,
  res: Response,
  scopes: readonly string[],
): Promise<void> {
  delete req.apiKey;
  // Recognized by its prefix: with `X-Api-Key`, the bearer token may be a session.
  const bearer = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  const own = bearer?.startsWith('svc_') ? bearer : undefined;
  const { apiKeys } = service;
  const presented = own ?? req.headers['x-api-key'] ?? (apiKeys.acceptsForeign ? bearer : undefined);
  if (typeof presented !== 'string') throw new ApiKeyInvalidError(because('api_key_missing'));
  const key = await apiKeys.verify(presented);
  if (!scopes.every((scope) => key.scopes.includes(scope))) {
    throw new NotAuthorizedError(because('scope_missing'));
  }
  req.apiKey = key;
  noStore(res);
}
