/**
 * Sessions: a row per sign-in and a signed token that names it. The token alone proves who; the row and the user's
 * epoch say whether that still counts (docs/decisions/revocation.md).
 */
import { uuidV7 } from '../crypto/random.js';
import type { SessionClaims } from '../crypto/session-jwt.js';
import { endedBefore, type DeviceInfo, type ServiceSession } from '../domain/session.js';
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

/** What `restart` reads of a `RequestContext`. */
interface RestartContext {
  ip?: string;
  userAgent?: string;
  sessionToken?: string;
  startSession?: boolean;
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
   * Starts a session in place of that of the context's `sessionToken`, which a change by its user has just ended along with
   * all others. It is no fresher than that one was. Starts none if the context does not ask for one, or the token names no
   * session of the user: an access token must not become a session that outlives it.
   * @param twoFactors whether the change proved a second factor; otherwise the new session is as strong as the old one.
   * @throws TokenInvalidError if something else ended the session before the change, or all sessions of the user after it.
   */
  async restart(
    userId: string,
    { ip, userAgent, sessionToken, startSession }: RestartContext,
    twoFactors: boolean,
  ): Promise<{ session?: IssuedSession }> {
    const claims = startSession ? this.tokens.claimsOf(sessionToken) : null;
    if (claims?.sid === undefined || claims.epoch === undefined) return {};
    const found = await this.storage.sessions.findWithUser(claims.sid);
    if (found?.session.userId !== userId) return {};
    if (endedBefore(found.session, found.user)) throw new TokenInvalidError();
    // The change raised the epoch of the token by one. A higher one was raised by something else.
    const user = { ...found.user, epoch: claims.epoch + 1 };
    const device = { ...(ip && { ip }), ...(userAgent && { userAgent }) };
    const options = {
      twoFactors: twoFactors || usedTwoFactors(claims),
      signedInAt: found.session.createdAt,
    };
    return { session: await this.start(user, device, options) };
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

  /** Ends a session, with `ofUserId` only a session of this user. Unknown and ended sessions are ignored. */
  async revoke(sessionId: string, ofUserId?: string): Promise<void> {
    const userId = await this.storage.sessions.revoke(sessionId, new Date(this.clock()), ofUserId);
    if (userId !== null) this.events.emit('session.revoked', { userId, sessionId });
  }

  /** Ends every session and refresh family of a user except the one that these claims name, if any. */
  async revokeOthers(userId: string, { sid, fid }: Pick<SessionClaims, 'sid' | 'fid'>): Promise<void> {
    const now = new Date(this.clock());
    const revoked = await this.storage.sessions.revokeOthers(userId, now, sid);
    for (const sessionId of revoked) this.events.emit('session.revoked', { userId, sessionId });
    // An app that keeps a refresh token is signed in as well.
    if (!this.storage.refreshFamilies) return;
    await this.storage.refreshFamilies.revokeAllForUser(userId, now, fid);
    this.events.emit('refresh.all_revoked', { userId });
  }

  /** Ends the session, or the refresh family, that a token names; a token that does not hold names none. */
  async end(token: unknown): Promise<void> {
    const { sid, fid } = this.tokens.claimsOf(token) ?? {};
    if (sid !== undefined) await this.revoke(sid);
    if (fid !== undefined) await this.revokeFamily(fid);
  }

  /**
   * Revokes a refresh family; does nothing if it has ended or does not exist.
   * @param ownerId if given, the family is revoked only if it belongs to this user.
   */
  async revokeFamily(familyId: string, ownerId?: string): Promise<void> {
    const userId = await this.storage.refreshFamilies?.revoke(familyId, new Date(this.clock()), ownerId);
    if (userId) this.events.emit('refresh.revoked', { userId, familyId });
  }

  private find(claims: SessionClaims): Promise<LiveSession | null> {
    if (claims.sid !== undefined) return this.findSession(claims, claims.sid);
    if (claims.fid !== undefined) return this.findFamily(claims, claims.fid);
    if (claims.actSid !== undefined) return this.findImpersonation(claims, claims.actSid);
    return this.findUser(claims);
  }

  private async findSession(claims: SessionClaims, sid: string): Promise<LiveSession | null> {
    const found = await this.storage.sessions.findWithUser(sid);
    if (!found || !this.isLive(found.session, claims.sub)) return null;
    return { claims, ...found, signedInAt: found.session.createdAt };
  }

  private async findFamily(claims: SessionClaims, fid: string): Promise<LiveSession | null> {
    const found = await this.storage.refreshFamilies?.findWithUser(fid);
    if (!found || !this.isLive(found.family, claims.sub)) return null;
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

  /** An impersonation that ends with a session of the administrator. */
  private async findImpersonation(claims: SessionClaims, actSid: string): Promise<LiveSession | null> {
    const found = await this.storage.sessions.findWithTarget(actSid, claims.sub);
    if (!found || claims.act === undefined || !this.isLive(found.session, claims.act.sub)) return null;
    if (found.user.epoch !== claims.actEpoch) return null;
    return { claims, user: found.target, session: null, signedInAt: issuedAt(claims) };
  }

  private isLive(row: ServiceSession | RefreshFamily, userId: string): boolean {
    return row.userId === userId && row.revokedAt === null && this.clock() < row.expiresAt.getTime();
  }

  /** The epoch counts revocations; a token without one is judged by its issue time. */
  private epochHolds({ claims, user }: LiveSession): boolean {
    if (claims.epoch !== undefined) return claims.epoch === user.epoch;
    return user.sessionsValidAfter === null || issuedAt(claims) > user.sessionsValidAfter;
  }
}
