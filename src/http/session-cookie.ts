/**
 * Reads, sets and clears cookies, always with the attributes of the session cookie (specification
 * 5.1).
 */
import type { CookieOptions as ExpressCookieOptions, Request, Response } from 'express';
import { isOfHost, type CookieOptions, type ServiceInternals } from '../core/internals.js';
import { isRemembered } from '../core/sessions/session-tokens.js';
import type { IssuedSession } from '../core/sessions/sessions.js';
import { isBearerRequest } from './bearer-session.js';
import { isSecure } from './secure-cookie.js';
import { boundCookieEnd, boundMarker, bindingAttributes } from './bound-sessions/cookies.js';
import { withdrawRegistration } from './bound-sessions/headers.js';

/** Carries a sign-in that waits for its second step. */
export const pendingCookie = 'svc_mfa';

export function setSessionCookie(
  tools: ServiceInternals,
  req: Request,
  res: Response,
  { token, session }: IssuedSession,
): void {
  // Read from the token, so that every renewal of the cookie repeats the choice of the sign-in.
  const claims = tools.sessions.tokens.claimsOf(token);
  withdrawRegistration(res);
  const isKept = claims === null || isRemembered(claims);
  const expiresAt = boundCookieEnd(claims) ?? (isKept ? session.expiresAt : undefined);
  setCookie(tools, req, res, tools.cookie.name, token, expiresAt);
}

/** Logs once that browsers drop the cookies: they are Secure, and the request came over plain http. */
function warnIfDropped(
  { cookie, logger, reported }: Pick<ServiceInternals, 'cookie' | 'logger' | 'reported'>,
  req: Request,
): void {
  if (req.secure || !isSecure(cookie, req) || reported.has('secure_cookie')) return;
  reported.add('secure_cookie');
  logger.warn(
    { option: 'session.cookie.secure' },
    "cookies are Secure, but the request came over plain http, over which browsers drop them: behind a proxy with TLS, set app.set('trust proxy', …); without TLS, set session.cookie.secure to false",
  );
}

export function clearSessionCookie(tools: ServiceInternals, req: Request, res: Response): void {
  if (isBearerRequest(tools, req)) return;
  withdrawRegistration(res);
  clearBoundMarker(tools, req, res);
  clearCookie(tools, req, res, tools.cookie.name);
  expireOthers(tools, req, res, tools.cookie.name);
}

/** Ends the refreshes of a bound session that this browser had, whose cookie may be missing at this moment. */
export function clearBoundMarker(tools: ServiceInternals, req: Request, res: Response): void {
  const marker = boundMarker(tools, req);
  if (readCookie(req, marker) !== undefined)
    clearCookie(tools, req, res, marker, bindingAttributes(tools, req));
}

/**
 * Expires the cookies of this name that the browser may have besides the one of this service, if it has sent any: `session.cookie.domain`
 * has changed, or a server of a parent domain sets one of the same name. At the steps of sign-ins and at sign-outs only, because such a
 * cookie may be alive elsewhere.
 */
export function expireOthers({ cookie }: ServiceInternals, req: Request, res: Response, name: string): void {
  // With more than one, `setCookie` and `clearCookie` have expired them.
  if (readCookies(req, name).length === 1) expireVariants(req, res, name, attributes(cookie, req));
}

export type CookieAttributes = Pick<ExpressCookieOptions, 'sameSite' | 'path' | 'domain'>;

/**
 * @param expiresAt undefined for a cookie that the browser forgets when it closes.
 * @param others attributes that differ from those of the session cookie.
 */
export function setCookie(
  { clock, cookie, logger, reported }: ServiceInternals,
  req: Request,
  res: Response,
  name: string,
  value: string,
  expiresAt: Date | undefined,
  others: CookieAttributes = {},
): void {
  // `Max-Age` is in whole seconds: rounded up, because some milliseconds have passed since the
  // sign-in.
  const lifetime = expiresAt && { maxAge: Math.ceil((expiresAt.getTime() - clock()) / 1000) * 1000 };
  removeSetCookie(res, name);
  const own = { ...attributes(cookie, req), ...others };
  res.cookie(name, value, { ...own, ...lifetime });
  // Of every cookie: without that of a page or of a sign-in that was started, no session begins.
  warnIfDropped({ cookie, logger, reported }, req);
  if (readCookies(req, name).length > 1) expireVariants(req, res, name, own);
}

/** As `setCookie`, for a step of a sign-in: an older cookie of the same name would stand before it at the next step. */
export function setOnlyCookie(
  tools: ServiceInternals,
  req: Request,
  res: Response,
  name: string,
  value: string,
  expiresAt: Date,
): void {
  setCookie(tools, req, res, name, value, expiresAt);
  expireOthers(tools, req, res, name);
}

export function clearCookie(
  { cookie }: ServiceInternals,
  req: Request,
  res: Response,
  name: string,
  others: CookieAttributes = {},
): void {
  removeSetCookie(res, name);
  const own = { ...attributes(cookie, req), ...others };
  res.clearCookie(name, own);
  if (readCookies(req, name).length > 1) expireVariants(req, res, name, own);
}

/**
 * Expires the cookies of this name with another domain, which are other cookies for the browser (RFC 6265, 5.3, step 11): that of the
 * host alone, and those of the host and its parent domains.
 */
function expireVariants(req: Request, res: Response, name: string, own: ExpressCookieOptions): void {
  if (isOfHost(name)) return;
  const ownDomain = own.domain?.replace(/^\./, '').toLowerCase();
  for (const domain of [undefined, ...domainsOf(req)])
    if (domain !== ownDomain) res.clearCookie(name, { ...own, domain });
}

/** A name with fewer labels has no parent whose cookies a browser accepts. */
const minLabels = 2;
/** Enough for a host; a longer list would make the headers of a response too large. */
const maxDomains = 4;

/** Returns the host of the request, and its parent domains. None for an IP address. */
function domainsOf(req: Request): string[] {
  const host = (req.hostname ?? '').toLowerCase();
  if (!/^(?=[a-z0-9.-]{1,253}$)(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(host)) return [];
  const labels = host.split('.');
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .slice(0, labels.length - minLabels + 1)
    .slice(-maxDomains);
}

/**
 * Removes an earlier `Set-Cookie` header of the same name, which a response must not repeat (RFC
 * 6265, 4.1.1): a session may be renewed before the handler replaces or ends it.
 */
function removeSetCookie(res: Response, name: string): void {
  const earlier = res.getHeader('Set-Cookie');
  if (earlier === undefined) return;
  const headers = [earlier].flat().map(String);
  const others = headers.filter((header) => !header.startsWith(`${name}=`));
  if (others.length < headers.length) res.setHeader('Set-Cookie', others);
}

/** Returns the values of the session cookies, as `readCookies`. */
export function readSessionCookies(cookie: CookieOptions, req: Request): string[] {
  return readCookies(req, cookie.name);
}

/** Returns the first cookie of this name (RFC 6265, 5.4), or undefined. */
export function readCookie(req: Request, name: string): string | undefined {
  return readCookies(req, name)[0];
}

/** A browser has one cookie of a name for each path and domain. More than these are an attack. */
const maxCandidates = 4;

/**
 * Returns the values of the cookies of this name, in the order of the header, as `cookie-parser` decodes them: at most four, without empty
 * ones. A cookie of another path or domain can have the same name, so the first one need not be that of this service.
 */
export function readCookies({ cookies, headers }: Request, name: string): string[] {
  const { cookie: header } = headers;
  if (header !== undefined) return cookieTexts(header, name);
  // A host that passes no headers may pass cookies.
  const value: unknown = (cookies as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? [value] : [];
}

function cookieTexts(header: string, name: string): string[] {
  const texts: string[] = [];
  // Almost every header has at most one.
  if (!header.includes(name)) return texts;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals === -1 || trimmed(pair.slice(0, equals)) !== name) continue;
    const value = trimmed(pair.slice(equals + 1));
    const text = decoded(value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value);
    if (text !== '') texts.push(text);
    if (texts.length === maxCandidates) break;
  }
  return texts;
}

/**
 * Removes spaces and tabs at both ends, and no other blanks: a name that starts with U+00A0 is another name. Takes linear time, which
 * a regular expression for the end does not.
 */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function decoded(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function attributes(cookie: CookieOptions, req: Request): ExpressCookieOptions {
  const { sameSite, path, domain } = cookie;
  return { httpOnly: true, sameSite, path, domain, secure: isSecure(cookie, req) };
}
