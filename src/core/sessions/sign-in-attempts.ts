/** Records each attempt to sign in that was refused, once, whatever refused it: a wrong proof, a limit, a block or the sign-up policy. */
import { reasonOf } from '../../errors/reasons.js';
import { isServiceError, type ServiceError, type ServiceErrorCode } from '../../errors/service-error.js';
import { attemptedUserOf } from '../support/attempted-user.js';
import type { Changes } from '../support/changes.js';
import { maskSubject } from './mask-subject.js';
import type { RequestContext } from './request-context.js';

/** What a method refuses. Other errors are malformed requests, failures, and steps that continue a sign-in. */
const refusals: ReadonlySet<ServiceErrorCode> = new Set([
  'rate_limit_exceeded',
  'code_invalid',
  'code_expired',
  'code_not_found',
  'max_attempts_exceeded',
  'invalid_credentials',
  'token_invalid',
  'not_authorized',
  'user_blocked',
  'sign_up_disabled',
  'oauth_error',
]);

/** How an attempt is recorded. */
export interface SignInAttempt {
  method: string;
  /** The address, user name or phone number that it names. Empty if it names none. Absent if only the account is known. */
  subject?: string;
  /** The account, if it was read. What the client sends, such as the user id in a response of a passkey, is a claim. */
  userId?: string;
  context: RequestContext;
}

/** An attempt at a second step. Its first step, and so its account, is known once the token of the pending sign-in is opened. */
export const secondStep = (context: RequestContext): SignInAttempt => ({
  method: 'second_factor',
  subject: '',
  context,
});

export class SignInAttempts {
  constructor(private readonly changes: Changes) {}

  /**
   * Runs a sign-in. The user who is signed in at the browser does not act: with the proof, the account itself does, and without it, an
   * unknown client.
   */
  run<Result>(attempt: SignInAttempt, work: () => Promise<Result>): Promise<Result> {
    return this.changes.asUnidentified(() => this.watch(attempt, work));
  }

  /** As `run`, for a proof that a signed-in user gives, such as the current password. */
  async watch<Result>(attempt: SignInAttempt, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isServiceError(error) && refusals.has(error.code)) this.record(attempt, error);
      throw error;
    }
  }

  /** Records a refusal, unless a step of the same attempt has. The response then leaves no other record. @param userId if the account was read. */
  record(
    { method, subject, userId: attemptedId, context: { ip, userAgent } }: SignInAttempt,
    error: ServiceError,
    userId: string | undefined = attemptedUserOf(error) ?? attemptedId,
  ): void {
    const about =
      userId === undefined ? subject && { origin: { address: maskSubject(subject) } } : { userId };
    const reason = reasonOf(error) ?? error.code;
    this.changes.recordFailure(
      error,
      { action: 'sign_in.failed', reason, details: { method }, ...(about || {}) },
      { ip, userAgent },
    );
  }
}
