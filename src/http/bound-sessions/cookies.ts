/** The cookies of bound sessions: how long that of the session lasts, and the one that names its binding. */
import type { Request } from 'express';
import type { ServiceInternals } from '../../core/internals.js';
import type { SessionClaims } from '../../crypto/session-claims.js';
import { hostName, isSecure } from '../secure-cookie.js';

type Tools = Pick<ServiceInternals, 'cookie'>;

/**
 * Names the bound session of the browser, and proves nothing. Without it, the browser was closed after a sign-in with `remember: false`, or
 * another sign-in or a sign-out came after the one of the session; with it and without a session cookie, the browser has lost its key.
 */
export function boundMarker({ cookie }: Tools, req: Request): string {
  // Services of one host have session cookies of different names, and each binds sessions.
  return hostName(cookie.name === 'svc_session' ? 'svc_bound' : `svc_bound_${cookie.name}`, cookie, req);
}

/**
 * Of the cookies that the browser sends with registrations and refreshes, also with those for a link or a redirect of another site. Without
 * TLS, browsers accept no such cookie.
 */
export function bindingAttributes({ cookie }: Tools, req: Request) {
  return { sameSite: isSecure(cookie, req) ? 'none' : 'lax', path: '/', domain: undefined } as const;
}

/** A request that the browser has sent with the cookie may be under way this long. */
const slackMs = 30_000;

/**
 * Returns when the browser removes the cookie of a bound session, and replaces it: before its token expires. Undefined for the cookie of an
 * ordinary session.
 */
export function boundCookieEnd(claims: SessionClaims | null): Date | undefined {
  if (!claims?.bound) return undefined;
  const { iat, exp } = claims;
  return new Date(exp * 1000 - Math.min(slackMs, ((exp - iat) * 1000) / 4));
}
