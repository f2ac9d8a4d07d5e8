/** The guards of an application's own routes. */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import type { SessionClaims } from '../crypto/session-jwt.js';
import { toServiceUser } from '../domain/user.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { isServiceError, type ServiceError } from '../errors/service-error.js';
import { optional } from '../kit/input.js';
import { internals } from '../kit/internals.js';
import { describeError, type Logger } from '../kit/logger.js';
import type { LiveSession } from '../kit/sessions.js';
import { sendError, toServiceError } from './error-handler.js';
import { keepPrivate, settle, type Guard } from './guard.js';
import { readSessionCookie, setSessionCookie } from './session-cookie.js';

export interface RequireSessionOptions {
  /**
   * Trusts the token alone and asks no database: a session that was revoked, and a user who was deleted, stay in until
   * the token expires. `req.user` is not set then; `req.auth.claims.sub` is the user id.
   */
  stateless?: boolean;
}

/** What a guard found out about a request. */
export interface RequestAuth {
  token: string;
  claims: SessionClaims;
}

/**
 * Lets requests with a live session through, with `req.user` and `req.auth`; answers 401 JSON otherwise. Reads the
 * session cookie, or `Authorization: Bearer`. Asks the store on every request (one query) and renews sessions in use.
 */
export function requireSession(service: Service, options: RequireSessionOptions = {}): Guard {
  if (optional(options).stateless) return requireToken(service);
  const { logger } = service[internals];
  return (req, res, next) =>
    settle(res, next, authenticate(service, req, res), (error) =>
      sendError(res, asError(error, req, logger)),
    );
}

/** Sets `req.user` and `req.auth` where there is a live session, and refuses nobody: a store that is down is logged. */
export function optionalSession(service: Service): Guard {
  const { logger } = service[internals];
  return (req, res, next) =>
    settle(res, next, authenticate(service, req, res), (error) => {
      asError(error, req, logger);
      next();
    });
}

/** Asks the store, renews the cookie when it is due, and leaves what it found on the request. */
export async function authenticate(
  service: Service,
  req: Request,
  res: Response,
): Promise<{ live: LiveSession; token: string }> {
  forget(req);
  const token = presentedToken(service, req);
  if (token === undefined) throw new TokenInvalidError();
  const live = await service[internals].sessions.authenticate(token);
  if (token === readSessionCookie(service[internals].cookie, req)) await renew(service, req, res, live);
  req.user = toServiceUser(live.user);
  req.auth = { token, claims: live.claims };
  keepPrivate(res);
  return { live, token };
}

/** The session was proven a moment ago: a renewal that fails is for the log, not for the user. */
async function renew(service: Service, req: Request, res: Response, live: LiveSession): Promise<void> {
  const { logger, sessions } = service[internals];
  try {
    const renewed = await sessions.renew(live);
    if (renewed) setSessionCookie(service[internals], req, res, renewed);
  } catch (error) {
    logger.warn({ err: describeError(error) }, 'a session could not be renewed');
  }
}

/** The tokens of a request: of the cookie, and of an `Authorization: Bearer` header. */
export function presentedTokens(service: Service, req: Request): string[] {
  const { authorization } = req.headers;
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return [readSessionCookie(service[internals].cookie, req), bearer].filter((token) => token !== undefined);
}

/** The token that counts: the first, unless it is stale and there is another. */
function presentedToken(service: Service, req: Request): string | undefined {
  const [first, second] = presentedTokens(service, req);
  return first !== undefined && second !== undefined && !holds(service, first) ? second : first;
}

function holds(service: Service, token: string): boolean {
  try {
    service.verifyToken(token);
    return true;
  } catch {
    return false;
  }
}

function requireToken(service: Service): Guard {
  const { logger } = service[internals];
  return (req, res, next) => {
    forget(req);
    const token = presentedToken(service, req) ?? '';
    try {
      req.auth = { token, claims: service.verifyToken(token) };
    } catch (error) {
      return sendError(res, asError(error, req, logger));
    }
    keepPrivate(res);
    next();
  };
}

// Whatever stands there was not put there by us, and a route behind a guard will believe it.
function forget(req: Request): void {
  delete req.user;
  delete req.auth;
}

// A request without a good session is everyday traffic, and no line in the log.
function asError(error: unknown, req: Request, logger: Logger): ServiceError {
  return isServiceError(error) && error.code === 'token_invalid' ? error : toServiceError(error, req, logger);
}
