/**
 * Signed tokens that are sent by mail or cookie: a length-prefixed body and its HMAC-SHA256
 * (specification 5.3, 5.4). Deliberately not JWTs, so that they can never be accepted as session
 * tokens.
 */
import { decodeBase64url } from './base64url.js';
import { constantTimeEqual, lengthPrefixed, mac, sha256 } from './digest.js';
import type { Keyring, KeyPurpose } from './keys.js';
import { takeRandomBytes } from './random-pool.js';

const version = '1';
const maxLength = 4096;

export interface SignedToken {
  token: string;
  /** SHA-256 of the random part, which is stored to make the token single-use. */
  digest: string;
}

export type OpenedToken =
  { status: 'valid' | 'expired'; subject: string; digest: string; expiresAt: number } | { status: 'invalid' };

/**
 * Binds `subject` (an address, a user id or JSON) to a purpose and an expiry in milliseconds since
 * the epoch.
 */
export function signToken(
  keys: Keyring,
  purpose: KeyPurpose,
  subject: string,
  expiresAt: number,
): SignedToken {
  const random = takeRandomBytes(32);
  const body = lengthPrefixed([version, purpose, subject, String(expiresAt), random]);
  const signature = mac(keys.subkeys(purpose)[0], body);
  return {
    token: `${body.toString('base64url')}.${signature.toString('base64url')}`,
    digest: sha256(random),
  };
}

/**
 * Checks the format and the MAC first, then the purpose and the time. Never throws and reads no
 * storage.
 */
export function openToken(keys: Keyring, purpose: KeyPurpose, token: unknown, now: number): OpenedToken {
  const invalid = { status: 'invalid' } as const;
  if (typeof token !== 'string' || token.length > maxLength) return invalid;
  const [bodyText, signatureText, ...rest] = token.split('.');
  if (bodyText === undefined || signatureText === undefined || rest.length > 0) return invalid;
  const body = decodeBase64url(bodyText);
  const signature = decodeBase64url(signatureText);
  if (!body?.length || !signature?.length) return invalid;
  if (!keys.subkeys(purpose).some((key) => constantTimeEqual(mac(key, body), signature))) return invalid;
  const [tokenVersion, tokenPurpose, subject, expiry, random] = split(body);
  if (String(tokenVersion) !== version || String(tokenPurpose) !== purpose || !subject || !random)
    return invalid;
  const expiresAt = Number(expiry);
  const status = now < expiresAt ? 'valid' : 'expired';
  return { status, subject: subject.toString(), digest: sha256(random), expiresAt };
}

function split(body: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start + 2 <= body.length;) {
    const end = start + 2 + body.readUInt16BE(start);
    parts.push(body.subarray(start + 2, end));
    start = end;
  }
  return parts;
}
