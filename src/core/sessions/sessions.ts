/**
 * Sessions: a row per sign-in and a signed token that refers to it. The token identifies the user; the row and the user's
 * epoch decide whether it is still valid (docs/decisions/revocation.md).
 */
import type { SessionClaims } from '../../crypto/session-jwt.js';
import { endedBefore, type DeviceInfo, type ServiceSession } from '../../domain/session.js';
import { mustNotBeBlocked } from '../../domain/user-block.js';
import type { ServiceUser, StoredUser } from '../../domain/user.js';
import { InvalidRequestError, TokenInvalidError, UserNotFoundError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { NewUser } from '../../storage/repositories.js';
import type { EndedSignIns, SignInLimit } from '../../storage/sign-in-limit.js';
import type { Clock } from '../support/clock.js';
import type { ChangeAuthor } from './change-by.js';
import type { Changes } from '../support/changes.js';
import type { EmittedEvent } from '../support/events.js';
import type { CheckedSession, LiveSession, SessionChecks } from './session-checks.js';
import { newSession, type NewSessionOptions, type SessionOptions } from './new-session.js';
import { deviceOf, type RequestContext } from './request-context.js';
import {
  isRemembered,
  signInFacts,
  usedTwoFactors,
  type SessionTokens,
  type SignInFacts,
} from './session-tokens.js';

export interface IssuedSession {
  token: string;
  session: ServiceSession;
}

/** How long a sign-in counts as recent by default. */
export const usualFreshMs = 10 * 60_000;

export class Sessions {
  /** Called if a session is renewed or a refresh token is used. The option `statistics` replaces it. */
  seen: (userId: string) => void = () => undefined;

  constructor(
    private readonly storage: StorageAdapter,
    readonly tokens: SessionTokens,
    private readonly checks: SessionChecks,
    private readonly options: SessionOptions,
    private readonly clock: Clock,
    private readonly changes: Changes,
  ) {}

  /**
   * Creates a session.
   * @param user as read before the proof was checked: a revocation since then prevents the session.
   * @throws TokenInvalidError if all sessions were revoked since; UserBlockedError; InvalidRequestError if `ttlMs` is not a whole number, 1000 or more.
   */
  async issueSession(
    user: StoredUser,
    device: DeviceInfo,
    options: NewSessionOptions = {},
  ): Promise<IssuedSession> {
    const { id, twoFactors = false, signedInAt } = options;
    const remember = options.remember !== false;
    const ttlMs = options.ttlMs ?? this.ttlMs(remember);
    if (!Number.isSafeInteger(ttlMs) || ttlMs < 1000) {
      throw new InvalidRequestError('ttlMs must be a whole number of milliseconds, 1000 or more.');
    }
    const now = this.clock();
    mustNotBeBlocked(user, now);
    const { maxAgeMs } = this.options;
    const session = newSession(user.id, device, { id, now, ttlMs, maxAgeMs, signedInAt });
    const ended = await this.changes.commit(
      () => this.start(session, user.epoch, options),
      (surplus) => (surplus ? [created(session, options.method), ...endedEvents(user.id, surplus)] : []),
    );
    if (!ended) throw new TokenInvalidError(because('epoch_passed'));
    const facts = { twoFactors, remember };
    const boundAt = options.boundAs?.boundAt
      ? await this.inherit(options.boundAs, session, { ...facts, epoch: user.epoch })
      : null;
    return this.issued({ ...session, boundAt }, user.epoch, facts);
  }

  /**
   * Inserts a new user together with a session, for `issued`. Needs no limit of sessions: this is the user's first.
   * @returns null if the address has an account.
   */
  async insertWithUser(
    user: NewUser,
    device: DeviceInfo,
    remember: boolean,
    userCreated: EmittedEvent<'user.created'>,
  ): Promise<ServiceSession | null> {
    const lifetime = { now: this.clock(), ttlMs: this.ttlMs(remember), maxAgeMs: this.options.maxAgeMs };
    const session = newSession(user.id, device, lifetime);
    const isStarted = await this.changes.commit(
      () => this.storage.sessions.startWithUser(session, user),
      (isInserted) => (isInserted ? [userCreated, created(session, userCreated[1].method)] : []),
    );
    return isStarted ? session : null;
  }

  /** Without the binding, a cookie that was stolen could become a session that needs no proof. @throws TokenInvalidError */
  private async inherit(
    from: ServiceSession,
    { id }: ServiceSession,
    facts: SignInFacts & { epoch: number },
  ): Promise<Date> {
    const now = new Date(this.clock());
    if (await this.storage.sessionBindings?.inherit(from.id, id, facts, now)) return now;
    await this.storage.sessions.end(id, now);
    throw new TokenInvalidError(because('session_revoked'));
  }

  /** Issues the token of a session that was started. */
  issued(session: ServiceSession, epoch: number, facts: SignInFacts): IssuedSession {
    return { token: this.tokens.forSession(session, epoch, facts), session };
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
    context: Pick<RequestContext, 'ip' | 'userAgent' | 'sessionToken' | 'startSession'>,
    twoFactors: boolean,
  ): Promise<{ session?: IssuedSession }> {
    const claims = context.startSession ? this.tokens.claimsOf(context.sessionToken) : null;
    if (claims?.sid === undefined || claims.epoch === undefined) return {};
    const previous = await this.storage.sessions.findWithUser(claims.sid);
    if (previous?.session.userId !== userId) return {};
    if (endedBefore(previous.session, previous.user)) throw new TokenInvalidError(because('epoch_passed'));
    // The change has incremented the epoch of the token by one. A higher epoch is due to another revocation.
    const user = { ...previous.user, epoch: claims.epoch + 1 };
    const options = {
      twoFactors: twoFactors || usedTwoFactors(claims),
      remember: isRemembered(claims),
      signedInAt: previous.session.createdAt,
      boundAs: previous.session,
    };
    return { session: await this.issueSession(user, deviceOf(context), options) };
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
    const now = this.clock();
    // A bound session is renewed for a proof only (`continueBound`).
    if (!session || session.boundAt || !this.checks.isRenewalDue(claims)) return null;
    const facts = signInFacts(claims);
    // Another request with the same cookie has renewed the session, so only a new token is needed.
    if (!this.isDue(session, facts, now))
      return { token: this.tokens.forSession(session, user.epoch, facts), session };
    const renewedSession = await this.extend(session, facts, now);
    return (
      renewedSession && {
        token: this.tokens.forSession(renewedSession, user.epoch, facts),
        session: renewedSession,
      }
    );
  }

  /** Issues the next token of a bound session, whose browser has proven its key, and extends the session if that is due. */
  async continueBound(session: ServiceSession, user: StoredUser, facts: SignInFacts): Promise<IssuedSession> {
    const now = this.clock();
    const isDue = this.options.renewAfterMs > 0 && this.isDue(session, facts, now);
    const current = (isDue && (await this.extend(session, facts, now))) || session;
    return { token: this.tokens.forSession(current, user.epoch, facts), session: current };
  }

  private isDue({ expiresAt, lastSeenAt }: ServiceSession, { remember }: SignInFacts, now: number): boolean {
    const givenMs = expiresAt.getTime() - lastSeenAt.getTime();
    return now - lastSeenAt.getTime() >= this.checks.renewalAge({ remember }, givenMs);
  }

  /** Null if the session would not last longer, or has ended in the meantime. */
  private async extend(
    session: ServiceSession,
    { remember }: SignInFacts,
    now: number,
  ): Promise<ServiceSession | null> {
    // A session that was created with a shorter lifetime keeps it.
    const givenMs = session.expiresAt.getTime() - session.lastSeenAt.getTime();
    const lifetimeMs = Math.min(this.ttlMs(remember), givenMs);
    const { maxAgeMs } = this.options;
    const expiresAt = new Date(Math.min(now + lifetimeMs, session.createdAt.getTime() + maxAgeMs));
    if (expiresAt <= session.expiresAt) return null;
    const renewedSession = { ...session, lastSeenAt: new Date(now), expiresAt };
    if (!(await this.storage.sessions.renew(session.id, renewedSession))) return null;
    this.seen(session.userId);
    return renewedSession;
  }

  /** Returns the sign-ins that it ended. Null if all sessions of the user were revoked. */
  private async start(
    session: ServiceSession,
    epoch: number,
    { replaces, trustedBrowserId, correction }: NewSessionOptions,
  ): Promise<EndedSignIns | null> {
    const { sessions } = this.storage;
    const limit = this.limitOf(replaces);
    if (limit) return sessions.startWithin(session, epoch, limit, trustedBrowserId);
    const isStarted = correction?.isWithSession
      ? await correction.start({ session, epoch, trustedBrowserId })
      : await sessions.start(session, epoch, trustedBrowserId);
    return isStarted ? { sessions: [], families: [] } : null;
  }

  /** Returns the limit of a sign-in that replaces the session of a token, or undefined without `session.maxPerUser`. */
  limitOf(replaced: string | undefined): SignInLimit | undefined {
    const { maxPerUser: max } = this.options;
    if (max === undefined) return undefined;
    const { sid, fid } = this.tokens.claimsOf(replaced) ?? {};
    return { max, replaces: sid ?? fid };
  }

  private ttlMs(remember: boolean): number {
    return (remember ? undefined : this.options.unrememberedTtlMs) ?? this.options.ttlMs;
  }

  /**
   * Revokes a session of `ownerId`, if given, with the other sessions of its trusted browser, and ends the trust in it. Does nothing if it is
   * unknown or has ended.
   * @param by the administrator who revokes it, if any.
   */
  async revokeSession(sessionId: string, ownerId?: string, by?: ChangeAuthor): Promise<void> {
    const now = new Date(this.clock());
    const author = by && { actor: by.actor };
    await this.changes.commit(
      () => this.storage.sessions.revoke(sessionId, now, ownerId, by?.acting),
      (revoked) => {
        if (!revoked) return [];
        const { userId, trustedBrowserId, others } = revoked;
        const events = [sessionId, ...others].map((id): EmittedEvent => [
          'session.revoked',
          { userId, sessionId: id, ...author },
        ]);
        if (trustedBrowserId === null) return events;
        return [...events, ['trusted_browser.revoked', { userId, trustedBrowserId, ...author }]];
      },
    );
  }

  /** Revokes every session and refresh family of a user except the one of these claims, if any, and ends the trust in every browser. */
  async revokeOtherSessions(userId: string, { sid, fid }: Pick<SessionClaims, 'sid' | 'fid'>): Promise<void> {
    await this.changes.commit(
      () => this.storage.sessions.revokeOthers(userId, new Date(this.clock()), sid ?? fid),
      ({ sessions, trustedBrowsers }): EmittedEvent[] => [
        ...endedEvents(userId, { sessions, families: [] }),
        ...(trustedBrowsers > 0 ? [['trusted_browser.all_revoked', { userId }] as const] : []),
        ...(this.storage.refreshFamilies ? [['refresh.all_revoked', { userId }] as const] : []),
      ],
    );
  }

  /**
   * Ends the session or the refresh family of a token, which may have expired, for a sign-out: the trust in the browser stays. The
   * token of an impersonation ends the administrator's own session, which the browser has too, and the impersonation with it. Does
   * nothing if the token is invalid.
   */
  async endSession(token: unknown): Promise<void> {
    const { actSid, fid, sid = actSid } = this.tokens.claimsAtSignOut(token) ?? {};
    if (sid !== undefined)
      await this.changes.commit(
        () => this.storage.sessions.end(sid, new Date(this.clock())),
        (userId) => (userId === null ? [] : [['session.revoked', { userId, sessionId: sid }]]),
      );
    if (fid !== undefined) await this.revokeFamily(fid);
  }

  /**
   * Revokes a refresh family; does nothing if it has ended or does not exist.
   * @param ownerId if given, the family is revoked only if it belongs to this user.
   * @param by the administrator who revokes it, if any.
   */
  async revokeFamily(familyId: string, ownerId?: string, by?: ChangeAuthor): Promise<void> {
    const now = new Date(this.clock());
    await this.changes.commit(
      async () => this.storage.refreshFamilies?.revoke(familyId, now, ownerId, by?.acting),
      (userId) => (userId ? [['refresh.revoked', { userId, familyId, ...(by && { actor: by.actor }) }]] : []),
    );
  }
}

const created = ({ id, userId }: ServiceSession, method: string | undefined): EmittedEvent => [
  'session.created',
  { userId, sessionId: id, ...(method !== undefined && { method }) },
];

/** Returns the events of the sign-ins that a change has ended. */
export function endedEvents(userId: string, { sessions, families }: EndedSignIns): EmittedEvent[] {
  return [
    ...sessions.map((sessionId): EmittedEvent => ['session.revoked', { userId, sessionId }]),
    ...families.map((familyId): EmittedEvent => ['refresh.revoked', { userId, familyId }]),
  ];
}
