/** Whether cookies get `Secure`, and the names that only `Secure` allows. */
import type { Request } from 'express';
import type { CookieOptions } from '../core/internals.js';

/**
 * Returns true in production and on https. Plain http remains possible for development and tests.
 * In production the request does not decide: behind a proxy that Express does not trust, every request
 * looks like plain http, and a cookie without Secure could then be read on the network. Without the
 * cookie the sign-in fails visibly, and `warnIfDropped` logs the reason.
 */
export function isSecure({ secure }: Pick<CookieOptions, 'secure'>, req: Request): boolean {
  return secure === 'auto' ? process.env['NODE_ENV'] === 'production' || req.secure : secure;
}

/** With the prefix, browsers accept the cookie from this host only: a subdomain cannot set another one of this name (RFC 6265bis, 4.1.3.2). */
export function hostName(name: string, cookie: Pick<CookieOptions, 'secure'>, req: Request): string {
  return isSecure(cookie, req) ? `__Host-${name}` : name;
}
