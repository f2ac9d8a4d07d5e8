/**
 * Session tokens: JWTs signed with HS256 (specification 5.2). Signing and verifying stand here alone, so that the
 * instance and the standalone `verifyToken` cannot drift apart.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { parseJsonObject } from '../domain/metadata.js';
import { InvalidRequestError, TokenInvalidError } from '../errors/catalog.js';
import { constantTimeEqual } from './digest.js';
import type { SessionKey } from './keys.js';

/** The claims of a session token. */
export interface SessionClaims {
  /** User id. */
  sub: string;
  use: 'session';
  /** Issued at and expiry, seconds since the epoch. */
  iat: number;
  exp: number;
  /** Session id; absent in tokens of `createSessionToken`. */
  sid?: string;
  /** The user's epoch at sign-in. */
  epoch?: number;
  /** Issue time in milliseconds, in tokens without an epoch. */
  ims?: number;
  iss?: string;
  aud?: string;
  /** The administrator behind an impersonation (RFC 8693, `act`). */
  act?: { sub: string };
  /** The administrator's epoch. */
  actEpoch?: number;
  /** The administrator's session, if the impersonation ends with it. */
  actSid?: string;
  /** `['mfa']` in sessions that began with two factors (RFC 8176). */
  amr?: string[];
  /** Refresh family, in access tokens. */
  fid?: string;
  /** Custom claims. */
  [claim: string]: unknown;
}

/**
 * Whether somebody else is behind the session: refuse changes of credentials, deletion and further impersonation then.
 * @throws InvalidRequestError without claims: false would let through whom nobody has looked at.
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

// Servers' clocks differ a little; a token from further ahead was not issued by any of ours.
const futureToleranceSec = 5;
const maxTokenLength = 8192;
// A browser drops a cookie whose name and value exceed 4096 bytes; the rest is room for the name.
const maxIssuedLength = 4000;

const reservedClaims = new Set(
  'sub iat exp nbf jti iss aud sid sv fid use act actEpoch actSid amr ims epoch __proto__ constructor prototype'.split(
    ' ',
  ),
);

/**
 * Copies custom claims, as JSON: what a refresh family keeps of them must be what its first token says.
 * @throws InvalidRequestError where one names a claim that the engine itself sets (`claims.sub` would be impersonation).
 */
export function parseCustomClaims(claims: unknown): Record<string, unknown> {
  if (claims === undefined) return {};
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    throw new InvalidRequestError('claims must be an object.');
  }
  refuseReserved(claims);
  const copy = parseJsonObject(claims, 'claims');
  // Once more: a `toJSON`, or a getter, may say one thing now and another when it is read.
  refuseReserved(copy);
  return copy;
}

function refuseReserved(claims: object): void {
  const reserved = Object.keys(claims).find((name) => reservedClaims.has(name));
  if (reserved !== undefined)
    throw new InvalidRequestError(`claims must not set the reserved claim "${reserved}".`);
}

/** @throws InvalidRequestError when the token would not fit into a cookie. */
export function signSessionToken(claims: SessionClaims, { key, kid }: SessionKey): string {
  const header = JSON.stringify({ alg: 'HS256', typ: 'JWT', kid });
  const signed = [header, claimsText(claims)]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
  const token = `${signed}.${signatureOf(signed, key)}`;
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
 * Signature, type and time; nothing of revocation. A `kid` selects among the given keys, it never brings one.
 * @throws TokenInvalidError for everything that does not hold.
 */
export function verifySessionToken(
  token: unknown,
  keys: readonly SessionKey[],
  checks: TokenChecks,
): SessionClaims {
  if (typeof token !== 'string' || token.length > maxTokenLength) throw new TokenInvalidError();
  for (const { key } of candidates(token, keys)) {
    const claims = verifySignature(token, key);
    if (claims) return checkClaims(claims, checks);
  }
  throw new TokenInvalidError();
}

/** HMAC-SHA256 as JWS has it (RFC 7515, A.1), in base64url. */
function signatureOf(signed: string, key: KeyObject): string {
  return createHmac('sha256', key).update(signed).digest('base64url');
}

// The one algorithm, and none of the extensions that change what is signed (RFC 8725, 3.1; RFC 7515, 4.1.11; RFC 7797).
function candidates(token: string, keys: readonly SessionKey[]): readonly SessionKey[] {
  const header = parsePart(token.slice(0, token.indexOf('.'))) as Record<string, unknown> | null;
  if (typeof header !== 'object') throw new TokenInvalidError();
  if (header?.alg !== 'HS256' || 'crit' in header || 'b64' in header) throw new TokenInvalidError();
  if (header.typ !== undefined && header.typ !== 'JWT') throw new TokenInvalidError();
  const named = keys.filter(({ kid }) => kid === header.kid);
  return named.length > 0 ? named : keys;
}

function parsePart(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
}

/** The payload, or null if the key did not sign it. The text of the signature is compared, so that it has one spelling. */
function verifySignature(token: string, key: KeyObject): unknown {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !constantTimeEqual(signature, signatureOf(`${header}.${payload}`, key))) return null;
  return parsePart(payload);
}

// Refuses no or odd `sub`, no or absurd `exp`, an `iat` in the future, a payload that is not an object, and tokens signed with the
// same secret for something else (RFC 8725, 3.8, 3.11).
function checkClaims(claims: unknown, checks: TokenChecks): SessionClaims {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw new TokenInvalidError();
  const { sub, use, iat, exp, nbf, iss, aud } = claims as Record<string, unknown>;
  const { now, clockToleranceSec: tolerance = 0, issuer, audience } = checks;
  const holds =
    use === 'session' &&
    typeof sub === 'string' &&
    sub.length >= 1 &&
    sub.length <= 128 &&
    isSeconds(exp) &&
    now < exp + tolerance &&
    isSeconds(iat) &&
    iat <= now + tolerance + futureToleranceSec &&
    (nbf === undefined || (isSeconds(nbf) && nbf <= now + tolerance)) &&
    (issuer === undefined || iss === issuer) &&
    (audience === undefined || [aud].flat().includes(audience));
  if (!holds) throw new TokenInvalidError();
  return claims as SessionClaims;
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
