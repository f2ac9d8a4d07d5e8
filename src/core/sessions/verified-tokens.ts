/**
 * Remembers the claims of tokens that were issued here, or whose signature has been verified, so that the cookie of a page with many
 * requests is verified once. Says nothing about revocation: the storage decides that on every request.
 */
import { BoundedMap } from '../support/bounded-map.js';
import { isCurrent, type SessionClaims } from '../../crypto/session-jwt.js';

/** Beyond this number the oldest is verified again, which costs one HMAC. */
const maxTokens = 10_000;

/** Characters. A longer token, with many claims of the application, is verified on every use. */
const maxLength = 1_000;

/** Belongs to one service, and so to one set of keys. */
export class VerifiedTokens {
  /** By the exact text of the token. */
  private readonly claimsByToken = new BoundedMap<unknown, SessionClaims>(maxTokens);

  /** Returns the claims of a token if it is remembered and its times are valid, otherwise null. */
  find(token: unknown, now: number): SessionClaims | null {
    const claims = this.claimsByToken.get(token);
    if (!claims) return null;
    if (isCurrent(claims, now)) return claims;
    this.claimsByToken.delete(token);
    return null;
  }

  /** Remembers a token that has just been verified or issued, and returns its claims, which can no longer be changed. */
  remember(token: unknown, claims: SessionClaims): SessionClaims {
    const text = String(token);
    if (text.length > maxLength) return frozen(claims);
    this.claimsByToken.set(detached(text), frozen(claims));
    return claims;
  }
}

/** Copies a string, because a part of a header would keep the whole header in memory. */
function detached(token: string): string {
  return Buffer.from(token).toString();
}

/** Later requests receive the same object: a handler must not change it for them. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
