/**
 * The second step of a sign-in besides the authenticator app: which methods a user has, codes by email, and trusted browsers
 * (docs/decisions/second-factor.md, docs/decisions/trusted-browsers.md). Passkeys are in `webauthn`, apps and recovery codes in `totp`.
 */
import type * as z from 'zod';
import type { SecondStepMethods } from '../../domain/second-factor.js';
import { toPublicTrustedBrowser } from '../../domain/trusted-browser.js';
import type { StoredUser } from '../../domain/user.js';
import {
  CodeNotFoundError,
  EmailUnverifiedError,
  MaxAttemptsError,
  NotAuthorizedError,
  ProviderNotConfiguredError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { because, reasonOf } from '../../errors/reasons.js';
import { isServiceError } from '../../errors/service-error.js';
import { secondFactorLimits } from '../../core/limits/rate-limits.js';
import { sendLimits } from '../../core/limits/send-limits.js';
import type { CodeMail } from '../../core/mail/code-mailer.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { contextAfter, type FirstFactor } from '../../core/sessions/second-factor.js';
import type { IssuedSession } from '../../core/sessions/sessions.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import { hasToken, type TrustedBrowsers } from '../../core/sessions/trusted-browsers.js';
import { secondStep } from '../../core/sessions/sign-in-attempts.js';
import { parseInput } from '../../core/support/input.js';
import { parseId } from '../../core/support/input-types.js';
import type { Toolkit } from '../../core/toolkit.js';
import { emailSecondFactorInput, pendingInput, preferredInput } from './inputs.js';
import type { ListedTrustedBrowser, SecondFactorState } from './inputs.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';

type Tools = Pick<
  Toolkit,
  | 'changes'
  | 'clock'
  | 'codeMailer'
  | 'codes'
  | 'accountNotices'
  | 'events'
  | 'limiter'
  | 'limits'
  | 'logger'
  | 'secondFactor'
  | 'secondFactorMail'
  | 'sessions'
  | 'signIn'
  | 'storage'
  | 'trustedBrowsers'
>;

const purpose = 'second_factor';

export class SecondFactorProvider {
  constructor(private readonly tools: Tools) {}

  /**
   * Returns how a pending sign-in can be completed, and until when.
   * @param token `pending.token` of the first step. @throws TokenInvalidError
   */
  async pendingMethods(token: string): Promise<SecondStepMethods & { expiresAt: Date }> {
    const { secondFactor } = this.tools;
    const { user, method, expiresAt } = await secondFactor.open(token);
    return { ...(await secondFactor.methodsOf(user, method)), expiresAt };
  }

  /**
   * Mails a code for the second step to the verified address of the user. It replaces the previous one, and is valid for this sign-in
   * only.
   * @throws TokenInvalidError if the token is not that of a pending sign-in; NotAuthorizedError with the reason
   * `second_factor_unavailable` if the user has not chosen codes by email, or if the first step has proven the same mailbox;
   * RateLimitError, EmailSendError; ProviderNotConfiguredError without `totp.email`.
   */
  async sendEmailCode(
    input: z.infer<ReturnType<typeof pendingInput>>,
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date }> {
    const { codeMailer, codes, limiter, limits } = this.tools;
    const mail = this.mail();
    const { token } = parseInput(pendingInput, input);
    context = parseContext(context);
    const { ip } = context;
    const { user, id, address } = await this.openForEmail(token);
    const spent = await limiter.consume(sendLimits(limits.send, purpose, address, ip));
    try {
      const issued = await codes.issueCode(purpose, user.id, { binding: [address, id] });
      await codeMailer.sendCode(purpose, address, issued, mail, { user, context });
      return { expiresAt: issued.expiresAt };
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  /**
   * Completes a pending sign-in with a code by email. Works once per token. Wrong codes count together with those of the app.
   * @throws as `sendEmailCode`; CodeNotFoundError, CodeExpiredError, CodeInvalidError; MaxAttemptsError after five wrong codes of any
   * kind in 15 minutes; InvalidRequestError, UserBlockedError.
   */
  async finishWithEmailCode(
    input: z.infer<ReturnType<typeof emailSecondFactorInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    this.mail();
    const { token, code } = parseInput(emailSecondFactorInput, input);
    context = parseContext(context);
    return this.tools.signIn.attempts.run(secondStep(context), () => this.finishWith(token, code, context));
  }

  private async finishWith(token: string, code: string, context: RequestContext): Promise<SignInResult> {
    const { codes, signIn } = this.tools;
    const first = await this.openForEmail(token);
    const { user, method, id, use, address } = first;
    const methods = `${method}+email`;
    const attempt = { method: methods, userId: user.id, context };
    const rateLimits = secondFactorLimits('totp', user.id);
    await codes
      .redeemCode(purpose, user.id, code, context.ip, { binding: [address, id], rateLimits })
      .catch((error: unknown) => {
        if (!isServiceError(error) || error.code === 'invalid_request') throw error;
        // The same error as for every code; clients need not know exactly when the next guess is evaluated.
        const refusal =
          error.code === 'rate_limit_exceeded'
            ? new MaxAttemptsError(because(reasonOf(error) ?? 'max_attempts_exceeded'))
            : error;
        throw signIn.failed(attempt, refusal);
      });
    if (!(await use())) throw signIn.failed(attempt, new TokenInvalidError(because('proof_used')));
    return signIn.completeTwoFactors(methods, user, contextAfter(first, context));
  }

  /** Returns the methods with which the user can complete a sign-in with a password. @throws UserNotFoundError */
  async state(userId: string, context?: RequestContext): Promise<SecondFactorState> {
    const { secondFactor, storage } = this.tools;
    const user = await existingUser(storage.users, userId, context);
    const factors = user.totpEnabled ? await storage.totp?.findFactors(user.id) : null;
    const { methods, preferred } = await secondFactor.methodsOf(user, 'password_login');
    return { enabled: user.totpEnabled, email: factors?.email ?? false, methods, preferred };
  }

  /**
   * Chooses the method to offer first. If it is not available in a sign-in, the authenticator app is.
   * @throws UserNotFoundError, InvalidRequestError; CodeNotFoundError if the user has no second factor.
   */
  async setPreferred(
    input: z.infer<ReturnType<typeof preferredInput>>,
    context: RequestContext = {},
  ): Promise<void> {
    const { changes, storage } = this.tools;
    const { userId, method } = parseInput(preferredInput, input);
    mustBeInPerson(userId, context);
    const user = await existingUser(storage.users, userId);
    const isSet = await changes.commit(
      async () => storage.totp?.setPreferred(user.id, method),
      (isChanged) => (isChanged ? [['second_factor.preferred_changed', { userId: user.id }]] : []),
    );
    if (!isSet) throw new CodeNotFoundError(because('factor_missing'));
  }

  /**
   * Lets the user complete sign-ins with a code by email. Revokes every session of the user if this is a change; with a context that
   * has `startSession` and `sessionToken`, a new session replaces that one.
   * @throws UserNotFoundError; EmailUnverifiedError for a user without a verified address; CodeNotFoundError if the user has no
   * authenticator app; ProviderNotConfiguredError without `totp.email`; TokenInvalidError if all sessions of the user have ended since
   * that of the request was checked (`context.sessionEpoch`).
   */
  async enableEmail(userId: string, context: RequestContext = {}): Promise<{ session?: IssuedSession }> {
    this.mail();
    context = parseContext(context);
    const user = await existingUser(this.tools.storage.users, userId);
    if (user.email === null || !user.emailVerified) throw new EmailUnverifiedError();
    return this.setEmail(user, true, context);
  }

  /** As `enableEmail`, the opposite. Works without `totp.email` too. */
  async disableEmail(userId: string, context: RequestContext = {}): Promise<{ session?: IssuedSession }> {
    const user = await existingUser(this.tools.storage.users, userId);
    return this.setEmail(user, false, parseContext(context));
  }

  /**
   * Returns the browsers that need no second factor of the user, newest first.
   * @param context.trustToken marks the browser that has it as the current one.
   * @throws UserNotFoundError; ProviderNotConfiguredError without `totp.trustedBrowsers`.
   */
  async listTrustedBrowsers(userId: string, context: RequestContext = {}): Promise<ListedTrustedBrowser[]> {
    const { clock, storage } = this.tools;
    const { trustToken } = parseContext(context);
    const { repository } = this.browsers();
    const user = await existingUser(storage.users, userId, context);
    const browsers = await repository.list(user.id, new Date(clock()));
    return browsers.map((browser) => ({
      ...toPublicTrustedBrowser(browser),
      current: hasToken(browser, trustToken),
    }));
  }

  /** Ends the trust in a browser. Ignores one that is unknown, or not trusted any more. @throws as `listTrustedBrowsers`; InvalidRequestError. */
  async revokeTrustedBrowser(userId: string, id: string): Promise<void> {
    const browsers = this.browsers();
    const user = await existingUser(this.tools.storage.users, userId);
    await browsers.revoke(user.id, parseId(id, 'id'));
  }

  /** Ends the trust in every browser of the user. @throws as `listTrustedBrowsers`. */
  async revokeTrustedBrowsers(userId: string): Promise<void> {
    const browsers = this.browsers();
    const user = await existingUser(this.tools.storage.users, userId);
    await browsers.revokeAll(user.id);
  }

  private async setEmail(
    user: StoredUser,
    enabled: boolean,
    context: RequestContext,
  ): Promise<{ session?: IssuedSession }> {
    const { accountNotices, changes, clock, logger, sessions, storage } = this.tools;
    mustBeInPerson(user.id, context);
    const { sessionEpoch } = context;
    const now = new Date(clock());
    const event = enabled ? 'second_factor.email_enabled' : 'second_factor.email_disabled';
    const isChanged = await changes.commit(
      async () => storage.totp?.setEmail(user.id, enabled, now, sessionEpoch),
      (isSet) => (isSet ? [[event, { userId: user.id }]] : []),
    );
    if (isChanged) {
      logger.info({ event, userId: user.id }, 'a second factor changed');
      accountNotices.send(enabled ? 'email_factor_enabled' : 'email_factor_disabled', user, context);
      return sessions.restart(user.id, context, false);
    }
    const current = await existingUser(storage.users, user.id);
    if (sessionEpoch !== undefined && current.epoch !== sessionEpoch)
      throw new TokenInvalidError(because('epoch_passed'));
    if (!current.totpEnabled) throw new CodeNotFoundError(because('factor_missing'));
    return {};
  }

  /** Opens a pending sign-in that a code by email may complete. */
  private async openForEmail(token: unknown): Promise<FirstFactor & { address: string }> {
    const opened = await this.tools.secondFactor.open(token, 'email');
    const { email: address } = opened.user;
    if (address === null) throw new NotAuthorizedError({ reason: 'second_factor_unavailable' });
    return { ...opened, address };
  }

  private mail(): CodeMail {
    if (!this.tools.secondFactorMail) throw new ProviderNotConfiguredError('totp.email');
    return this.tools.secondFactorMail;
  }

  private browsers(): TrustedBrowsers {
    if (!this.tools.trustedBrowsers) throw new ProviderNotConfiguredError('totp.trustedBrowsers');
    return this.tools.trustedBrowsers;
  }
}
