/**
 * Session tokens, made and read without the store (docs/decisions/session-tokens.md). Whether one still counts is for `Sessions`
 * to ask.
 */
import type { Keyring } from '../crypto/keys.js';
import {
  parseCustomClaims,
  signSessionToken,
  verifySessionToken,
  type SessionClaims,
} from '../crypto/session-jwt.js';
import type { RefreshFamily } from '../domain/refresh-family.js';
import type { ServiceSession } from '../domain/session.js';
import type { StoredUser } from '../domain/user.js';
import { InvalidRequestError } from '../errors/catalog.js';
import type { Clock } from './clock.js';

export interface TokenOptions {
  ttlMs: number;
  issuer?: string;
  audience?: string;
}

export interface IssuedToken {
  token: string;
  expiresAt: Date;
}

export class SessionTokens {
  constructor(
    private readonly keys: Keyring,
    private readonly options: TokenOptions,
    private readonly clock: Clock,
  ) {}

  /** Signature, type and time only. @throws TokenInvalidError */
  verify(token: unknown): SessionClaims {
    const { issuer, audience } = this.options;
    return verifySessionToken(token, this.keys.sessionKeys, {
      now: Math.floor(this.clock() / 1000),
      issuer,
      audience,
    });
  }

  /** `verify`, with null for a token that does not hold. */
  claimsOf(token: unknown): SessionClaims | null {
    try {
      return this.verify(token);
    } catch {
      return null;
    }
  }

  /** It dies by expiry or with all sessions of the user. @see Service.createSessionToken */
  withoutRow(userId: unknown, custom: unknown, expiresInSec: unknown): IssuedToken {
    if (typeof userId !== 'string' || userId === '' || userId.length > 128) {
      throw new InvalidRequestError('userId must be a string of 1 to 128 characters.');
    }
    const lifetime = expiresInSec ?? Math.floor(this.options.ttlMs / 1000);
    // A text would be read as milliseconds by the library below.
    if (!Number.isSafeInteger(lifetime) || (lifetime as number) < 1) {
      throw new InvalidRequestError('expiresInSec must be a whole number of seconds, 1 or more.');
    }
    const now = this.clock();
    const expiresAt = Math.floor(now / 1000) + (lifetime as number);
    if (!Number.isSafeInteger(expiresAt * 1000)) throw new InvalidRequestError('expiresInSec is too large.');
    const token = this.sign({ ...parseCustomClaims(custom), sub: userId, ims: now }, now, expiresAt);
    return { token, expiresAt: new Date(expiresAt * 1000) };
  }

  /** A token that acts as `target` and ends with all sessions of either user, and with `sessionId` of the administrator. */
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

  /** An access token of a refresh family: it lives as long as the family is not revoked, `lifetimeMs` at most. */
  forFamily(family: RefreshFamily, lifetimeMs: number): IssuedToken {
    const now = this.clock();
    const end = Math.min(now + lifetimeMs, family.expiresAt.getTime());
    const exp = Math.floor(now / 1000) + Math.ceil((end - now) / 1000);
    const claims = { ...family.claims, sub: family.userId, fid: family.id, epoch: family.epoch };
    return { token: this.sign(claims, now, exp), expiresAt: new Date(exp * 1000) };
  }

  /** The token of a session. @param twoFactors whether it began with two. */
  forSession({ id, userId, expiresAt }: ServiceSession, epoch: number, twoFactors: boolean): string {
    const now = this.clock();
    // Whole seconds from now; the row, to the millisecond, has the last word.
    const lifetime = Math.ceil((expiresAt.getTime() - now) / 1000);
    const amr = twoFactors ? { amr: ['mfa'] } : {};
    return this.sign({ sub: userId, sid: id, epoch, ...amr }, now, Math.floor(now / 1000) + lifetime);
  }

  private sign(claims: { sub: string } & Partial<SessionClaims>, now: number, exp: number): string {
    const { issuer: iss, audience: aud } = this.options;
    return signSessionToken(
      {
        ...claims,
        ...(iss && { iss }),
        ...(aud && { aud }),
        iat: Math.floor(now / 1000),
        exp,
        use: 'session',
      },
      this.keys.sessionKeys[0],
    );
  }
}

/** Whether the session of a token began with two factors. */
export function usedTwoFactors({ amr }: SessionClaims): boolean {
  return Array.isArray(amr) && amr.includes('mfa');
}

/** To the millisecond, where the token says so. */
export function issuedAt({ ims, iat }: SessionClaims): Date {
  return new Date(ims ?? iat * 1000);
}
