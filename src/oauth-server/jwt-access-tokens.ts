/**
 * Access tokens that are JWTs (RFC 9068). Other servers verify them alone. This one also stores what an opaque token stores, under the id of
 * the JWT, so that they end here as early.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../core/support/clock.js';
import { isJws, readJws } from '../crypto/jws.js';
import { tokenDigest } from './records.js';
import type { SigningKey } from './signing-keys.js';

export interface JwtTools {
  clock: Clock;
  issuer: string;
  signing: () => Promise<readonly SigningKey[]>;
}

/** What a token can consist of (RFC 6750, 2.1). */
const form = /^[\w.~+/-]+=*$/;

/** The name of the stored record. It is not a token, which has no colon: the id of a JWT alone, as in a log, gives no access. */
export const jwtRecordId = (id: string) => `jwt:${id}`;

const publicKeys = new WeakMap<SigningKey, KeyObject>();

function publicKeyOf(key: SigningKey): KeyObject {
  const known = publicKeys.get(key);
  if (known) return known;
  const { d: _private, ...jwk } = key as SigningKey & { d?: string };
  const created = createPublicKey({ format: 'jwk', key: jwk });
  publicKeys.set(key, created);
  return created;
}

/** Returns the id. Null if this server has not signed it as an access token, or if it has expired. */
async function idOf({ clock, issuer, signing }: JwtTools, text: string): Promise<string | null> {
  const jws = readJws(text);
  // An ID token is signed with the same keys, and has another type (RFC 9068, 4).
  if (jws?.header['typ'] !== 'at+jwt' || jws.header['alg'] !== 'ES256') return null;
  const key = (await signing()).find(({ kid }) => kid === jws.header['kid']);
  if (!key || !jws.isSignedBy(publicKeyOf(key))) return null;
  const { exp, iss, jti } = jws.payload;
  const isCurrent = typeof exp === 'number' && exp * 1000 > clock();
  return iss === issuer && isCurrent && typeof jti === 'string' ? jti : null;
}

/** Returns the digest of the stored record of an access token of either form, whose audience is there. Null for a JWT that is not valid. */
export async function accessDigest(tools: JwtTools, token: string): Promise<string | null> {
  if (!form.test(token)) return null;
  if (!isJws(token)) return tokenDigest('access', token);
  const id = await idOf(tools, token);
  return id === null ? null : tokenDigest('access', jwtRecordId(id));
}
