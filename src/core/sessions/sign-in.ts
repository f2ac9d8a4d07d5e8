/** The last step of every sign-in: the only place where a proof becomes a result and, for the HTTP routes, a session. */
import { isImpersonated } from '../../crypto/session-jwt.js';
import { maskEmailAddress } from '../../domain/email-address.js';
import { endedBefore, type ServiceSession } from '../../domain/session.js';
import { isInForce } from '../../domain/user-block.js';
import { toServiceUser, type StoredUser } from '../../domain/user.js';
import { TokenInvalidError, UserBlockedError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { reasonOf } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import type { NewUser, UserRepository } from '../../storage/repositories.js';
import type { SignInProof } from './new-session.js';
import type { Correction } from '../limits/consumed-limits.js';
import type { Clock } from '../support/clock.js';
import type { Changes } from '../support/changes.js';
import type { EmittedEvent, ServiceEvents } from '../support/events.js';
import { attemptedUserOf } from '../support/attempted-user.js';
import { signInFailed } from '../support/failed-sign-ins.js';
import { describeError, type Logger } from '../support/logger.js';
import type { BearerSessions } from './bearer-sessions.js';
import { stored, type CreatedUser } from './new-user.js';
import { maskSubject } from './mask-subject.js';
import { SignInAttempts, type SignInAttempt } from './sign-in-attempts.js';
import type { LiveSession } from './session-checks.js';
import { deviceOf, endOldSessions, tokensOf, type RequestContext } from './request-context.js';
import type { SecondFactor } from './second-factor.js';
import { isRemembered, usedTwoFactors } from './session-tokens.js';
import type { Sessions } from './sessions.js';
import type { ChangedUser, SignInResult } from './sign-in-result.js';
import type { TrustedBrowsers } from './trusted-browsers.js';

/** What a session begins with. */
interface NewSession {
  twoFactors?: boolean;
  trustedBrowserId?: string | null;
  /** The session that was started with a new user. */
  startedSession?: ServiceSession | undefined;
  correction?: Correction | undefined;
  reclaimed?: true | undefined;
}

/** The notices of sign-ins. */
interface SignInNotices {
  signedIn(user: StoredUser, context: RequestContext): void;
  send(change: 'trusted_browser_added', user: StoredUser, context: RequestContext): void;
}

export class SignIn {
  /** Every method runs its sign-ins in them. */
  readonly attempts: SignInAttempts;

  constructor(
    private readonly users: UserRepository,
    private readonly sessions: Sessions,
    private readonly secondFactor: SecondFactor,
    private readonly logger: Logger,
    private readonly changes: Changes,
    private readonly clock: Clock,
    private readonly bearer: BearerSessions,
    /** Null without `totp.trustedBrowsers`. */
    private readonly trustedBrowsers: TrustedBrowsers | null,
    private readonly notices: SignInNotices,
  ) {
    this.attempts = new SignInAttempts(changes);
  }

  /**
   * Inserts a new user, with a session in the same query unless it is a bearer session. Pass both to `completeSignIn`.
   * @param about for the event. @returns null if the address has an account.
   */
  async insertUser(
    user: NewUser,
    context: RequestContext,
    about: Pick<ServiceEvents['user.created'], 'method' | 'profile'>,
  ): Promise<CreatedUser | null> {
    const event = userCreated(user.id, about);
    if (!context.startSession || context.bearer) {
      const isInserted = await this.changes.commit(
        () => this.users.insert(user),
        (isNew) => (isNew ? [event] : []),
      );
      return isInserted ? { user: stored(user), created: true } : null;
    }
    const remember = context.remember !== false;
    const session = await this.sessions.insertWithUser(user, deviceOf(context), remember, event);
    return session && { user: stored(user), created: true, session };
  }

  /**
   * Completes a sign-in after one factor. If the context requests a session and the account has a second factor, returns `pending`.
   * @param user as read before the proof was checked (see `Sessions.issueSession`).
   * @throws UserBlockedError
   */
  async completeSignIn(
    method: string,
    user: StoredUser,
    created: boolean,
    context: RequestContext,
    { session, correction, reclaimed }: SignInProof = {},
  ): Promise<SignInResult> {
    if (!context.startSession || !user.totpEnabled)
      return this.startSession(method, user, created, context, {
        startedSession: session,
        ...{ correction, reclaimed },
      });
    const trustedBrowserId = this.isSignedIn(user, context) ? null : await this.trustedBrowser(user, context);
    if (trustedBrowserId !== null) {
      const trusted = `${method}+trusted_browser`;
      const result = await this.startSession(trusted, user, created, context, {
        trustedBrowserId,
        correction,
      });
      // Again: a revocation of the trust must not leave a session that was started at the same time.
      if ((await this.trustedBrowser(user, context)) !== null) return result;
      await this.sessions.endSession(result.session?.token);
    }
    const { ip } = context;
    this.logger.info(
      { event: 'mfa_required', method, userId: user.id, ip },
      'a sign-in waits for a second factor',
    );
    const pending = await this.secondFactor.require(user, method, context);
    return { user: toServiceUser(user), created, pending };
  }

  /**
   * Completes a sign-in after two factors, which the session records.
   * @param user as for `completeSignIn`.
   * @param done whether the sign-in created the user, and the passkey that was a factor: if it is removed now, the browser is not trusted.
   */
  async completeTwoFactors(
    method: string,
    user: StoredUser,
    context: RequestContext,
    { created = false, credentialId }: { created?: boolean; credentialId?: string } = {},
  ): Promise<SignInResult> {
    this.refuseBlocked(method, user, context);
    const trusts = context.trustBrowser === true && context.startSession && !context.bearer;
    // Before the session, which names the browser: a revocation of the session then also ends the trust.
    const trusted = trusts
      ? await this.trustedBrowsers?.trust(user, deviceOf(context), context.trustToken, credentialId)
      : null;
    if (trusted) this.notices.send('trusted_browser_added', user, context);
    const trustedBrowserId = trusted?.id ?? (await this.trustedBrowser(user, context));
    const started = { twoFactors: true, trustedBrowserId };
    const result = await this.startSession(method, user, created, context, started);
    return trusted ? { ...result, trust: trusted.trust } : result;
  }

  /** Returns the id of the trusted browser that the request comes from, or null. A client without cookies has no browser to trust. */
  private async trustedBrowser(user: StoredUser, context: RequestContext): Promise<string | null> {
    const { bearer, startSession, trustToken } = context;
    if (!this.trustedBrowsers || !startSession || bearer || trustToken === undefined) return null;
    return this.trustedBrowsers.find(user, trustToken);
  }

  /**
   * Returns whether the user is signed in already. The browser then does not replace the second factor: a sign-in during a session
   * proves who is at the browser, which its cookie does not.
   */
  private isSignedIn(user: StoredUser, { sessionToken }: RequestContext): boolean {
    return this.sessions.tokens.claimsOf(sessionToken)?.sub === user.id;
  }

  /**
   * Replaces the session of a browser whose user has made a change that ended all sessions of the account. Does so only if the context
   * requests a session, and only for a token of a session of this user: an access token must not become a session that outlives it.
   * The new session has as many factors as the previous one.
   * @param user as returned by the change: a revocation after it also prevents the new session.
   * @param isProof whether the change authenticated the user, as the right password does: the new session then counts as a recent
   * sign-in. Otherwise it keeps the sign-in time of the previous session, and ends no later.
   * @throws TokenInvalidError if all sessions were revoked after the change, or if the browser's session had ended before it.
   */
  async continueSession(user: StoredUser, context: RequestContext, isProof: boolean): Promise<ChangedUser> {
    const { sessionToken, startSession } = context;
    if (!startSession) return { user: toServiceUser(user) };
    const claims = this.sessions.tokens.claimsOf(sessionToken);
    if (context.bearer) {
      // Without a proof, an access token must not become a refresh token that outlives it.
      if (!isProof || claims?.fid === undefined || claims.sub !== user.id)
        return { user: toServiceUser(user) };
      return {
        user: toServiceUser(user),
        bearer: await this.bearer.start(
          user,
          { ...context, remember: context.remember ?? isRemembered(claims) },
          usedTwoFactors(claims),
          { key: claims.cnf?.jkt },
        ),
      };
    }
    const previous = claims?.sid === undefined ? null : await this.sessions.rowOf(claims.sid);
    const isOwn = previous?.userId === user.id;
    // Otherwise a short-lived token would become a session that outlives it.
    if (sessionToken !== undefined && !isOwn) return { user: toServiceUser(user) };
    if (previous && endedBefore(previous, user)) throw new TokenInvalidError(because('epoch_passed'));
    const session = await this.sessions.issueSession(user, deviceOf(context), {
      twoFactors: isOwn && claims !== null && usedTwoFactors(claims),
      remember: context.remember ?? (claims === null || isRemembered(claims)),
      signedInAt: isProof ? undefined : previous?.createdAt,
      boundAs: previous ?? undefined,
      replaces: sessionToken,
    });
    if (sessionToken !== undefined) await this.endPrevious(() => this.sessions.endSession(sessionToken));
    return { user: toServiceUser(user), session };
  }

  /** Starts a session for a user whom the application has signed in: it has asked for as many factors as it wants. @throws UserBlockedError */
  startForApplication(user: StoredUser, context: RequestContext): Promise<SignInResult> {
    return this.startSession('application', user, false, context, {});
  }

  private async startSession(
    method: string,
    user: StoredUser,
    created: boolean,
    context: RequestContext,
    { twoFactors = false, trustedBrowserId, startedSession, correction, reclaimed }: NewSession,
  ): Promise<SignInResult> {
    const { ip, sessionToken, startSession } = context;
    this.refuseBlocked(method, user, context);
    const result: SignInResult = {
      ...{ user: toServiceUser(user), created, method },
      ...(reclaimed && { reclaimed }),
    };
    if (startSession && context.bearer) {
      result.bearer = await this.bearer.start(user, context, twoFactors, { method });
    } else if (startSession) {
      const facts = { twoFactors, remember: context.remember !== false };
      result.session = startedSession
        ? this.sessions.issued(startedSession, user.epoch, facts)
        : await this.sessions.issueSession(user, deviceOf(context), {
            ...{ ...facts, method },
            replaces: sessionToken,
            trustedBrowserId: trustedBrowserId ?? undefined,
            correction,
          });
    }
    // A new authentication replaces the old session instead of leaving it behind (ASVS 7.2.4).
    if (startSession) {
      for (const token of tokensOf(context)) await this.endPrevious(() => this.sessions.endSession(token));
      await this.endPrevious(context[endOldSessions]);
    }
    if (startSession && !created) this.notices.signedIn(user, context);
    const address = user.email === null ? undefined : maskEmailAddress(user.email);
    this.logger.info(
      { event: 'signed_in', method, userId: user.id, address, ip, created },
      'a user signed in',
    );
    return result;
  }

  /** After the last factor: only a user who has completed the proof learns of the block. @throws UserBlockedError */
  private refuseBlocked(method: string, user: StoredUser, context: RequestContext): void {
    if (isInForce(user.blocked, this.clock()))
      throw this.failed({ method, userId: user.id, context }, new UserBlockedError());
  }

  /**
   * Logs a failed sign-in (ASVS 16.3.1), and returns the error for the caller to throw. Without an account in the attempt, the event and
   * the record have that of the error.
   */
  failed<E extends ServiceError>(attempt: SignInAttempt, error: E): E {
    const { method, context, userId = attemptedUserOf(error), subject = userId ?? '' } = attempt;
    const { ip } = context;
    const address = maskSubject(subject);
    this.logger.info(
      {
        event: 'sign_in_failed',
        method,
        reason: error.code,
        diagnosis: reasonOf(error),
        address,
        ip,
      },
      'a sign-in failed',
    );
    this.attempts.record(attempt, error, userId);
    signInFailed(this.changes.events, method, error, userId);
    return error;
  }

  // The new session already exists, so a failure is logged and not thrown.
  private async endPrevious(end: (() => Promise<void>) | undefined): Promise<void> {
    try {
      await end?.();
    } catch (error) {
      this.logger.warn({ err: describeError(error) }, 'the session before a sign-in could not be ended');
    }
  }

  /** Returns the id of the user who is signed in with the request's session, or null. */
  async currentUserId(context: RequestContext): Promise<string | null> {
    return (await this.currentSession(context))?.user.id ?? null;
  }

  /** Returns the session of the request, or null if it has none, or if the session is an impersonation. */
  async currentSession(context: RequestContext): Promise<LiveSession | null> {
    for (const token of tokensOf(context)) {
      try {
        const session = await this.sessions.authenticate(token);
        // An administrator who acts as the user must not set a password, or keep one through a claim.
        return isImpersonated(session.claims) ? null : session;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'token_invalid')) throw error;
      }
    }
    return null;
  }
}

/** Returns the event of a new user, for the change that inserts it. */
export function userCreated(
  userId: string,
  { method, profile }: Pick<ServiceEvents['user.created'], 'method' | 'profile'>,
): EmittedEvent<'user.created'> {
  return ['user.created', { userId, method, ...(profile && { profile }) }];
}
