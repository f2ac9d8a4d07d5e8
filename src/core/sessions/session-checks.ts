/** Decides whether the session of a token is valid, with one query, or without one if it is cached. */
import type { SessionClaims } from '../../crypto/session-jwt.js';
import type { RefreshFamily } from '../../domain/refresh-family.js';
import type { ServiceSession } from '../../domain/session.js';
import { isInForce } from '../../domain/user-block.js';
import type { StoredUser } from '../../domain/user.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { withAttemptedUser } from '../support/attempted-user.js';
import type { Clock } from '../support/clock.js';
import type { CheckedSessions } from './session-cache.js';
import type { CheckedUser, SessionWithUser } from './session-entries.js';
import type { ReportRefused, SessionReason } from './refused-sessions.js';
import { isOfEpoch, isRemembered, issuedAt, type SessionTokens } from './session-tokens.js';

/** The session of a request that has been checked. `session` is null for tokens without a session row. */
export interface CheckedSession {
  claims: SessionClaims;
  user: CheckedUser;
  session: ServiceSession | null;
  /** When the user last authenticated: the time of the sign-in, or of issue for a token without one. */
  signedInAt: Date;
}

/** A session as the storage has it now. */
export interface LiveSession extends CheckedSession {
  user: StoredUser;
}

/** How long requests are under way that were sent with the cookie from before a registration. Shorter than any lifetime of a bound token. */
const registrationGraceMs = 10_000;

/** Returns until when a token from before the registration is accepted, in milliseconds since the epoch. */
export const unboundUntil = (boundAt: Date): number => boundAt.getTime() + registrationGraceMs;

export class SessionChecks {
  constructor(
    private readonly storage: StorageAdapter,
    private readonly tokens: SessionTokens,
    private readonly renewAfterMs: number,
    private readonly clock: Clock,
    private readonly cache: CheckedSessions | null,
    private readonly reportRefused: ReportRefused = () => undefined,
  ) {}

  /** Verifies a token and checks with one query that it is not revoked. @throws TokenInvalidError, also if the user was deleted or blocked. */
  async authenticate(token: unknown): Promise<LiveSession> {
    return this.ask(this.tokens.verifyClaims(token));
  }

  /**
   * As `authenticate`, but without a query if the session is cached. For checks that only let a request
   * pass: a change of the account asks the storage.
   */
  async check(token: unknown): Promise<CheckedSession> {
    const claims = this.tokens.verifyClaims(token);
    const cached = this.findCached(claims);
    if (cached) return cached;
    const shared = this.cache?.findShared && (await this.findShared(claims));
    if (shared) return shared;
    return (this.mayUseReplica(claims) && (await this.findOnReplica(claims))) || this.ask(claims);
  }

  /** Whether the token is so old that the session is renewed. */
  isRenewalDue(claims: SessionClaims): boolean {
    const { act, bound, iat, exp } = claims;
    // The token of a bound session is replaced for a proof only.
    if (this.renewAfterMs === 0 || act || bound) return false;
    return this.clock() - iat * 1000 >= this.renewalAge(claims, (exp - iat) * 1000);
  }

  /**
   * Returns the age at which a session is renewed, in milliseconds. A session that the browser forgets may live shorter than
   * `renewAfterMs`: it is renewed after half of its lifetime, so that it does not end while it is in use.
   */
  renewalAge(claims: { remember?: boolean | undefined }, lifetimeMs: number): number {
    return isRemembered(claims) ? this.renewAfterMs : Math.min(this.renewAfterMs, lifetimeMs / 2);
  }

  private async ask(claims: SessionClaims): Promise<LiveSession> {
    // The query returns ended sessions too, so the reason costs no other one.
    const session = await this.find(claims);
    const reason = typeof session === 'string' ? session : this.refusalOf(session);
    if (typeof session !== 'string' && reason === null) return session;
    this.reportRefused(claims, reason!);
    // The token was signed here, so it is about this user.
    throw withAttemptedUser(new TokenInvalidError(because(reason!)), claims.sub);
  }

  /**
   * Null if the storage must decide: it alone refuses a session, and a renewal needs its latest state.
   * Everything that depends on the time is computed now.
   */
  private findCached(claims: SessionClaims): CheckedSession | null {
    if (!this.cache || claims.sid === undefined || this.isRenewalDue(claims)) return null;
    return this.confirmed(claims, this.cache.find(claims.sid));
  }

  private async findShared(claims: SessionClaims): Promise<CheckedSession | null> {
    if (!this.cache?.findShared || claims.sid === undefined || this.isRenewalDue(claims)) return null;
    return this.confirmed(claims, await this.cache.findShared(claims.sid, claims.sub));
  }

  /** Not with a cache: the age of its entries is counted from the storage. */
  private mayUseReplica(claims: SessionClaims): boolean {
    return !this.cache && !!this.storage.sessions.findOnReplica && !this.isRenewalDue(claims);
  }

  private async findOnReplica(claims: SessionClaims): Promise<CheckedSession | null> {
    if (claims.sid === undefined) return null;
    return this.confirmed(claims, (await this.storage.sessions.findOnReplica?.(claims.sid)) ?? null);
  }

  private confirmed(claims: SessionClaims, row: SessionWithUser | null): CheckedSession | null {
    if (!row || this.endOf(row.session, claims.sub) || !this.hasProof(claims, row.session)) return null;
    const { session, user } = row;
    const checked = { claims, session, user, signedInAt: session.createdAt };
    return this.refusalOf(checked) ? null : checked;
  }

  /** Returns the session, which `refusalOf` must still check, or why there is none. */
  private find(claims: SessionClaims): Promise<LiveSession | SessionReason> {
    if (claims.sid !== undefined) return this.findSession(claims, claims.sid);
    if (claims.fid !== undefined) return this.findFamily(claims, claims.fid);
    if (claims.actSid !== undefined) return this.findImpersonation(claims, claims.actSid);
    return this.findUser(claims);
  }

  private async findSession(claims: SessionClaims, sid: string): Promise<LiveSession | SessionReason> {
    const load = (id: string) => this.storage.sessions.findWithUser(id);
    const row = await (this.cache ? this.cache.lookUp(sid, load) : load(sid));
    if (!row) return 'session_unknown';
    const found = { claims, ...row, signedInAt: row.session.createdAt };
    const end = this.endOf(row.session, claims.sub, found);
    if (end) return end;
    return this.hasProof(claims, row.session) ? found : 'session_unproven';
  }

  private async findFamily(claims: SessionClaims, fid: string): Promise<LiveSession | SessionReason> {
    const row = await this.storage.refreshFamilies?.findWithUser(fid);
    if (!row) return 'session_unknown';
    const found = { claims, user: row.user, session: null, signedInAt: row.family.createdAt };
    return this.endOf(row.family, claims.sub, found) ?? found;
  }

  private async findUser(claims: SessionClaims): Promise<LiveSession | SessionReason> {
    const { users } = this.storage;
    const { act } = claims;
    // Started in one synchronous block, which makes them one query.
    const [user, admin] = await Promise.all([users.findById(claims.sub), act && users.findById(act.sub)]);
    if (!user) return 'user_deleted';
    if (act && (!admin || admin.epoch !== claims.actEpoch)) return 'impersonator_signed_out';
    return { claims, user, session: null, signedInAt: issuedAt(claims) };
  }

  /** Returns an impersonation that ends with a session of the administrator. */
  private async findImpersonation(
    claims: SessionClaims,
    actSid: string,
  ): Promise<LiveSession | SessionReason> {
    const row = await this.storage.sessions.findWithTarget(actSid, claims.sub);
    if (!row || claims.act === undefined) return 'session_unknown';
    const hasEnded = this.endOf(row.session, claims.act.sub) !== null;
    if (hasEnded || row.user.epoch !== claims.actEpoch) return 'impersonator_signed_out';
    return { claims, user: row.target, session: null, signedInAt: issuedAt(claims) };
  }

  /**
   * Returns how a session or family has ended, or null.
   * @param found with the user: what ended every session says more than that this one has ended too.
   */
  private endOf(
    row: ServiceSession | RefreshFamily,
    userId: string,
    found?: CheckedSession,
  ): SessionReason | null {
    if (row.userId !== userId) return 'session_unknown';
    const isOver = !(this.clock() < row.expiresAt.getTime());
    if (row.revokedAt === null && !isOver) return null;
    return (
      (found && this.refusalOf(found)) ?? (row.revokedAt === null ? 'session_expired' : 'session_revoked')
    );
  }

  /**
   * A bound session needs a token that was issued for a proof. The earlier token is accepted for a moment more, because the browser has
   * sent requests with it before the response to its registration arrived.
   */
  private hasProof({ bound }: SessionClaims, { boundAt }: ServiceSession): boolean {
    if (boundAt === null) return bound !== true;
    return bound === true || this.clock() < unboundUntil(boundAt);
  }

  /** A token without an epoch may be newer than a block. */
  private refusalOf({ claims, user }: CheckedSession): SessionReason | null {
    if (isInForce(user.blocked, this.clock())) return 'user_blocked';
    return isOfEpoch(claims, user) ? null : 'epoch_passed';
  }
}
