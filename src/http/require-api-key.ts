/** The guard of routes that programs call with an API key (Pro). */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { ApiKeyInvalidError, InvalidRequestError, NotAuthorizedError } from '../errors/catalog.js';
import { optional, refuseOthers } from '../core/support/input.js';
import { internals } from '../core/internals.js';
import { actorsOfKey, inRequest } from './acting-request.js';
import { checkService } from './check-service.js';
import { sendError, toServiceError } from './error-handler.js';
import { noStore, runGuard, type Guard, type RequestCheck } from './guard.js';
import { because } from './refusal.js';
import { parseTokenFrom, readToken, type TokenFrom } from './token-from.js';

export interface RequireApiKeyOptions {
  /** The key must have all of these scopes. */
  scopes?: readonly string[];
  /** Returns the key of a request that has it elsewhere. If it returns one, no header is read. */
  tokenFrom?: TokenFrom;
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
  const check = apiKeyCheck(service, options);
  return (req, res, next) =>
    inRequest(service[internals], req, () =>
      runGuard(res, next, check(req, res), (error) =>
        sendError(res, toServiceError(error, req, service[internals])),
      ),
    );
}

/** The check of `requireApiKey`. @throws InvalidRequestError for invalid options. */
export function apiKeyCheck(service: Service, options: RequireApiKeyOptions): RequestCheck {
  const { scopes = [], tokenFrom, ...others } = optional(options);
  refuseOthers(others, 'is not an option of this guard');
  if (!Array.isArray(scopes)) throw new InvalidRequestError('scopes must be a list.');
  const readFrom = parseTokenFrom(tokenFrom);
  return (req, res) => authorize(service, req, res, scopes, readFrom);
}

async function authorize(
  service: Service,
  req: Request,
  res: Response | undefined,
  scopes: readonly string[],
  tokenFrom: TokenFrom | undefined,
): Promise<void> {
  delete req.apiKey;
  // Recognized by its prefix: with `X-Api-Key`, the bearer token may be a session.
  const bearer = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  const own = bearer?.startsWith('svc_') ? bearer : undefined;
  const { apiKeys } = service;
  const read = tokenFrom && readToken(req, tokenFrom);
  const presented = read ?? own ?? req.headers['x-api-key'] ?? (apiKeys.acceptsForeign ? bearer : undefined);
  if (typeof presented !== 'string') throw new ApiKeyInvalidError(because('api_key_missing'));
  const key = await apiKeys.verify(presented);
  service[internals].actingRequests.identify(() => actorsOfKey(key));
  if (!scopes.every((scope) => key.scopes.includes(scope))) {
    throw new NotAuthorizedError(because('scope_missing'));
  }
  req.apiKey = key;
  if (res) noStore(res);
}
