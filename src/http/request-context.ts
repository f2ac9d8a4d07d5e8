/** What the routes read from a request apart from its body. */
import type { Request } from 'express';
import { languageCookie } from '../domain/language.js';
import type { DeviceInfo } from '../domain/session.js';
import type { Service } from '../engine/service.js';
import { InvalidRequestError } from '../errors/catalog.js';
import {
  endOldSessions,
  keyProof,
  otherTokens,
  routeCheck,
  type RequestContext,
  type RouteCheck,
} from '../core/sessions/request-context.js';
import { internals } from '../core/internals.js';
import { bearerToken, boundToken, isBearerRequest } from './bearer-session.js';
import { clientAddress } from './client-address.js';
import { proofOf, provesKey } from './key-proofs.js';
import { readDeviceToken } from './device-cookie.js';
import { acceptsOldSessions, retireOldSessions } from './presented-sessions.js';
import { readCookie, readSessionCookies } from './session-cookie.js';
import { readTrustToken } from './trust-cookie.js';

/**
 * Returns the context of a sign-in.
 * @param token the session token that authenticated the request. Absent at a sign-in, which
 * replaces the session of the cookie.
 */
export function signInContext(service: Service, req: Request, token?: string): RequestContext {
  const client = {
    ip: clientAddress(req),
    userAgent: req.get('user-agent')?.slice(0, 512),
    language: languageOf(service, req),
  };
  if (isBearerRequest(service[internals], req)) {
    const sessionToken = token ?? provenToken(service, req);
    const proof = () => proofOf(service[internals], req);
    return { ...client, sessionToken, startSession: true, bearer: true, [keyProof]: proof };
  }
  const trustToken = readTrustToken(service, req);
  return {
    ...client,
    ...sessionTokensOf(service, req, token),
    deviceToken: readDeviceToken(service, req),
    startSession: true,
    ...(acceptsOldSessions(service, req) && { [endOldSessions]: () => retireOldSessions(service, req) }),
    ...(trustToken !== undefined && { trustToken }),
  };
}

/** Returns the token of a request that was not authenticated. One that is bound to a key counts with a proof of it only. */
function provenToken(service: Service, req: Request): string | undefined {
  const { sessions, ...tools } = service[internals];
  const bound = boundToken(tools, req);
  const token = bound ?? bearerToken(req);
  const claims = sessions.tokens.claimsOf(token);
  if (token === undefined || (claims?.cnf === undefined && bound === undefined)) return token;
  return claims !== null && bound !== undefined && provesKey(tools, req, token, claims) ? token : undefined;
}

/** For a route that is open to everyone, and until the access of any other is checked. */
const unchecked: RouteCheck = { session: null, inPerson: false };

/** As `signInContext`, for the routes and the pages of this package: the context says what was checked. @param check from `requireAccess`. */
export function routeContext(
  service: Service,
  req: Request,
  token?: string,
  check: RouteCheck = unchecked,
): RequestContext {
  return withCheck(signInContext(service, req, token), check);
}

/** Returns the context of a route that has checked more since. */
export function withCheck(context: RequestContext, check: RouteCheck): RequestContext {
  const { session } = check;
  return { ...context, [routeCheck]: check, ...(session && { sessionEpoch: session.user.epoch }) };
}

/** @param used the token that authenticated the request; without one, the first cookie whose signature and time are right. */
function sessionTokensOf(service: Service, req: Request, used: string | undefined): RequestContext {
  const { cookie, sessions } = service[internals];
  const tokens = readSessionCookies(cookie, req);
  if (tokens.length < 2) return { sessionToken: used ?? tokens[0] };
  const sessionToken = used ?? tokens.find((token) => sessions.tokens.claimsOf(token) !== null) ?? tokens[0];
  return { sessionToken, [otherTokens]: tokens.filter((token) => token !== sessionToken) };
}

/** Returns the language that a request asks for: the one of its cookie, else that of the header, else the default. */
export function languageOf(service: Service, req: Request): string {
  return service[internals].languages.ofRequest(
    readCookie(req, languageCookie),
    req.headers['accept-language'],
  );
}

/** Returns the device of a request, for a session or a refresh token. */
export function deviceOf({ ip, userAgent }: RequestContext): DeviceInfo {
  return { ...(ip && { ip }), ...(userAgent && { userAgent }) };
}

/** Returns the query of the URL, independent of the application's query parser. */
export function queryOf(req: Request): URLSearchParams {
  const start = req.originalUrl.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : req.originalUrl.slice(start));
}

/**
 * Returns those of the parameters that the query of the URL contains.
 * @throws InvalidRequestError if one is repeated.
 */
export function queryParametersOf<Name extends string>(
  req: Request,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const query = queryOf(req);
  const parameters: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const [value, ...others] = query.getAll(name);
    if (others.length > 0) throw new InvalidRequestError(`${name} must be given once.`, { field: name });
    if (value !== undefined) parameters[name] = value;
  }
  return parameters;
}

/** Returns whether a browser or a scanner fetches the URL before the user has opened it. */
export function isPrefetch({ headers }: Request): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-moz']];
  return purposes.some((value) => /prefetch|preview/i.test(value?.toString() ?? ''));
}
