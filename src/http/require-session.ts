/** The guards of an application's own routes. */
import type { Request } from 'express';
import type { Service } from '../engine/service.js';
import type { SessionClaims } from '../crypto/session-jwt.js';
import { isServiceError, type ServiceError } from '../errors/service-error.js';
import { optional } from '../kit/input.js';
import { internals } from '../kit/internals.js';
import type { Logger } from '../kit/logger.js';
import { authenticate, checkExpectedUser, clearAuth, presentedToken } from './authenticate.js';
import { checkService } from './check-service.js';
import { sendError, toServiceError } from './error-handler.js';
import { keepPrivate, settle, type Guard } from './guard.js';
import {
  parseFlag,
  requirementOf,
  tokenRequirementOf,
  type SessionRequirements,
} from './session-requirements.js';

export interface RequireSessionOptions extends SessionRequirements {
  /**
   * Trusts the token alone and asks no database: a session that was revoked, and a user who was deleted, stay in until
   * the token expires. `req.user` is not set then; `req.svcAuth.claims.sub` is the user id. Goes with `mfa`, not with the others.
   */
  stateless?: boolean;
}

/** What a guard found out about a request. */
export interface RequestAuth {
  token: string;
  claims: SessionClaims;
}

/**
 * Lets requests with a live session through, with `req.user` and `req.svcAuth`; answers 401 JSON otherwise. Reads
 * `Authorization: Bearer`, or the session cookie if that header is absent. Asks the store on every request (one query) and renews
 * sessions in use. With requirements, who is signed in and does not meet them gets 403. A request that is not a GET and whose
 * `svc-user` header names another user gets 409 `session_changed`.
 * @throws ConfigError without a service; InvalidRequestError, OrgError for invalid options.
 */
export function requireSession(service: Service, options: RequireSessionOptions = {}): Guard {
  checkService(service, 'requireSession');
  const { stateless, ...requirements } = optional(options);
  if (parseFlag(stateless, 'stateless')) return requireToken(service, requirements);
  const { logger } = service[internals];
  const requirement = requirementOf(service, requirements);
  const check = async (...[req, res]: Parameters<Guard>) => {
    const { live } = await authenticate(service, req, res);
    if (requirement) await requirement(req, live);
  };
  return (req, res, next) =>
    settle(res, next, check(req, res, next), (error) => sendError(res, asError(error, req, logger)));
}

/** Sets `req.user` and `req.svcAuth` where there is a live session, and refuses nobody: a store that is down is logged. */
export function optionalSession(service: Service): Guard {
  checkService(service, 'optionalSession');
  const { logger } = service[internals];
  return (req, res, next) =>
    settle(res, next, authenticate(service, req, res), (error) => {
      asError(error, req, logger);
      next();
    });
}

function requireToken(service: Service, requirements: SessionRequirements): Guard {
  const requirement = tokenRequirementOf(requirements);
  const { logger } = service[internals];
  return (req, res, next) => {
    clearAuth(req);
    try {
      const { token } = presentedToken(service, req);
      const claims = service.verifyToken(token);
      checkExpectedUser(req, claims.sub);
      req.svcAuth = { token, claims };
      requirement(claims);
    } catch (error) {
      return sendError(res, asError(error, req, logger));
    }
    keepPrivate(res);
    next();
  };
}

// A request without a good session is everyday traffic, and no line in the log.
function asError(error: unknown, req: Request, logger: Logger): ServiceError {
  return isServiceError(error) && error.code === 'token_invalid' ? error : toServiceError(error, req, logger);
}
