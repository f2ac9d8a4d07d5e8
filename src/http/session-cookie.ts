/** The cookies of a sign-in: read, set and cleared in one place, always with the same attributes (specification 5.1). */
import type { CookieOptions as ExpressCookieOptions, Request, Response } from 'express';
import type { CookieOptions, ServiceInternals } from '../kit/internals.js';
import type { IssuedSession } from '../kit/sessions.js';
import { loadCookieParser } from '../runtime/load.js';

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

/** Returns the text of a cookie. `cookie-parser` makes objects of values that begin with `j:`; no cookie of ours does. */
export function readCookie(req: Request, name: string): string | undefined {
  const value = cookiesOf(req)[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The cookies of requests whose header was parsed here, so that several readers parse it once. */
const parsed = new WeakMap<Request, Record<string, unknown>>();

/** Those that the application has parsed, or parsed beside the request: a `cookie-parser` that comes later finds nothing done. */
function cookiesOf(req: Request): Record<string, unknown> {
  if (req.cookies) return req.cookies as Record<string, unknown>;
  let cookies = parsed.get(req);
  if (!cookies) {
    const beside = { headers: req.headers } as Request;
    loadCookieParser()(beside, {} as Response, () => undefined);
    cookies = beside.cookies as Record<string, unknown>;
    parsed.set(req, cookies);
  }
  return cookies;
}

/** Secure in production and on https; plain http stays possible for development and tests. */
export function isSecure({ secure }: Pick<CookieOptions, 'secure'>, req: Request): boolean {
  return secure === 'auto' ? process.env['NODE_ENV'] === 'production' || req.secure : secure;
}

function attributes(cookie: CookieOptions, req: Request): ExpressCookieOptions {
  const { sameSite, path, domain } = cookie;
  return { httpOnly: true, sameSite, path, domain, secure: isSecure(cookie, req) };
}
