/** The cookies of a sign-in: read, set and cleared in one place, always with the same attributes (specification 5.1). */
import type { CookieOptions as ExpressCookieOptions, Request, Response } from 'express';
import type { CookieOptions, ServiceInternals } from '../kit/internals.js';
import type { IssuedSession } from '../kit/sessions.js';

export function setSessionCookie(
  tools: ServiceInternals,
  req: Request,
  res: Response,
  { token, session }: IssuedSession,
): void {
  setCookie(tools, req, res, tools.cookie.name, token, session.expiresAt);
}

export function clearSessionCookie(tools: ServiceInternals, req: Request, res: Response): void {
  clearCookie(tools, req, res, tools.cookie.name);
}

export type CookieAttributes = Pick<ExpressCookieOptions, 'sameSite' | 'path' | 'domain'>;

/** Sets a cookie with the attributes of the session cookie, apart from `others`. */
export function setCookie(
  { clock, cookie }: ServiceInternals,
  req: Request,
  res: Response,
  name: string,
  value: string,
  expiresAt: Date,
  others: CookieAttributes = {},
): void {
  // In whole seconds, as `Max-Age` counts; the time since the sign-in must not cost one.
  const maxAge = Math.ceil((expiresAt.getTime() - clock()) / 1000) * 1000;
  forgetEarlier(res, name);
  res.cookie(name, value, { ...attributes(cookie, req), ...others, maxAge });
}

export function clearCookie(
  { cookie }: ServiceInternals,
  req: Request,
  res: Response,
  name: string,
  others: CookieAttributes = {},
): void {
  forgetEarlier(res, name);
  res.clearCookie(name, { ...attributes(cookie, req), ...others });
}

/** One cookie of a name per answer (RFC 6265, 4.1.1): a session may have been renewed before it was replaced or ended. */
function forgetEarlier(res: Response, name: string): void {
  const set = [res.getHeader('Set-Cookie') ?? []].flat().map(String);
  const others = set.filter((line) => !line.startsWith(`${name}=`));
  if (others.length < set.length) res.setHeader('Set-Cookie', others);
}

export function readSessionCookie(cookie: CookieOptions, req: Request): string | undefined {
  return readCookie(req, cookie.name);
}

/**
 * Returns the value of the first cookie with this name, or undefined if it is missing or empty. Reads the header itself, so that
 * the result does not depend on whether the application has parsed it, and does not parse the other cookies.
 */
export function readCookie({ headers }: Request, name: string): string | undefined {
  const pairs = headers.cookie?.split(';') ?? [];
  const pair = pairs.find((each) => each.slice(0, Math.max(0, each.indexOf('='))).trim() === name);
  const value = pair?.slice(pair.indexOf('=') + 1).trim();
  return (value && decoded(unquoted(value))) || undefined;
}

// RFC 6265, 4.1.1: a value may be quoted.
function unquoted(value: string): string {
  return value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}

/** Reverses the encoding of `res.cookie`. */
function decoded(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Secure in production and on https; plain http stays possible for development and tests. */
export function isSecure({ secure }: Pick<CookieOptions, 'secure'>, req: Request): boolean {
  return secure === 'auto' ? process.env['NODE_ENV'] === 'production' || req.secure : secure;
}

function attributes(cookie: CookieOptions, req: Request): ExpressCookieOptions {
  const { sameSite, path, domain } = cookie;
  return { httpOnly: true, sameSite, path, domain, secure: isSecure(cookie, req) };
}
