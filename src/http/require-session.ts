/** The guards of an application's own routes. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Service } from '../engine/service.js';
import type { SessionClaims } from '../crypto/session-jwt.js';
import { toServiceUser } from '../domain/user.js';
import { isServiceError, type ServiceError } from '../errors/service-error.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { internals } from '../kit/internals.js';
import type { Logger } from '../kit/logger.js';
import { sendError, toServiceError } from './error-handler.js';
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
export function requireSession(service: Service, options: RequireSessionOptions = {}): RequestHandler {
  return options.stateless ? requireToken(service) : guard(service, (res, error) => sendError(res, error));
}

/** Sets `req.user` and `req.auth` where there is a live session, and refuses nobody. */
export function optionalSession(service: Service): RequestHandler {
  return guard(service, (_res, error, next) =>
    error.code === 'token_invalid' ? next() : sendError(_res, error),
  );
}

type Refuse = (res: Response, error: ServiceError, next: NextFunction) => void;

function guard(service: Service, refuse: Refuse): RequestHandler {
  const { logger } = service[internals];
  return (req, res, next) => {
    forget(req);
    const { token, fromCookie } = presentedToken(service, req);
    if (token === undefined) return refuse(res, new TokenInvalidError(), next);
    authenticate(service, req, res, token, fromCookie).then(
      () => next(),
      (error: unknown) => refuse(res, asError(error, req, logger), next),
    );
  };
}

/** Asks the store, renews the cookie when it is due, and leaves what it found on the request. */
async function authenticate(
  service: Service,
  req: Request,
  res: Response,
  token: string,
  fromCookie: boolean,
): Promise<void> {
  const { sessions } = service[internals];
  const live = await sessions.authenticate(token);
  if (fromCookie) {
    const renewed = await sessions.renew(live);
    if (renewed) setSessionCookie(service[internals], req, res, renewed);
  }
  req.user = toServiceUser(live.user);
  req.auth = { token, claims: live.claims };
  keepPrivate(res);
}

/** The token of the cookie, or of an `Authorization: Bearer` header. */
function presentedToken(service: Service, req: Request): { token?: string; fromCookie: boolean } {
  const cookie = readSessionCookie(service[internals].cookie, req);
  if (cookie !== undefined) return { token: cookie, fromCookie: true };
  const { authorization } = req.headers;
  const token = authorization === undefined ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return { token, fromCookie: false };
}

function requireToken(service: Service): RequestHandler {
  return (req, res, next) => {
    forget(req);
    const { token = '' } = presentedToken(service, req);
    try {
      req.auth = { token, claims: service.verifyToken(token) };
    } catch (error) {
      return sendError(res, asError(error, req, service[internals].logger));
    }
    keepPrivate(res);
    next();
  };
}

// What a route shows to somebody who is signed in is for nobody else; the route may say otherwise.
function keepPrivate(res: Response): void {
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
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
