/**
 * Signs and verifies session tokens without a query (docs/decisions/session-tokens.md). `Sessions` checks whether a token has been
 * revoked.
 */
import type { Keyring } from '../../crypto/keys.js';
import {
  parseCustomClaims,
  signSessionToken,
  decodeExpiry,
  verifySessionToken,
  type SessionClaims,
} from '../../crypto/session-jwt.js';
import type { RefreshFamily } from '../../domain/refresh-family.js';
import type { ServiceSession } from '../../domain/session.js';
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import type { Clock } from '../support/clock.js';
import { VerifiedTokens } from './verified-tokens.js';

export interface TokenOptions {
  ttlMs: number;
  /** Bound sessions: how long a token lasts that was issued for a proof. Sessions that were bound when the option was set have it too. */
  bound?: { ttlMs: number } | false | undefined;
  issuer?: string;
  audience?: string;
}

export interface IssuedToken {
  token: string;
  expiresAt: Date;
}

/** What every token of a session says about its sign-in. */
export interface SignInFacts {
  /** Whether the user signed in with two factors. */
  twoFactors: boolean;
  /** Whether the browser keeps the session when it closes. */
  remember: boolean;
}

/** How long the cookie of a bound session lasts by default. */
export const usualBound = { ttlMs: 10 * 60_000 };

/** The claims of one kind of token. */
type OwnClaims = Pick<SessionClaims, 'sub'> & Partial<SessionClaims>;

export class SessionTokens {
  private readonly verified = new VerifiedTokens();

  constructor(
    private readonly keys: Keyring,
    private readonly options: TokenOptions,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the claims of a token, frozen. Checks its signature, type and expiry only.
   * @throws TokenInvalidError
   */
  verifyClaims(token: unknown): SessionClaims {
    const now = Math.floor(this.clock() / 1000);
    return this.verified.find(token, now) ?? this.verified.remember(token, this.verifyInFull(token, now));
  }

  private verifyInFull(token: unknown, now: number): SessionClaims {
    const { issuer, audience } = this.options;
    return verifySessionToken(token, this.keys.sessionKeys, { now, issuer, audience });
  }

  /** Returns the claims of a token, as `verifyClaims` does, or null if the token is invalid. */
  claimsOf(token: unknown): SessionClaims | null {
    try {
      return this.verifyClaims(token);
    } catch {
      return null;
    }
  }

  /**
   * As `claimsOf`, also for a token that has expired: for a sign-out, which needs an authentic token only (OpenID Connect RP-Initiated
   * Logout 1.0, 4).
   */
  claimsAtSignOut(token: unknown): SessionClaims | null {
    const valid = this.claimsOf(token);
    if (valid || typeof token !== 'string') return valid;
    const expiry = decodeExpiry(token);
    if (expiry === null || expiry > this.clock() / 1000) return null;
    try {
      return this.verifyInFull(token, expiry - 1);
    } catch {
      return null;
    }
  }

  /** Issues a token without a session row. It is valid until it expires or all sessions of the user are revoked. @see Service.createSessionToken */
  issueStateless(userId: unknown, custom: unknown, expiresInSec: unknown): IssuedToken {
    if (typeof userId !== 'string' || userId === '' || userId.length > 128) {
      throw new InvalidRequestError('userId must be a string of 1 to 128 characters.');
    }
    const lifetime = expiresInSec ?? Math.floor(this.options.ttlMs / 1000);
    // `jsonwebtoken` would read a string as milliseconds.
    if (!Number.isSafeInteger(lifetime) || (lifetime as number) < 1) {
      throw new InvalidRequestError('expiresInSec must be a whole number of seconds, 1 or more.');
    }
    const now = this.clock();
    const expiresAt = Math.floor(now / 1000) + (lifetime as number);
    if (!Number.isSafeInteger(expiresAt * 1000)) throw new InvalidRequestError('expiresInSec is too large.');
    const token = this.sign({ ...parseCustomClaims(custom), sub: userId, ims: now }, now, expiresAt);
    return { token, expiresAt: new Date(expiresAt * 1000) };
  }

  /**
   * Issues a token with which `admin` acts as `target`. It is revoked with all sessions of either user, and with the session
   * `sessionId` of the administrator.
   */
  forImpersonation(
    admin: StoredUser,
    target: StoredUser,
    lifetimeSec: number,
    sessionId: string | undefined,
  ): IssuedToken {
    const now = this.clock();
    const exp = Math.floor(now / 1000) + lifetimeSec;
    const claims = {
      sub: target.id,
      epoch: target.epoch,
      act: { sub: admin.id },
      actEpoch: admin.epoch,
      ...(sessionId !== undefined && { actSid: sessionId }),
    };
    return { token: this.sign(claims, now, exp), expiresAt: new Date(exp * 1000) };
  }

  /** Issues an access token of a refresh family. It is valid until the family is revoked or ends, for `lifetimeMs` at most. */
  forFamily(family: RefreshFamily, lifetimeMs: number): IssuedToken {
    const now = this.clock();
    const end = Math.min(now + lifetimeMs, family.expiresAt.getTime());
    const exp = Math.floor(now / 1000) + Math.ceil((end - now) / 1000);
    const claims = { ...family.claims, sub: family.userId, fid: family.id, epoch: family.epoch };
    return { token: this.sign(claims, now, exp), expiresAt: new Date(exp * 1000) };
  }

  /** Issues the token of a session. That of a bound session is short-lived: call it only for a proof, or in place of a bound session. */
  forSession(
    { id, userId, expiresAt, boundAt }: ServiceSession,
    epoch: number,
    { twoFactors, remember }: SignInFacts,
  ): string {
    const now = this.clock();
    // In whole seconds, rounded up. The expiry of the row is exact to the millisecond.
    const end = boundAt ? Math.min(expiresAt.getTime(), now + this.boundTtlMs()) : expiresAt.getTime();
    const lifetime = Math.ceil((end - now) / 1000);
    const kind = boundAt ? { bound: true as const } : {};
    const facts = { ...(twoFactors && { amr: ['mfa'] }), ...(!remember && { remember }), ...kind };
    const exp = Math.floor(now / 1000) + lifetime;
    const claims = this.complete({ sub: userId, sid: id, epoch, ...facts }, now, exp);
    const token = signSessionToken(claims, this.keys.sessionKeys[0]);
    // The response of the sign-in and the next request need the claims.
    this.verified.remember(token, claims);
    return token;
  }

  private boundTtlMs(): number {
    return (this.options.bound || usualBound).ttlMs;
  }

  private sign(claims: OwnClaims, now: number, exp: number): string {
    return signSessionToken(this.complete(claims, now, exp), this.keys.sessionKeys[0]);
  }

  /** Adds the claims of every token. */
  private complete(claims: OwnClaims, now: number, exp: number): SessionClaims {
    const { issuer: iss, audience: aud } = this.options;
    const iat = Math.floor(now / 1000);
    return { ...claims, ...(iss && { iss }), ...(aud && { aud }), iat, exp, use: 'session' };
  }
}

/** Returns whether the user of a token signed in with two factors. */
export function usedTwoFactors({ amr }: SessionClaims): boolean {
  return Array.isArray(amr) && amr.includes('mfa');
}

/** Returns whether a request with this token has proven a key: that of its browser, or that of its client. */
export function isBoundToKey({ bound, cnf }: SessionClaims): boolean {
  return bound === true || cnf !== undefined;
}

/** Returns what a token says about the sign-in, for the next token of the session. */
export function signInFacts(claims: SessionClaims): SignInFacts {
  return { twoFactors: usedTwoFactors(claims), remember: isRemembered(claims) };
}

/** Returns whether the browser keeps the session when it closes. Sessions of earlier releases are kept. */
export function isRemembered({ remember }: { remember?: boolean | undefined }): boolean {
  return remember !== false;
}

/**
 * Whether all sessions of the user were revoked after the token was issued. The epoch counts these revocations; a token without one is
 * compared by its time.
 */
export function isOfEpoch(
  claims: SessionClaims,
  { epoch, sessionsValidAfter }: Pick<StoredUser, 'epoch' | 'sessionsValidAfter'>,
): boolean {
  if (claims.epoch !== undefined) return claims.epoch === epoch;
  return sessionsValidAfter === null || issuedAt(claims) > sessionsValidAfter;
}

/** Returns when a token was issued: to the millisecond if it has `ims`, otherwise to the second. */
export function issuedAt({ ims, iat }: SessionClaims): Date {
  return new Date(ims ?? iat * 1000);
}
