/** The standalone `verifyToken` (specification 4.2), published as `svc-auth/token`. */
import { InvalidRequestError, TokenInvalidError } from '../errors/catalog.js';
import { sessionKey } from './keys.js';
import { verifySessionToken, type SessionClaims } from './session-jwt.js';

export interface VerifyTokenOptions {
  /** Seconds that clocks may differ, 0 to 300. Default 0. */
  clockToleranceSec?: number;
  /** Refuses tokens issued longer ago than this, whatever their expiry. */
  maxAgeSec?: number;
  /** When the service sets `session.issuer` or `session.audience`: the same values. */
  issuer?: string;
  audience?: string;
}

/**
 * Verifies a session token anywhere that holds the secret: signature, type and time. It cannot see that a session
 * was revoked or a user deleted; `service.getSessionUser` and `requireSession` can.
 * @param secret the `session.secret` of the service; several are tried in order (rotation).
 * @throws TokenInvalidError when the token does not hold; InvalidRequestError when the options do not.
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
    throw new InvalidRequestError('secret must be a string that is not empty.');
  }
  if (!(Number.isInteger(clockToleranceSec) && clockToleranceSec >= 0 && clockToleranceSec <= 300)) {
    throw new InvalidRequestError('clockToleranceSec must be a whole number from 0 to 300.');
  }
  if (maxAgeSec !== undefined && !(Number.isFinite(maxAgeSec) && maxAgeSec >= 0)) {
    throw new InvalidRequestError('maxAgeSec must be a number of seconds, 0 or more.');
  }
  // An empty text, as an unset variable of the environment gives one, would check nothing.
  for (const [name, value] of Object.entries({ issuer, audience })) {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw new InvalidRequestError(`${name} must be a string that is not empty.`);
  }
  // Standing alone, without an instance and its clock.
  const now = Math.floor(new Date().getTime() / 1000);
  const claims = verifySessionToken(token, secrets.map(sessionKey), {
    now,
    clockToleranceSec,
    issuer,
    audience,
  });
  if (maxAgeSec !== undefined && now - claims.iat > maxAgeSec + clockToleranceSec)
    throw new TokenInvalidError();
  return claims;
}
