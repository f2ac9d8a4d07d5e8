/**
 * Sessions: a row per sign-in and a signed token that names it. The token alone proves who; the row and the user's
 * epoch say whether that still counts (docs/decisions/revocation.md).
 */
import { uuidV7 } from '../crypto/random.js';
import type { SessionClaims } from '../crypto/session-jwt.js';
import type { DeviceInfo, ServiceSession } from '../domain/session.js';
import type { StoredUser } from '../domain/user.js';
import { InvalidRequestError, TokenInvalidError, UserNotFoundError } from '../errors/catalog.js';
import type { RefreshFamily } from '../domain/refresh-family.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { Clock } from './clock.js';
import type { EventBus } from './events.js';
import { issuedAt, usedTwoFactors, type SessionTokens } from './session-tokens.js';

export interface SessionOptions {
  ttlMs: number;
  renewAfterMs: number;
  maxAgeMs: number;
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
  /** When somebody last showed who they are: the sign-in, or the issue of a token without one. */
  signedInAt: Date;
}

/** For how long a sign-in counts as fresh, where nobody says otherwise. */
export const usualFreshMs = 10 * 60_000;

interface NewSessionOptions {
  ttlMs?: number;
  /** Whether it begins with two factors. */
  twoFactors?: boolean;
  /** When somebody showed who they are, where that was before. */
  signedInAt?: Date;
}

export class Sessions {
  constructor(
    private readonly storage: StorageAdapter,
    readonly tokens: SessionTokens,
    private readonly options: SessionOptions,
    private readonly clock: Clock,
    private readonly events: EventBus,
  ) {}

  /**
   * Signs in: `user` as read before the proof was checked, so that a revocation in between wins.
   * @throws TokenInvalidError when there was one; InvalidRequestError for a lifetime that is none.
   */
  async start(
    user: StoredUser,
    device: DeviceInfo,
    { ttlMs = this.options.ttlMs, twoFactors = false, signedInAt }: NewSessionOptions = {},
  ): Promise<IssuedSession> {
    if (!Number.isSafeInteger(ttlMs) || ttlMs < 1000) {
      throw new InvalidRequestError('ttlMs must be a whole number of milliseconds, 1000 or more.');
    }
    const now = this.clock();
    const { maxAgeMs } = this.options;
    const createdAt = signedInAt ?? new Date(now);
    const session: ServiceSession = {
      id: uuidV7(now),
      userId: user.id,
      device,
      createdAt,
      lastSeenAt: new Date(now),
      expiresAt: new Date(Math.min(now + ttlMs, createdAt.getTime() + maxAgeMs)),
      revokedAt: null,
    };
    if (!(await this.storage.sessions.start(session, user.epoch))) throw new TokenInvalidError();
    this.events.emit('session.created', { userId: user.id, sessionId: session.id });
    return { token: this.tokens.forSession(session, user.epoch, twoFactors), session };
  }

  /**
   * A session in place of one that a change of its user's own has just ended, and no fresher than that was.
   * @throws TokenInvalidError where something else ended the user's sessions as well.
   */
  async restart(
    { user, signedInAt }: LiveSession,
    device: DeviceInfo,
    twoFactors: boolean,
  ): Promise<IssuedSession> {
    // The change raised the epoch by one; what raised it further was another's.
    return this.start({ ...user, epoch: user.epoch + 1 }, device, { twoFactors, signedInAt });
  }

  /** The token's claims, and one query for whether they still count. @throws TokenInvalidError, also for a user who is gone */
  async authenticate(token: unknown): Promise<LiveSession> {
    const claims = this.tokens.verify(token);
    const live = await this.find(claims);
    if (!live || !this.epochHolds(live)) throw new TokenInvalidError();
    return live;
  }

  /** A session as it is stored, whether or not it is live: what a change has just ended still says when it began. */
  async rowOf(sessionId: string): Promise<ServiceSession | null> {
    return (await this.storage.sessions.findWithUser(sessionId))?.session ?? null;
  }

  /** `authenticate`, telling a deleted user from a dead session. @throws TokenInvalidError, UserNotFoundError */
  async userOf(token: unknown): Promise<StoredUser> {
    try {
      return (await this.authenticate(token)).user;
    } catch (error) {
      if (
        error instanceof TokenInvalidError &&
        !(await this.storage.users.findById(this.tokens.verify(token).sub))
      ) {
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
    const isRecent = now - session.lastSeenAt.getTime() < renewAfterMs;
    const twoFactors = usedTwoFactors(claims);
    if (isRecent) return { token: this.tokens.forSession(session, user.epoch, twoFactors), session };
    // A session that was made shorter stays so.
    const lifetimeMs = Math.min(ttlMs, session.expiresAt.getTime() - session.lastSeenAt.getTime());
    const expiresAt = new Date(Math.min(now + lifetimeMs, session.createdAt.getTime() + maxAgeMs));
    if (expiresAt <= session.expiresAt) return null;
    const renewed = { ...session, lastSeenAt: new Date(now), expiresAt };
    if (!(await this.storage.sessions.renew(session.id, renewed))) return null;
    return { token: this.tokens.forSession(renewed, user.epoch, twoFactors), session: renewed };
  }

  /** Ends a session; one that has ended, or never was, is no error. */
  async revoke(sessionId: string): Promise<void> {
    const userId = await this.storage.sessions.revoke(sessionId, new Date(this.clock()));
    if (userId !== null) this.events.emit('session.revoked', { userId, sessionId });
  }

  /** Ends the session, or the refresh family, that a token names; a token that does not hold names none. */
  async end(token: unknown): Promise<void> {
    const { sid, fid } = this.tokens.claimsOf(token) ?? {};
    if (sid !== undefined) await this.revoke(sid);
    if (fid !== undefined) await this.revokeFamily(fid);
  }

  /** Ends a refresh family; one that has ended, or never was, is no error. */
  async revokeFamily(familyId: string): Promise<void> {
    const userId = await this.storage.refreshFamilies?.revoke(familyId, new Date(this.clock()));
    if (userId) this.events.emit('refresh.revoked', { userId, familyId });
  }

  /** Ends every refresh family of a user but the one that is named, if any. */
  async revokeOtherFamilies(userId: string, familyId: string | undefined): Promise<void> {
    if (!this.storage.refreshFamilies) return;
    await this.storage.refreshFamilies.revokeAllForUser(userId, new Date(this.clock()), familyId);
    this.events.emit('refresh.all_revoked', { userId });
  }

  private find(claims: SessionClaims): Promise<LiveSession | null> {
    if (claims.sid !== undefined) return this.findSession(claims, claims.sid);
    if (claims.fid !== undefined) return this.findFamily(claims, claims.fid);
    return this.findUser(claims);
  }

  private async findSession(claims: SessionClaims, sid: string): Promise<LiveSession | null> {
    const found = await this.storage.sessions.findWithUser(sid);
    if (!found || !this.isLive(found.session, claims)) return null;
    return { claims, ...found, signedInAt: found.session.createdAt };
  }

  private async findFamily(claims: SessionClaims, fid: string): Promise<LiveSession | null> {
    const found = await this.storage.refreshFamilies?.findWithUser(fid);
    if (!found || !this.isLive(found.family, claims)) return null;
    return { claims, user: found.user, session: null, signedInAt: found.family.createdAt };
  }

  private async findUser(claims: SessionClaims): Promise<LiveSession | null> {
    const { users } = this.storage;
    const { act } = claims;
    // Asked for in one turn, both are one query.
    const [user, admin] = await Promise.all([users.findById(claims.sub), act && users.findById(act.sub)]);
    if (!user || (act && (!admin || admin.epoch !== claims.actEpoch))) return null;
    return { claims, user, session: null, signedInAt: issuedAt(claims) };
  }

  private isLive(row: ServiceSession | RefreshFamily, claims: SessionClaims): boolean {
    return row.userId === claims.sub && row.revokedAt === null && this.clock() < row.expiresAt.getTime();
  }

  /** The epoch counts revocations; a token without one is judged by its issue time. */
  private epochHolds({ claims, user }: LiveSession): boolean {
    if (claims.epoch !== undefined) return claims.epoch === user.epoch;
    return user.sessionsValidAfter === null || issuedAt(claims) > user.sessionsValidAfter;
  }
}
