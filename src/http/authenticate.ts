/** Finds the session of a request, and leaves its user on the request for the handlers that follow. */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { toServiceUser } from '../domain/user.js';
import { SessionChangedError, TokenInvalidError } from '../errors/catalog.js';
import { internals } from '../kit/internals.js';
import { describeError } from '../kit/logger.js';
import type { LiveSession } from '../kit/sessions.js';
import { keepPrivate } from './guard.js';
import { because } from './refusal.js';
import { readSessionCookie, setSessionCookie } from './session-cookie.js';

export interface PresentedToken {
  token: string;
  from: 'bearer' | 'cookie';
}

export interface Authenticated {
  live: LiveSession;
  token: string;
}

/**
 * Authenticates a request that acts for its user: checks the session with one query, renews the cookie when that is due, and sets
 * `req.user` and `req.svcAuth`.
 * @throws TokenInvalidError if the request has no live session; SessionChangedError if its page shows another user.
 */
export async function authenticate(service: Service, req: Request, res: Response): Promise<Authenticated> {
  const found = await findSession(service, req);
  checkExpectedUser(req, found.live.user.id);
  return admit(service, req, res, found);
}

/** As `authenticate`, for a route that changes nothing for the user: it does not matter which user the page shows. */
export async function authenticateAnyUser(
  service: Service,
  req: Request,
  res: Response,
): Promise<Authenticated> {
  return admit(service, req, res, await findSession(service, req));
}

async function findSession(service: Service, req: Request): Promise<PresentedToken & Authenticated> {
  clearAuth(req);
  const presented = presentedToken(service, req);
  return { ...presented, live: await service[internals].sessions.authenticate(presented.token) };
}

async function admit(
  service: Service,
  req: Request,
  res: Response,
  { live, token, from }: PresentedToken & Authenticated,
): Promise<Authenticated> {
  if (from === 'cookie') await renew(service, req, res, live);
  req.user = toServiceUser(live.user);
  req.svcAuth = { token, claims: live.claims };
  keepPrivate(res);
  return { live, token };
}

/** The session was valid a moment ago: a renewal that fails is logged and does not fail the request. */
async function renew(service: Service, req: Request, res: Response, live: LiveSession): Promise<void> {
  const { logger, sessions } = service[internals];
  try {
    const renewed = await sessions.renew(live);
    if (renewed) setSessionCookie(service[internals], req, res, renewed);
  } catch (error) {
    logger.warn({ err: describeError(error) }, 'a session could not be renewed');
  }
}

/** Returns the session tokens of a request, the one that decides first: the `Authorization: Bearer` header, then the cookie. */
export function presentedTokens(service: Service, req: Request): PresentedToken[] {
  const bearer = bearerToken(req);
  const cookie = readSessionCookie(service[internals].cookie, req);
  return [
    ...(bearer === undefined ? [] : [{ token: bearer, from: 'bearer' } as const]),
    ...(cookie === undefined ? [] : [{ token: cookie, from: 'cookie' } as const]),
  ];
}

/**
 * Returns the token that decides. A bearer token is explicit, the cookie is sent by itself: if both are there, the cookie is not
 * looked at, even if the bearer token is invalid.
 * @throws TokenInvalidError if there is neither.
 */
export function presentedToken(service: Service, req: Request): PresentedToken {
  const [first] = presentedTokens(service, req);
  if (first === undefined) throw new TokenInvalidError(because('session_missing'));
  return first;
}

/** Other schemes, such as the `Basic` of a proxy, belong to other software. A malformed bearer token is an invalid one. */
function bearerToken({ headers: { authorization = '' } }: Request): string | undefined {
  return /^Bearer(?:\s|$)/i.test(authorization) ? authorization.slice('Bearer '.length).trim() : undefined;
}

/**
 * A page can outlive its session: another tab signed in as another user. `svc-user` is the id of the user that the page shows; a
 * request that only reads is not refused.
 * @throws SessionChangedError if the session belongs to another user.
 */
export function checkExpectedUser({ headers, method }: Request, userId: string): void {
  const expected = headers['svc-user'];
  if (expected === undefined || safeMethods.has(method)) return;
  if (expected !== userId) throw new SessionChangedError();
}

// RFC 9110, 9.2.1
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Removes what other middleware may have set: a route behind a guard relies on these. */
export function clearAuth(req: Request): void {
  delete req.user;
  delete req.svcAuth;
}
