/** The standalone `verifyToken` (specification 4.2), published as `svc-auth/token`. */
import { InvalidRequestError, TokenInvalidError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { sessionKey } from './keys.js';
import type { SessionClaims } from './session-claims.js';
import { mustNotNeedProof, verifySessionToken } from './session-jwt.js';

export interface VerifyTokenOptions {
  /** Allowed clock difference in seconds, 0 to 300. Default 0. */
  clockToleranceSec?: number;
  /** Rejects tokens that were issued longer ago than this, regardless of their expiry. */
  maxAgeSec?: number;
  /** The same values as `session.issuer` and `session.audience` of the service, if it sets them. */
  issuer?: string;
  audience?: string;
}

/**
 * Verifies signature, type and time of a session token on any server that has the secret. Refuses a token that is bound to the key of a
 * client (DPoP), whose proof it does not see. It cannot detect that a session was revoked or a user deleted, or that the session was bound
 * to its browser after the token was issued (docs/bound-sessions.md): it accepts such a token until it expires. `service.getSessionUser`
 * and `requireSession` detect all of them. `bound` of the claims is true if the token was issued for a proof of the browser's key.
 * @param secret the `session.secret` of the service; several secrets are tried in order (rotation).
 * @throws TokenInvalidError if the token is invalid; InvalidRequestError if an option is invalid.
 */
export function verifyToken(
  token: string,
  secret: string | readonly string[],
  options: VerifyTokenOptions | null = {},
): SessionClaims {
  const { clockToleranceSec = 0, maxAgeSec, issuer, audience } = options ?? {};
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (
    !Array.isArray(secrets) ||
    secrets.length === 0 ||
    !secrets.every((each) => typeof each === 'string' && each.trim())
  ) {
    throw new InvalidRequestError('secret must be a non-empty string.');
  }
  if (!(Number.isInteger(clockToleranceSec) && clockToleranceSec >= 0 && clockToleranceSec <= 300)) {
    throw new InvalidRequestError('clockToleranceSec must be a whole number from 0 to 300.');
  }
  if (maxAgeSec !== undefined && !(Number.isFinite(maxAgeSec) && maxAgeSec >= 0)) {
    throw new InvalidRequestError('maxAgeSec must be a number of seconds, 0 or more.');
  }
  // An empty string, such as from an unset environment variable, would check nothing.
  for (const [name, value] of Object.entries({ issuer, audience })) {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw new InvalidRequestError(`${name} must be a non-empty string.`);
  }
  // The standalone function has no instance and therefore no clock.
  const now = Math.floor(new Date().getTime() / 1000);
  const claims = verifySessionToken(token, secrets.map(sessionKey), {
    now,
    clockToleranceSec,
    issuer,
    audience,
  });
  if (maxAgeSec !== undefined && now - claims.iat > maxAgeSec + clockToleranceSec)
    throw new TokenInvalidError(because('token_expired'));
  mustNotNeedProof(claims);
  return claims;
}
