/**
 * Sessions: a row per sign-in and a signed token that names it. The token alone proves who; the row and the user's
 * epoch say whether that still counts (docs/decisions/revocation.md).
 */
import type { Keyring } from '../crypto/keys.js';
import { uuidV7 } from '../crypto/random.js';
import {
  parseCustomClaims,
  signSessionToken,
  verifySessionToken,
  type SessionClaims,
} from '../crypto/session-jwt.js';
import type { DeviceInfo, ServiceSession } from '../domain/session.js';
import type { StoredUser } from '../domain/user.js';
import { InvalidRequestError, TokenInvalidError, UserNotFoundError } from '../errors/catalog.js';
import type { SessionRepository, UserRepository } from '../storage/repositories.js';
import type { Clock } from './clock.js';

export interface SessionOptions {
  ttlMs: number;
  renewAfterMs: number;
  maxAgeMs: number;
  issuer?: string;
  audience?: string;
}

export interface IssuedSession {
  token: string;
  session: ServiceSession;
}

/** A request's session after the store was asked. `session` is null for tokens of `createSessionToken`. */
export interface LiveSession {
  claims: SessionClaims;
  user: StoredUser;
  session: ServiceSession | null;
}

export class Sessions {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly users: UserRepository,
    private readonly keys: Keyring,
    private readonly options: SessionOptions,
    private readonly clock: Clock,
  ) {}

  /**
   * Signs in: `user` as read before the proof was checked, so that a revocation in between wins.
   * @throws TokenInvalidError when there was one.
   */
  async start(user: StoredUser, device: DeviceInfo): Promise<IssuedSession> {
    const now = this.clock();
    const { ttlMs, maxAgeMs } = this.options;
    const createdAt = new Date(now);
    const session: ServiceSession = {
      id: uuidV7(now),
      userId: user.id,
      device,
      createdAt,
      lastSeenAt: createdAt,
      expiresAt: new Date(now + Math.min(ttlMs, maxAgeMs)),
      revokedAt: null,
    };
    if (!(await this.sessions.start(session, user.epoch))) throw new TokenInvalidError();
    return { token: this.tokenFor(session, user.epoch), session };
  }

  /** A token without a row: it dies by expiry or with all sessions of the user. @see Service.createSessionToken */
  createToken(userId: unknown, custom: unknown, expiresInSec: unknown): { token: string; expiresAt: Date } {
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

  /** Signature, type and time only. @throws TokenInvalidError */
  verify(token: unknown): SessionClaims {
    const { issuer, audience } = this.options;
    return verifySessionToken(token, this.keys.sessionKeys, {
      now: Math.floor(this.clock() / 1000),
      issuer,
      audience,
    });
  }

  /** `verify`, and one query for whether it still counts. @throws TokenInvalidError, also for a user who is gone */
  async authenticate(token: unknown): Promise<LiveSession> {
    const claims = this.verify(token);
    const live =
      claims.sid === undefined ? await this.findWithoutRow(claims) : await this.findByRow(claims, claims.sid);
    if (!live || !this.epochHolds(live)) throw new TokenInvalidError();
    return live;
  }

  /** `authenticate`, telling a deleted user from a dead session. @throws TokenInvalidError, UserNotFoundError */
  async userOf(token: unknown): Promise<StoredUser> {
    try {
      return (await this.authenticate(token)).user;
    } catch (error) {
      if (error instanceof TokenInvalidError && !(await this.users.findById(this.verify(token).sub))) {
        throw new UserNotFoundError();
      }
      throw error;
    }
  }

  /**
   * A fresh token and a later end for a session that has been in use for `renewAfterMs`, never past `maxAgeMs` from
   * its sign-in. Null when it is not due.
   */
  async renew({ claims, user, session }: LiveSession): Promise<IssuedSession | null> {
    const { ttlMs, renewAfterMs, maxAgeMs } = this.options;
    const now = this.clock();
    if (!session || renewAfterMs === 0 || claims.act || now - claims.iat * 1000 < renewAfterMs) return null;
    // Another request with this old cookie has renewed the session: only the token is missing.
    if (now - session.lastSeenAt.getTime() < renewAfterMs)
      return { token: this.tokenFor(session, user.epoch), session };
    const expiresAt = new Date(Math.min(now + ttlMs, session.createdAt.getTime() + maxAgeMs));
    if (expiresAt <= session.expiresAt) return null;
    const renewed = { ...session, lastSeenAt: new Date(now), expiresAt };
    if (!(await this.sessions.renew(session.id, renewed))) return null;
    return { token: this.tokenFor(renewed, user.epoch), session: renewed };
  }

  /** Ends the session that a token names; a token that does not hold names none. */
  async end(token: unknown): Promise<void> {
    let sid: string | undefined;
    try {
      ({ sid } = this.verify(token));
    } catch {
      return;
    }
    if (sid !== undefined) await this.sessions.revoke(sid, new Date(this.clock()));
  }

  private async findByRow(claims: SessionClaims, sid: string): Promise<LiveSession | null> {
    const found = await this.sessions.findWithUser(sid);
    if (!found || found.user.id !== claims.sub || found.session.revokedAt !== null) return null;
    if (this.clock() >= found.session.expiresAt.getTime()) return null;
    return { claims, ...found };
  }

  private async findWithoutRow(claims: SessionClaims): Promise<LiveSession | null> {
    const user = await this.users.findById(claims.sub);
    return user && { claims, user, session: null };
  }

  /** The epoch counts revocations; a token without one is judged by its issue time. */
  private epochHolds({ claims, user }: LiveSession): boolean {
    if (claims.epoch !== undefined) return claims.epoch === user.epoch;
    const issuedAt = claims.ims ?? claims.iat * 1000;
    return user.sessionsValidAfter === null || issuedAt > user.sessionsValidAfter.getTime();
  }

  private tokenFor({ id, userId, expiresAt }: ServiceSession, epoch: number): string {
    const now = this.clock();
    // Whole seconds from now; the row, to the millisecond, has the last word.
    const lifetime = Math.ceil((expiresAt.getTime() - now) / 1000);
    return this.sign({ sub: userId, sid: id, epoch }, now, Math.floor(now / 1000) + lifetime);
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
