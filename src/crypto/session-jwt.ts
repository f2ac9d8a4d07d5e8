/**
 * Session tokens: JWTs signed with HS256 (specification 5.2). The only place that signs and
 * verifies them, so that the instance and the standalone `verifyToken` cannot differ.
 */
import type * as jsonwebtoken from 'jsonwebtoken';
import { parseJsonObject } from '../domain/metadata.js';
import { InvalidRequestError, TokenInvalidError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { loadJsonWebToken } from '../runtime/load.js';
import type { SessionKey } from './keys.js';
import type { SessionClaims } from './session-claims.js';

export type { SessionClaims };

/**
 * Returns whether the session is an impersonation: if so, refuse changes of credentials, deletion
 * and further impersonation.
 * @throws InvalidRequestError if there are no claims: false would allow a user who was never
 * authenticated.
 */
export function isImpersonated(claims: SessionClaims): boolean {
  if (typeof claims !== 'object' || claims === null)
    throw new InvalidRequestError('claims must be an object.');
  return claims.act !== undefined;
}

export interface TokenChecks {
  /** Seconds since the epoch. */
  now: number;
  clockToleranceSec?: number;
  issuer?: string;
  audience?: string;
}

// Servers' clocks differ a little. A token from further in the future is not ours.
const futureToleranceSec = 5;
const maxTokenLength = 8192;
// Browsers drop a cookie whose name and value exceed 4096 bytes; the difference is left for the
// name.
const maxIssuedLength = 4000;

const reservedClaims = new Set(
  'sub iat exp nbf jti iss aud sid sv fid use act actEpoch actSid amr ims epoch remember bound cnf __proto__ constructor prototype'.split(
    ' ',
  ),
);

/**
 * Copies custom claims as JSON, so that a refresh family stores the same claims as its first token.
 * @throws InvalidRequestError if they contain a claim that the engine sets itself (`claims.sub`
 * would be impersonation).
 */
export function parseCustomClaims(claims: unknown): Record<string, unknown> {
  if (claims === undefined) return {};
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    throw new InvalidRequestError('claims must be an object.');
  }
  refuseReserved(claims);
  const copy = parseJsonObject(claims, 'claims');
  // Checked again: a `toJSON` or a getter may return something else when it is read again.
  refuseReserved(copy);
  return copy;
}

function refuseReserved(claims: object): void {
  const reserved = Object.keys(claims).find((name) => reservedClaims.has(name));
  if (reserved !== undefined)
    throw new InvalidRequestError(`claims must not set the reserved claim "${reserved}".`);
}

/** Refuses a token that is accepted with a proof of a key only; no request can prove it here. @throws TokenInvalidError */
export function mustNotNeedProof({ cnf }: SessionClaims): void {
  if (cnf !== undefined) throw new TokenInvalidError(because('dpop_proof_missing'));
}

/** Signs a session token. @throws InvalidRequestError if the token would not fit into a cookie. */
export function signSessionToken(claims: SessionClaims, { key, kid }: SessionKey): string {
  // As a string, because jsonwebtoken replaces an `iat` of 0, at which a test clock may start.
  const token = loadJsonWebToken().sign(claimsText(claims), key, {
    algorithm: 'HS256',
    header: { alg: 'HS256', typ: 'JWT', kid },
  });
  if (token.length > maxIssuedLength)
    throw new InvalidRequestError('claims are too large for a session token.');
  return token;
}

function claimsText(claims: SessionClaims): string {
  try {
    return JSON.stringify(claims);
  } catch {
    throw new InvalidRequestError('claims must be JSON.');
  }
}

/**
 * Verifies signature, type and time, but not revocation. A `kid` only selects one of the given
 * keys.
 * @throws TokenInvalidError if the token is invalid.
 */
export function verifySessionToken(
  token: unknown,
  keys: readonly SessionKey[],
  checks: TokenChecks,
): SessionClaims {
  if (typeof token !== 'string' || token.length > maxTokenLength)
    throw new TokenInvalidError(because('token_malformed'));
  // Loaded before the first key is tried: a package that cannot be loaded is not an invalid token.
  const { verify } = loadJsonWebToken();
  let reason: TokenReason = 'signature_invalid';
  for (const { key } of candidates(token, keys)) {
    const signed = signedClaims(token, key, checks, verify);
    if (typeof signed !== 'string') return checkClaims(signed.claims, checks);
    // Of several keys, the one that has signed the token says why it is refused.
    if (signed !== 'signature_invalid') reason = signed;
  }
  throw new TokenInvalidError(because(reason));
}

/** Why a token that has the right form is refused. */
type TokenReason =
  'signature_invalid' | 'token_expired' | 'token_not_active' | 'issuer_mismatch' | 'token_malformed';

/** The errors of jsonwebtoken, which checks the signature first: any other reason is that of a token with a valid one. */
function reasonOfFailure(error: unknown): TokenReason {
  const { name, message = '' } = Object(error) as { name?: string; message?: string };
  if (name === 'TokenExpiredError') return 'token_expired';
  if (name === 'NotBeforeError') return 'token_not_active';
  if (/^jwt (?:issuer|audience) invalid/.test(message)) return 'issuer_mismatch';
  return message === 'invalid signature' ? 'signature_invalid' : 'token_malformed';
}

// jsonwebtoken accepts unknown `crit` headers, `b64` and any `typ` (RFC 8725, 3.1; RFC 7515,
// 4.1.11; RFC 7797), so the header is checked first.
function candidates(token: string, keys: readonly SessionKey[]): readonly SessionKey[] {
  const header = parsePart(token.slice(0, token.indexOf('.')));
  if (header?.alg !== 'HS256' || 'crit' in header || 'b64' in header)
    throw new TokenInvalidError(because('token_malformed'));
  if (header.typ !== undefined && header.typ !== 'JWT')
    throw new TokenInvalidError(because('token_malformed'));
  const matching = keys.filter(({ kid }) => kid === header.kid);
  return matching.length > 0 ? matching : keys;
}

/** Returns when a token expires, in seconds since the epoch, without verifying it. Null if it does not say so. */
export function decodeExpiry(token: string): number | null {
  const expiry = parsePart(token.split('.')[1] ?? '')?.['exp'];
  return Number.isSafeInteger(expiry) ? (expiry as number) : null;
}

function parsePart(text: string): Record<string, unknown> | null {
  try {
    const header: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof header === 'object' ? (header as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** Returns the payload if the key signed it and its times, issuer and audience are valid, otherwise why not. */
function signedClaims(
  token: string,
  key: SessionKey['key'],
  { now, clockToleranceSec: clockTolerance = 0, issuer, audience }: TokenChecks,
  verify: typeof jsonwebtoken.verify,
): { claims: unknown } | TokenReason {
  try {
    const claims: unknown = verify(token, key, {
      algorithms: ['HS256'],
      // jsonwebtoken replaces 0, at which a test clock may start, by the current time.
      clockTimestamp: now || Number.MIN_VALUE,
      clockTolerance,
      issuer,
      audience,
    });
    return { claims };
  } catch (error) {
    return reasonOfFailure(error);
  }
}

// Rejects what jsonwebtoken accepts: a missing or malformed `sub` or `exp`, an `iat` in the future,
// a payload that is not an object, and tokens signed with the same secret for another purpose (RFC
// 8725, 3.8, 3.11).
function checkClaims(claims: unknown, { now, clockToleranceSec = 0 }: TokenChecks): SessionClaims {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    throw new TokenInvalidError(because('token_malformed'));
  const { sub, use, iat, exp, nbf } = claims as Record<string, unknown>;
  const isValid =
    use === 'session' &&
    typeof sub === 'string' &&
    sub.length >= 1 &&
    sub.length <= 128 &&
    isSeconds(exp) &&
    isSeconds(iat) &&
    (nbf === undefined || isSeconds(nbf));
  if (!isValid) throw new TokenInvalidError(because('token_malformed'));
  if (iat > now + clockToleranceSec + futureToleranceSec)
    throw new TokenInvalidError(because('token_not_active'));
  return claims as SessionClaims;
}

/**
 * Returns whether the times of a token that was verified earlier are still valid: the part of the
 * verification that depends on the clock.
 */
export function isCurrent({ iat, exp, nbf }: SessionClaims, now: number): boolean {
  return now < exp && iat <= now + futureToleranceSec && (typeof nbf !== 'number' || nbf <= now);
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
