/**
 * Reads, sets and clears cookies, always with the attributes of the session cookie (specification
 * 5.1).
 */
import type { CookieOptions as ExpressCookieOptions, Request, Response } from 'express';
import type { CookieOptions, ServiceInternals } from '../core/support/internals.js';
import { isRemembered } from '../core/sessions/session-tokens.js';
import type { IssuedSession } from '../core/sessions/sessions.js';
import { isBearerRequest } from './bearer-session.js';
import { loadCookieParser } from '../runtime/load.js';

export function setSessionCookie(
  tools: ServiceInternals,
  req: Request,
  res: Response,
  { token, session }: IssuedSession,
): void {
  // Read from the token, so that every renewal of the cookie repeats the choice of the sign-in.
  const claims = tools.sessions.tokens.claimsOf(token);
  const isKept = claims === null || isRemembered(claims);
  setCookie(tools, req, res, tools.cookie.name, token, isKept ? session.expiresAt : undefined);
}

export function clearSessionCookie(tools: ServiceInternals, req: Request, res: Response): void {
  if (isBearerRequest(tools, req)) return;
  clearCookie(tools, req, res, tools.cookie.name);
}

export type CookieAttributes = Pick<ExpressCookieOptions, 'sameSite' | 'path' | 'domain'>;

/**
 * @param expiresAt undefined for a cookie that the browser forgets when it closes.
 * @param others attributes that differ from those of the session cookie.
 */
export function setCookie(
  { clock, cookie }: ServiceInternals,
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
  res.cookie(name, value, { ...attributes(cookie, req), ...others, ...lifetime });
}

export function clearCookie(
  { cookie }: ServiceInternals,
  req: Request,
  res: Response,
  name: string,
  others: CookieAttributes = {},
): void {
  removeSetCookie(res, name);
  res.clearCookie(name, { ...attributes(cookie, req), ...others });
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

export function readSessionCookie(cookie: CookieOptions, req: Request): string | undefined {
  return readCookie(req, cookie.name);
}

/**
 * Returns a cookie that is a string. `cookie-parser` parses values that start with `j:` as JSON,
 * which ours never do.
 */
export function readCookie(req: Request, name: string): string | undefined {
  const value = parsedCookie(req, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns a cookie that the application has parsed, or parses this one cookie as `cookie-parser`
 * would: `cookie-parser` itself parses all cookies, and it skips a request that already has some.
 */
function parsedCookie({ cookies, headers }: Request, name: string): unknown {
  if (cookies) return (cookies as Record<string, unknown>)[name];
  const text = cookieText(headers.cookie ?? '', name);
  if (!text?.startsWith('j:')) return text;
  const json: unknown = loadCookieParser().JSONCookie(text);
  return json ? json : text;
}

/** Returns the first cookie of this name (RFC 6265, 5.4), unquoted and decoded. */
function cookieText(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals === -1 || trimmed(pair.slice(0, equals)) !== name) continue;
    const value = trimmed(pair.slice(equals + 1));
    return decoded(value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value);
  }
  return undefined;
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

/**
 * Returns true in production and on https. Plain http remains possible for development and tests.
 */
export function isSecure({ secure }: Pick<CookieOptions, 'secure'>, req: Request): boolean {
  return secure === 'auto' ? process.env['NODE_ENV'] === 'production' || req.secure : secure;
}

function attributes(cookie: CookieOptions, req: Request): ExpressCookieOptions {
  const { sameSite, path, domain } = cookie;
  return { httpOnly: true, sameSite, path, domain, secure: isSecure(cookie, req) };
}
