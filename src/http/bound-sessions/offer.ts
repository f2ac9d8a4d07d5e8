/**
 * Offers browsers to bind their new sessions. Every script of the page can read the challenge of the offer, so it counts together with a
 * cookie that scripts cannot read, and in a request that scripts cannot send.
 */
import type { Request, Response } from 'express';
import type { ServiceInternals } from '../../core/internals.js';
import { registrationMs } from '../../core/sessions/bound-sessions.js';
import { randomToken } from '../../crypto/random.js';
import type { SessionClaims } from '../../crypto/session-claims.js';
import { readCeremonies, writeCeremonies, type CeremonyCookie } from '../ceremony-cookie.js';
import { hostName } from '../secure-cookie.js';
import { bindingAttributes } from './cookies.js';
import { offerRegistration, withdrawRegistration } from './headers.js';

/**
 * Offers the browser to bind the session of a cookie that is being set. A browser that does not know the header ignores it, and keeps an
 * ordinary session.
 */
export function offerBinding(
  tools: ServiceInternals,
  req: Request,
  res: Response,
  claims: SessionClaims | null,
): void {
  const { boundSessions } = tools;
  if (!boundSessions) return;
  const nonce = randomToken();
  const challenge = boundSessions.registrationChallenge(claims, nonce);
  // The cookie that is set last decides, as for `Set-Cookie`.
  if (challenge === null) return withdrawRegistration(res);
  offerRegistration(res, boundSessions.path, challenge);
  const cookie = cookieOf(tools, req);
  writeCeremonies(tools, req, res, cookie, [...readCeremonies(req, cookie), nonce]);
}

/** Returns the secrets of the offers that this browser has got. */
export function readNonces(tools: ServiceInternals, req: Request): string[] {
  return readCeremonies(req, cookieOf(tools, req));
}

/** One entry for each tab that has signed in. */
function cookieOf(tools: ServiceInternals, req: Request): CeremonyCookie {
  return {
    name: hostName('svc_binding', tools.cookie, req),
    entry: /^[\w-]{43}$/,
    separator: '.',
    max: 4,
    ttlMs: registrationMs,
    // After a redirect of an identity provider, the registration is a request of its site.
    attributes: bindingAttributes(tools, req),
  };
}
