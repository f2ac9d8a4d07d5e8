/** The cookies of bound sessions: how long that of the session lasts, and the one that names its binding. */
import type { Request } from 'express';
import type { ServiceInternals } from '../../core/internals.js';
import type { SessionClaims } from '../../crypto/session-claims.js';
import { hostName } from '../secure-cookie.js';

/**
 * Names the bound session of the browser, and proves nothing. Without it, the browser was closed after a sign-in with `remember: false`; with
 * it and without a session cookie, the browser has lost its key.
 */
export function boundMarker({ cookie }: Pick<ServiceInternals, 'cookie'>, req: Request): string {
  return hostName('svc_bound', cookie, req);
}

/** The browser sends it with every refresh, also with one for a link of another site. */
export const markerAttributes = { sameSite: 'none', path: '/', domain: undefined } as const;

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
