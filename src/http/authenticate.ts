/** Authenticates a request by its session token and sets the user on it. */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { toServiceUser } from '../domain/user.js';
import { SessionChangedError, TokenInvalidError } from '../errors/catalog.js';
import { internals } from '../core/support/internals.js';
import { describeError } from '../core/support/logger.js';
import type { CheckedSession, LiveSession } from '../core/sessions/session-checks.js';
import { bearerToken as readBearerToken, isBearerRequest } from './bearer-session.js';
import { noStore } from './guard.js';
import { because } from './refusal.js';
import { readSessionCookie, setSessionCookie } from './session-cookie.js';

export interface PresentedToken {
  token: string;
  from: 'bearer' | 'cookie';
}

export interface Authenticated<Session extends CheckedSession = LiveSession> {
  session: Session;
  token: string;
}

/**
 * Authenticates a request that acts for its user: checks the session with one query, renews the
 * cookie if that is due, and sets `req.user` and `req.svcAuth`.
 * @throws TokenInvalidError if the request has no valid session; SessionChangedError if the page
 * shows another user.
 */
export async function authenticate(service: Service, req: Request, res: Response): Promise<Authenticated> {
  const presented = await readSession(service, req);
  checkExpectedUser(req, presented.session.user.id);
  return acceptSession(service, req, res, presented);
}

/** As `authenticate`, for the guards: without a query if the session is cached (`session.cache`). */
export async function authenticateForGuard(
  service: Service,
  req: Request,
  res: Response,
): Promise<Authenticated<CheckedSession>> {
  clearAuth(req);
  const { token, from } = presentedToken(service, req);
  const session = await service[internals].sessions.check(token);
  checkExpectedUser(req, session.user.id);
  return acceptSession(service, req, res, { token, from, session });
}

/**
 * As `authenticate`, for a route that changes nothing for the user, so that it does not matter
 * which user the page shows.
 */
export async function authenticateAnyUser(
  service: Service,
  req: Request,
  res: Response,
): Promise<Authenticated> {
  return acceptSession(service, req, res, await readSession(service, req));
}

async function readSession(service: Service, req: Request): Promise<PresentedToken & Authenticated> {
  clearAuth(req);
  const { token, from } = presentedToken(service, req);
  return { token, from, session: await service[internals].sessions.authenticate(token) };
}

async function acceptSession<Session extends CheckedSession>(
  service: Service,
  req: Request,
  res: Response,
  { session, token, from }: PresentedToken & Authenticated<Session>,
): Promise<Authenticated<Session>> {
  if (from === 'cookie') await renew(service, req, res, session);
  req.user = toServiceUser(session.user);
  req.svcAuth = { token, claims: session.claims };
  noStore(res);
  return { session, token };
}

/** Logs a renewal that fails: the session is valid, so the request succeeds. */
async function renew(service: Service, req: Request, res: Response, session: CheckedSession): Promise<void> {
  const { logger, sessions } = service[internals];
  try {
    const renewed = await sessions.renewSession(session);
    if (renewed) setSessionCookie(service[internals], req, res, renewed);
  } catch (error) {
    logger.warn({ err: describeError(error) }, 'a session could not be renewed');
  }
}

/**
 * Returns the session tokens of a request: first the `Authorization: Bearer` header, then the
 * cookie.
 */
export function presentedTokens(service: Service, req: Request): PresentedToken[] {
  return [bearerToken(req), cookieToken(service, req)].filter((token) => token !== undefined);
}

/**
 * Returns the token that authenticates a request. The header is explicit and browsers send the
 * cookie by themselves, so the cookie is ignored if there is a bearer token, even an invalid one.
 * @throws TokenInvalidError if the request has neither.
 */
export function presentedToken(service: Service, req: Request): PresentedToken {
  const presented = bearerToken(req) ?? cookieToken(service, req);
  if (presented === undefined) throw new TokenInvalidError(because('session_missing'));
  return presented;
}

function bearerToken(req: Request): PresentedToken | undefined {
  const token = readBearerToken(req);
  return token === undefined ? undefined : { token, from: 'bearer' };
}

function cookieToken(service: Service, req: Request): PresentedToken | undefined {
  // The request was exempt from the origin check.
  if (isBearerRequest(service[internals], req)) return undefined;
  const token = readSessionCookie(service[internals].cookie, req);
  return token === undefined ? undefined : { token, from: 'cookie' };
}

/**
 * Refuses a request of a page that shows another user: a page can outlive its session if another
 * tab signs in as another user. The page sends the id of its user as `svc-user`. Requests that only
 * read are not refused.
 * @throws SessionChangedError if the session belongs to another user.
 */
export function checkExpectedUser({ headers, method }: Request, userId: string): void {
  const expected = headers['svc-user'];
  if (expected === undefined || safeMethods.has(method)) return;
  if (expected !== userId) throw new SessionChangedError();
}

/**
 * As `checkExpectedUser`, for a route that also works without a session: a session cookie that is missing or invalid is not checked.
 * @throws SessionChangedError if the session of the cookie belongs to another user.
 */
export async function checkExpectedCookieUser(service: Service, req: Request): Promise<void> {
  const { sessions } = service[internals];
  const token = cookieToken(service, req)?.token;
  // Without the header there is nothing to compare, and no query is made.
  if (token === undefined || req.headers['svc-user'] === undefined) return;
  const live = await sessions.authenticate(token).catch((error: unknown) => {
    if (error instanceof TokenInvalidError) return null;
    throw error;
  });
  if (live) checkExpectedUser(req, live.user.id);
}

// RFC 9110, 9.2.1
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Removes values that other middleware may have set: routes behind a guard rely on these
 * properties.
 */
export function clearAuth(req: Request): void {
  delete req.user;
  delete req.svcAuth;
}
