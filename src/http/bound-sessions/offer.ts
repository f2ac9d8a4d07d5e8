/** What a session cookie says about binding: every new session is offered to the browser, and the cookie of a bound one is short-lived. */
import type { Response } from 'express';
import { isOfHost, type ServiceInternals } from '../../core/internals.js';
import type { SessionClaims } from '../../crypto/session-claims.js';
import { offerRegistration, withdrawRegistration } from './headers.js';

/**
 * Offers the browser to bind the session of a cookie that is being set. A browser that does not know the header ignores it, and keeps an
 * ordinary session.
 */
export function offerBinding(
  { boundSessions }: ServiceInternals,
  res: Response,
  claims: SessionClaims | null,
): void {
  const challenge = boundSessions?.registrationChallenge(claims) ?? null;
  // The cookie that is set last decides, as for `Set-Cookie`.
  if (!boundSessions || challenge === null) withdrawRegistration(res);
  else offerRegistration(res, boundSessions.path, challenge);
}

export function withdrawBinding(res: Response): void {
  withdrawRegistration(res);
}

/**
 * Names the bound session of the browser, and proves nothing. Without it, the browser was closed after a sign-in with `remember: false`; with
 * it and without a session cookie, the browser has lost its key.
 */
export function boundMarker({ cookie }: Pick<ServiceInternals, 'cookie'>): string {
  return isOfHost(cookie.name) ? '__Host-svc_bound' : 'svc_bound';
}

/** The browser sends it with every refresh, also with one for a link of another site. */
export const markerAttributes = { sameSite: 'none', path: '/' } as const;

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
