/** Authenticates a request by its session token and sets the user on it. */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { toServiceUser } from '../domain/user.js';
import { SessionChangedError, TokenInvalidError } from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import { describeError } from '../core/support/logger.js';
import type { CheckedSession, LiveSession } from '../core/sessions/session-checks.js';
import { isBoundToKey } from '../core/sessions/session-tokens.js';
import { actorsOfSession } from './acting-request.js';
import { bearerToken as readBearerToken, boundToken, isBearerRequest } from './bearer-session.js';
import { noStore } from './guard.js';
import { checkKey, requiredProof } from './key-proofs.js';
import { replaceOldSession, safeMethods } from './old-session.js';
import { because } from './refusal.js';
import { readSessionCookies, setSessionCookie } from './session-cookie.js';
import { readToken, type TokenFrom } from './token-from.js';

export interface PresentedToken {
  token: string;
  /** `dpop`: a token with a proof of the key to which it is bound. */
  from: 'bearer' | 'cookie' | 'dpop';
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
  const presented = await readSession(service, req, res);
  checkExpectedUser(req, presented.session.user.id);
  return acceptSession(service, req, res, presented);
}

/**
 * As `authenticate`, for a page: returns null without a valid session. A request that presents none costs no error, whose stack would be a
 * tenth of a page.
 */
export async function findSession(
  service: Service,
  req: Request,
  res: Response,
): Promise<Authenticated | null> {
  clearAuth(req);
  const { oldSessions } = service[internals];
  if (candidateTokens(service, req).length === 0 && !oldSessions.isOpen) return null;
  try {
    return await authenticate(service, req, res);
  } catch (error) {
    // The old session of an account with a second factor: its user signs in.
    if (isEnded(error) || (isServiceError(error) && error.code === 'mfa_required')) return null;
    throw error;
  }
}

/**
 * As `authenticate`, for the guards: without a query if the session is cached (`session.cache`).
 * @param tokenFrom an option of the guard.
 * @param res undefined for the message of a socket, to which no cookie can be set: it does not renew the session.
 */
export async function authenticateForGuard(
  service: Service,
  req: Request,
  res: Response | undefined,
  tokenFrom?: TokenFrom,
): Promise<Authenticated<CheckedSession>> {
  clearAuth(req);
  const { sessions } = service[internals];
  const presented = await validOrReplaced(service, req, res, tokenFrom, (token) => sessions.check(token));
  checkExpectedUser(req, presented.session.user.id);
  return acceptSession(service, req, res, presented);
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
  return acceptSession(service, req, res, await readSession(service, req, res));
}

async function readSession(
  service: Service,
  req: Request,
  res: Response,
): Promise<PresentedToken & Authenticated> {
  clearAuth(req);
  const { sessions } = service[internals];
  return validOrReplaced(service, req, res, undefined, (token) => sessions.authenticate(token));
}

/** As `firstValid`. Without a valid session, replaces the one of a former system (`session.acceptSessionsFrom`). */
async function validOrReplaced<Session extends CheckedSession>(
  service: Service,
  req: Request,
  res: Response | undefined,
  tokenFrom: TokenFrom | undefined,
  check: (token: string) => Promise<Session>,
): Promise<PresentedToken & Authenticated<Session | LiveSession>> {
  try {
    return await firstValid(candidateTokens(service, req, tokenFrom), (each) =>
      checkProven(service, req, each, check),
    );
  } catch (error) {
    const replaced = isEnded(error) ? await replaceOldSession(service, req, res) : null;
    if (replaced) return { ...replaced, from: 'cookie' };
    throw error;
  }
}

/** A token that is bound to the key of its client needs a proof, whose use is stored last: a request that is refused uses nothing up. */
async function checkProven<Session extends CheckedSession>(
  service: Service,
  req: Request,
  { token, from }: PresentedToken,
  check: (token: string) => Promise<Session>,
): Promise<Session> {
  const proof = from === 'dpop' ? requiredProof(service[internals], req, token) : undefined;
  const session = await check(token);
  checkKey(session.claims, proof);
  await proof?.use();
  return session;
}

/**
 * Checks the tokens that may authenticate a request, in their order, until one is valid: a session cookie of another domain or path can
 * stand before the one of this service.
 * @throws the error of the first token, or TokenInvalidError without one.
 */
async function firstValid<Session>(
  [first, ...others]: readonly PresentedToken[],
  check: (presented: PresentedToken) => Promise<Session>,
): Promise<PresentedToken & { session: Session }> {
  if (!first) throw new TokenInvalidError(because('cookie_missing'));
  try {
    return { ...first, session: await check(first) };
  } catch (error) {
    if (others.length === 0 || !isEnded(error)) throw error;
    for (const candidate of others) {
      try {
        return { ...candidate, session: await check(candidate) };
      } catch (other) {
        if (!isEnded(other)) throw other;
      }
    }
    throw error;
  }
}

/** Whether a session has ended, or its user is deleted. Any other error is a failure that another token must not hide. */
function isEnded(error: unknown): boolean {
  return isServiceError(error) && (error.code === 'token_invalid' || error.code === 'user_not_found');
}

/** Sets the user of a session on the request, and renews the cookie if that is due. */
export async function acceptSession<Session extends CheckedSession>(
  service: Service,
  req: Request,
  res: Response | undefined,
  { session, token, from }: PresentedToken & Authenticated<Session>,
): Promise<Authenticated<Session>> {
  service[internals].actingRequests.identify(() => actorsOfSession(session.claims));
  if (res && from === 'cookie') await renew(service, req, res, session);
  req.user = toServiceUser(session.user);
  const { externalId, username, roles } = session.user;
  // A copy: a cached session has the same list for every request.
  const { claims } = session;
  req.svcAuth = { token, claims, externalId, username, roles: [...roles], bound: isBoundToKey(claims) };
  if (res) noStore(res);
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

/** Returns every session token of a request: first that of the `Authorization` header, then those of the cookies. */
export function presentedTokens(service: Service, req: Request): PresentedToken[] {
  return [...bearerTokens(service, req), ...cookieTokens(service, req)];
}

/**
 * Returns the tokens that can authenticate a request. The header is explicit and browsers send the cookie by themselves, so cookies are
 * ignored if there is a bearer token, even an invalid one.
 */
export function candidateTokens(service: Service, req: Request, tokenFrom?: TokenFrom): PresentedToken[] {
  const token = tokenFrom && readToken(req, tokenFrom);
  if (token !== undefined) return [{ token, from: 'bearer' }];
  const bearer = bearerTokens(service, req);
  return bearer.length > 0 ? bearer : cookieTokens(service, req);
}

function bearerTokens(service: Service, req: Request): PresentedToken[] {
  const bound = boundToken(service[internals], req);
  if (bound !== undefined) return [{ token: bound, from: 'dpop' }];
  const token = readBearerToken(req);
  return token === undefined ? [] : [{ token, from: 'bearer' }];
}

function cookieTokens(service: Service, req: Request): PresentedToken[] {
  // The request was exempt from the origin check.
  if (isBearerRequest(service[internals], req)) return [];
  return readSessionCookies(service[internals].cookie, req).map((token) => ({ token, from: 'cookie' }));
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
  // Without the header there is nothing to compare, and no query is made.
  if (req.headers['svc-user'] === undefined) return;
  const userId = await liveUserId(service, cookieTokens(service, req));
  if (userId !== undefined) checkExpectedUser(req, userId);
}

/**
 * As `checkExpectedUser`, for a sign-out, which also ends a session whose token has expired: the first valid session counts, else the
 * first token of this service.
 * @throws SessionChangedError
 */
export async function checkExpectedUserAtSignOut(service: Service, req: Request): Promise<void> {
  if (req.headers['svc-user'] === undefined) return;
  const { tokens } = service[internals].sessions;
  const presented = presentedTokens(service, req);
  const [signed] = presented.flatMap(({ token }) => tokens.claimsAtSignOut(token)?.sub ?? []);
  const userId = (await liveUserId(service, presented)) ?? signed;
  if (userId !== undefined) checkExpectedUser(req, userId);
}

/** Returns the user of the first token whose session is valid. */
async function liveUserId(service: Service, tokens: readonly PresentedToken[]): Promise<string | undefined> {
  const { sessions } = service[internals];
  for (const { token } of tokens) {
    const live = await sessions.authenticate(token).catch((error: unknown) => {
      if (isEnded(error)) return null;
      throw error;
    });
    if (live) return live.user.id;
  }
  return undefined;
}

/**
 * Removes values that other middleware may have set: routes behind a guard rely on these
 * properties.
 */
export function clearAuth(req: Request): void {
  delete req.user;
  delete req.svcAuth;
}
