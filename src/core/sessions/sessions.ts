/**
 * Sessions: a row per sign-in and a signed token that refers to it. The token identifies the user; the row and the user's
 * epoch decide whether it is still valid (docs/decisions/revocation.md).
 */
import { uuidV7 } from '../../crypto/random.js';
import type { SessionClaims } from '../../crypto/session-jwt.js';
import { endedBefore, type DeviceInfo, type ServiceSession } from '../../domain/session.js';
import { mustNotBeBlocked } from '../../domain/user-block.js';
import type { ServiceUser, StoredUser } from '../../domain/user.js';
import { InvalidRequestError, TokenInvalidError, UserNotFoundError } from '../../errors/catalog.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { NewUser } from '../../storage/repositories.js';
import type { Clock } from '../support/clock.js';
import type { EventActor, EventBus } from '../support/events.js';
import type { CheckedSession, LiveSession, SessionChecks } from './session-checks.js';
import { usedTwoFactors, type SessionTokens } from './session-tokens.js';

export interface SessionOptions {
  ttlMs: number;
  renewAfterMs: number;
  maxAgeMs: number;
}

export interface IssuedSession {
  token: string;
  session: ServiceSession;
}

/** How long a sign-in counts as recent by default. */
export const usualFreshMs = 10 * 60_000;

interface NewSessionOptions {
  ttlMs?: number;
  /** Whether the user signed in with two factors. */
  twoFactors?: boolean;
  /** When the user authenticated, if that was earlier. */
  signedInAt?: Date;
}

/** The part of `RequestContext` that `restart` reads. */
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
    private readonly checks: SessionChecks,
    private readonly options: SessionOptions,
    private readonly clock: Clock,
    private readonly events: EventBus,
  ) {}

  /**
   * Creates a session.
   * @param user as read before the proof was checked: a revocation since then prevents the session.
   * @throws TokenInvalidError if all sessions were revoked since; UserBlockedError; InvalidRequestError if `ttlMs` is not a whole number, 1000 or more.
   */
  async issueSession(
    user: StoredUser,
    device: DeviceInfo,
    { ttlMs = this.options.ttlMs, twoFactors = false, signedInAt }: NewSessionOptions = {},
  ): Promise<IssuedSession> {
    if (!Number.isSafeInteger(ttlMs) || ttlMs < 1000) {
      throw new InvalidRequestError('ttlMs must be a whole number of milliseconds, 1000 or more.');
    }
    const now = this.clock();
    mustNotBeBlocked(user, now);
    const session = this.newSession(user.id, device, now, ttlMs, signedInAt);
    if (!(await this.storage.sessions.start(session, user.epoch))) throw new TokenInvalidError();
    return this.issued(session, user.epoch, twoFactors);
  }

  /** Inserts a new user together with a session, for `issued`. Null if the address has an account. */
  async insertWithUser(user: NewUser, device: DeviceInfo): Promise<ServiceSession | null> {
    const session = this.newSession(user.id, device, this.clock(), this.options.ttlMs);
    return (await this.storage.sessions.startWithUser(session, user)) ? session : null;
  }

  /** Issues the token of a session that was started. */
  issued(session: ServiceSession, epoch: number, twoFactors: boolean): IssuedSession {
    this.events.emit('session.created', { userId: session.userId, sessionId: session.id });
    return { token: this.tokens.forSession(session, epoch, twoFactors), session };
  }

  private newSession(
    userId: string,
    device: DeviceInfo,
    now: number,
    ttlMs: number,
    createdAt = new Date(now),
  ): ServiceSession {
    const expiresAt = new Date(Math.min(now + ttlMs, createdAt.getTime() + this.options.maxAgeMs));
    const lastSeenAt = new Date(now);
    return { id: uuidV7(now), userId, device, createdAt, lastSeenAt, expiresAt, revokedAt: null };
  }

  /**
   * Replaces the session of the context's `sessionToken`, which a change by its user has just revoked along with all others. The new
   * session keeps its sign-in time. Does nothing if the context does not request a session, or if the token does not belong to a session
   * of the user: an access token must not become a session that outlives it.
   * @param twoFactors whether the change proved a second factor; otherwise the new session has as many factors as the old one.
   * @throws TokenInvalidError if the session was revoked before the change, or all sessions of the user after it.
   */
  async restart(
    userId: string,
    { ip, userAgent, sessionToken, startSession }: RestartContext,
    twoFactors: boolean,
  ): Promise<{ session?: IssuedSession }> {
    const claims = startSession ? this.tokens.claimsOf(sessionToken) : null;
    if (claims?.sid === undefined || claims.epoch === undefined) return {};
    const previous = await this.storage.sessions.findWithUser(claims.sid);
    if (previous?.session.userId !== userId) return {};
    if (endedBefore(previous.session, previous.user)) throw new TokenInvalidError();
    // The change has incremented the epoch of the token by one. A higher epoch is due to another revocation.
    const user = { ...previous.user, epoch: claims.epoch + 1 };
    const device = { ...(ip && { ip }), ...(userAgent && { userAgent }) };
    const options = {
      twoFactors: twoFactors || usedTwoFactors(claims),
      signedInAt: previous.session.createdAt,
    };
    return { session: await this.issueSession(user, device, options) };
  }

  /** Verifies a token and checks with one query that it is not revoked. @throws TokenInvalidError, also if the user was deleted or blocked. */
  authenticate(token: unknown): Promise<LiveSession> {
    return this.checks.authenticate(token);
  }

  /** As `authenticate`, but without a query if the session is cached: for guards, which change nothing. @throws TokenInvalidError */
  check(token: unknown): Promise<CheckedSession> {
    return this.checks.check(token);
  }

  /** Returns a session as stored, also if it is revoked: a session that a change has just revoked still has its sign-in time. */
  async rowOf(sessionId: string): Promise<ServiceSession | null> {
    return (await this.storage.sessions.findWithUser(sessionId))?.session ?? null;
  }

  /** Returns the user of a token. @throws TokenInvalidError if the token is invalid or revoked; UserNotFoundError if the user was deleted. */
  async userOf(token: unknown): Promise<ServiceUser> {
    try {
      return (await this.check(token)).user;
    } catch (error) {
      if (
        error instanceof TokenInvalidError &&
        !(await this.storage.users.findById(this.tokens.verifyClaims(token).sub))
      ) {
        throw new UserNotFoundError();
      }
      throw error;
    }
  }

  /**
   * Extends a session whose token is older than `renewAfterMs`, never past `maxAgeMs` from its sign-in, and issues a new token.
   * Returns null if the renewal is not due.
   */
  async renewSession({ claims, user, session }: CheckedSession): Promise<IssuedSession | null> {
    const { ttlMs, renewAfterMs, maxAgeMs } = this.options;
    const now = this.clock();
    if (!session || !this.checks.isRenewalDue(claims)) return null;
    // Another request with the same cookie has renewed the session, so only a new token is needed.
    const isRecent = now - session.lastSeenAt.getTime() < renewAfterMs;
    const twoFactors = usedTwoFactors(claims);
    if (isRecent) return { token: this.tokens.forSession(session, user.epoch, twoFactors), session };
    // A session that was created with a shorter lifetime keeps it.
    const lifetimeMs = Math.min(ttlMs, session.expiresAt.getTime() - session.lastSeenAt.getTime());
    const expiresAt = new Date(Math.min(now + lifetimeMs, session.createdAt.getTime() + maxAgeMs));
    if (expiresAt <= session.expiresAt) return null;
    const renewedSession = { ...session, lastSeenAt: new Date(now), expiresAt };
    if (!(await this.storage.sessions.renew(session.id, renewedSession))) return null;
    return { token: this.tokens.forSession(renewedSession, user.epoch, twoFactors), session: renewedSession };
  }

  /** Revokes a session, if it belongs to `ownerId` (if given). Does nothing if it is unknown or has ended. */
  async revokeSession(sessionId: string, ownerId?: string, actor?: EventActor): Promise<void> {
    const userId = await this.storage.sessions.revoke(sessionId, new Date(this.clock()), ownerId);
    if (userId !== null) this.events.emit('session.revoked', { userId, sessionId, ...(actor && { actor }) });
  }

  /** Revokes every session and refresh family of a user except the one of these claims, if any. */
  async revokeOtherSessions(userId: string, { sid, fid }: Pick<SessionClaims, 'sid' | 'fid'>): Promise<void> {
    const now = new Date(this.clock());
    const revokedIds = await this.storage.sessions.revokeOthers(userId, now, sid);
    for (const sessionId of revokedIds) this.events.emit('session.revoked', { userId, sessionId });
    // An app with a refresh token is signed in too.
    if (!this.storage.refreshFamilies) return;
    await this.storage.refreshFamilies.revokeAllForUser(userId, now, fid);
    this.events.emit('refresh.all_revoked', { userId });
  }

  /** Revokes the session or the refresh family of a token. Does nothing if the token is invalid. */
  async endSession(token: unknown): Promise<void> {
    const { sid, fid } = this.tokens.claimsOf(token) ?? {};
    if (sid !== undefined) await this.revokeSession(sid);
    if (fid !== undefined) await this.revokeFamily(fid);
  }

  /**
   * Revokes a refresh family; does nothing if it has ended or does not exist.
   * @param ownerId if given, the family is revoked only if it belongs to this user.
   */
  async revokeFamily(familyId: string, ownerId?: string, actor?: EventActor): Promise<void> {
    const userId = await this.storage.refreshFamilies?.revoke(familyId, new Date(this.clock()), ownerId);
    if (userId) this.events.emit('refresh.revoked', { userId, familyId, ...(actor && { actor }) });
  }
}
