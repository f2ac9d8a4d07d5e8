/** Who a request is from: its tokens, what the store says of them, and what of that is left on the request. */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { toServiceUser } from '../domain/user.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { internals } from '../kit/internals.js';
import { describeError } from '../kit/logger.js';
import type { LiveSession } from '../kit/sessions.js';
import { keepPrivate } from './guard.js';
import { readSessionCookie, setSessionCookie } from './session-cookie.js';

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
export function presentedToken(service: Service, req: Request): string | undefined {
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

// Whatever stands there was not put there by us, and a route behind a guard will believe it.
export function forget(req: Request): void {
  delete req.user;
  delete req.auth;
}
