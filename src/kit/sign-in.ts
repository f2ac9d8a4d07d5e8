/**
 * The last step of every sign-in, whatever the method: the one place where a proof becomes a result and, for the
 * HTTP routes, a session.
 */
import { isImpersonated } from '../crypto/session-jwt.js';
import { maskEmailAddress } from '../domain/email-address.js';
import { maskPhoneNumber } from '../domain/phone-number.js';
import { endedBefore } from '../domain/session.js';
import { toServiceUser, type ServiceUser, type StoredUser } from '../domain/user.js';
import { TokenInvalidError } from '../errors/catalog.js';
import type { ServiceError } from '../errors/service-error.js';
import type { EventBus } from './events.js';
import { describeError, type Logger } from './logger.js';
import type { PendingSignIn, SecondFactor } from './second-factor.js';
import { usedTwoFactors } from './session-tokens.js';
import type { IssuedSession, LiveSession, Sessions } from './sessions.js';

/** A symbol, because an object that a client sent must not be able to have this field. */
export const routeSession = Symbol('svc-auth.routeSession');

/** What a request brings besides its input. All of it is optional for programmatic callers. */
export interface RequestContext {
  /** The client's address: limits count per client where it is known. */
  ip?: string;
  /** Kept with the session, for a list of devices. */
  userAgent?: string;
  /** The session token the request carries, if any: proves that a caller already is the owner of an account. */
  sessionToken?: string;
  /**
   * The user's epoch when the request's session was checked. A change that the user makes is refused with `token_invalid` if all of
   * the user's sessions have ended since then. The routes set it; without it a change is made whatever ends in the meantime.
   */
  sessionEpoch?: number;
  /**
   * The value of the `svc_device` cookie, if any: a browser that has signed in to the account before has limits that strangers cannot
   * use up. It proves nothing else.
   */
  deviceToken?: string;
  /**
   * Also start a session, ending the one of `sessionToken`; the result then has `session`, or `pending` where the account has
   * a second factor. The routes set it.
   */
  startSession?: boolean;
  /** The session of `sessionToken`, which the route has just read. Only the routes of this package set it. */
  [routeSession]?: LiveSession;
}

export interface SignInResult {
  user: ServiceUser;
  /** True when this sign-in created the user. */
  created: boolean;
  /** Present when the context asked for one. */
  session?: IssuedSession;
  /** Present in its place where the account has a second factor: what `totp.finishSignIn` takes. */
  pending?: PendingSignIn;
}

/** A user after a change of their own. */
export interface ChangedUser {
  user: ServiceUser;
  /** Present when the context asked for one: the sessions before it have ended. */
  session?: IssuedSession;
}

export class SignIn {
  constructor(
    private readonly sessions: Sessions,
    private readonly secondFactor: SecondFactor,
    private readonly logger: Logger,
    private readonly events: EventBus,
  ) {}

  /**
   * After one factor. Where a session is asked for and the account has a second factor, the sign-in waits for that.
   * @param user as read before the proof was checked (see `Sessions.start`).
   */
  async complete(
    method: string,
    user: StoredUser,
    created: boolean,
    context: RequestContext,
  ): Promise<SignInResult> {
    if (!context.startSession || !user.totpEnabled) return this.finish(method, user, created, context, false);
    const { ip } = context;
    this.logger.info(
      { event: 'mfa_required', method, userId: user.id, ip },
      'a sign-in waits for a second factor',
    );
    return { user: toServiceUser(user), created, pending: this.secondFactor.require(user, method) };
  }

  /** After two factors: the session says so. @param user see `complete`. */
  async completeTwoFactors(method: string, user: StoredUser, context: RequestContext): Promise<SignInResult> {
    return this.finish(method, user, false, context, true);
  }

  /**
   * After a change that its user made from within, which ended their sessions: where the context asks for one, that of this
   * browser goes on as another, as strong as it was. A token that names no session of the user, such as an access token, gets none.
   * @param user as the change left them: what ends their sessions after it also ends this one.
   * @param isProof whether the change showed who they are, as a password does that was right: the new session is fresh then. Otherwise
   * it is no fresher than the one before, and ends no later.
   * @throws TokenInvalidError if that has happened, or if the browser's session had ended before the change.
   */
  async goOn(user: StoredUser, context: RequestContext, isProof: boolean): Promise<ChangedUser> {
    const { ip, userAgent, sessionToken, startSession } = context;
    if (!startSession) return { user: toServiceUser(user) };
    const claims = this.sessions.tokens.claimsOf(sessionToken);
    const previous = claims?.sid === undefined ? null : await this.sessions.rowOf(claims.sid);
    const isOwn = previous?.userId === user.id;
    // Or a short-lived token would become a session that outlives it.
    if (sessionToken !== undefined && !isOwn) return { user: toServiceUser(user) };
    if (previous && endedBefore(previous, user)) throw new TokenInvalidError();
    const device = { ...(ip && { ip }), ...(userAgent && { userAgent }) };
    const session = await this.sessions.start(user, device, {
      twoFactors: isOwn && claims !== null && usedTwoFactors(claims),
      signedInAt: isProof ? undefined : previous?.createdAt,
    });
    if (sessionToken !== undefined) await this.endPrevious(sessionToken);
    return { user: toServiceUser(user), session };
  }

  private async finish(
    method: string,
    user: StoredUser,
    created: boolean,
    context: RequestContext,
    twoFactors: boolean,
  ): Promise<SignInResult> {
    const { ip, userAgent, sessionToken, startSession } = context;
    const result: SignInResult = { user: toServiceUser(user), created };
    if (created) this.events.emit('user.created', { userId: user.id, method });
    if (startSession) {
      const device = { ...(ip && { ip }), ...(userAgent && { userAgent }) };
      result.session = await this.sessions.start(user, device, { twoFactors });
      // A new authentication replaces the old session instead of leaving it behind (ASVS 7.2.4).
      if (sessionToken !== undefined) await this.endPrevious(sessionToken);
    }
    const address = user.email === null ? undefined : maskEmailAddress(user.email);
    this.logger.info(
      { event: 'signed_in', method, userId: user.id, address, ip, created },
      'a user signed in',
    );
    return result;
  }

  /**
   * Tells the logger of a proof that does not hold (ASVS 16.3.1); returns the error, to be thrown.
   * @param subject the address, number or user id that it was about.
   */
  failed<E extends ServiceError>(method: string, subject: string, error: E, { ip }: RequestContext): E {
    const address = masked(subject);
    this.logger.info(
      { event: 'sign_in_failed', method, reason: error.code, address, ip },
      'a sign-in failed',
    );
    return error;
  }

  // The new session stands by now: a failure here is for the log, not for the user.
  private async endPrevious(sessionToken: string): Promise<void> {
    try {
      await this.sessions.end(sessionToken);
    } catch (error) {
      this.logger.warn({ err: describeError(error) }, 'the session before a sign-in could not be ended');
    }
  }

  /** The id of the user whose own live session the request carries. */
  async currentUserId(context: RequestContext): Promise<string | null> {
    return (await this.currentSession(context))?.user.id ?? null;
  }

  /** The live session that the request carries, where it is its user's own. */
  async currentSession({ sessionToken }: RequestContext): Promise<LiveSession | null> {
    if (sessionToken === undefined) return null;
    try {
      const live = await this.sessions.authenticate(sessionToken);
      // An impersonation acts for the user but is not the user: it must not set a password or keep one through a claim.
      return isImpersonated(live.claims) ? null : live;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'token_invalid') return null;
      throw error;
    }
  }
}

function masked(subject: string): string {
  if (subject.includes('@')) return maskEmailAddress(subject);
  return subject.startsWith('+') ? maskPhoneNumber(subject) : subject;
}
