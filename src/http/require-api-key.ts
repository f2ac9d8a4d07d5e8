/** The guard of routes that programs call (Pro). */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { ApiKeyInvalidError, InvalidRequestError, NotAuthorizedError } from '../errors/catalog.js';
import { optional, refuseOthers } from '../kit/input.js';
import { internals } from '../kit/internals.js';
import { checkService } from './check-service.js';
import { sendError, toServiceError } from './error-handler.js';
import { keepPrivate, settle, type Guard } from './guard.js';
import { because } from './refusal.js';

export interface RequireApiKeyOptions {
  /** The key must have all of them. */
  scopes?: readonly string[];
}

/**
 * Lets requests with a good API key through, with `req.apiKey`; reads `Authorization: Bearer` or `X-Api-Key`. Answers 401
 * `api_key_invalid`, or 403 `not_authorized` where the key lacks a scope.
 * @throws ConfigError without a service; InvalidRequestError for invalid options.
 */
export function requireApiKey(service: Service, options: RequireApiKeyOptions = {}): Guard {
  checkService(service, 'requireApiKey');
  const { scopes = [], ...others } = optional(options);
  refuseOthers(others, 'is no option of this guard');
  if (!Array.isArray(scopes)) throw new InvalidRequestError('scopes must be a list.');
  return (req, res, next) =>
    settle(res, next, authorize(service, req, res, scopes), (error) =>
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
  // By its prefix: the bearer beside an `X-Api-Key` may be a session.
  const bearer = /^Bearer +(svc_\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  const presented = bearer ?? req.headers['x-api-key'];
  const { apiKeys } = service;
  if (typeof presented !== 'string') throw new ApiKeyInvalidError(because('api_key_missing'));
  const key = await apiKeys.verify(presented);
  if (!scopes.every((scope) => key.scopes.includes(scope))) {
    throw new NotAuthorizedError(because('scope_missing'));
  }
  req.apiKey = key;
  keepPrivate(res);
}
