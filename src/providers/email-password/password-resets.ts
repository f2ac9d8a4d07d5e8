/** Password resets: the mailed link or code, and the new password set with it (specification 4.3, 5.4; docs/decisions/reset-binding.md). */
import type * as z from 'zod';
import type { EmittedEvent } from '../../core/support/events.js';
import { parseEmailAddress } from '../../domain/email-address.js';
import { isInForce } from '../../domain/user-block.js';
import { toServiceUser, type ServiceUser, type StoredUser } from '../../domain/user.js';
import {
  CodeNotFoundError,
  InvalidRequestError,
  ProviderNotConfiguredError,
  TokenInvalidError,
  UserBlockedError,
} from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import { queueClientOf } from '../../core/queues/fair-queue.js';
import { Pace } from '../../core/queues/pace.js';
import { newPasswordLimits, resetTokenLimits } from '../../core/limits/rate-limits.js';
import { openReset, openResetOfCode, type OpenedReset } from '../../core/mail/reset-links.js';
import type { PasswordRules } from '../../core/passwords/password-rules.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import { withAttemptedUser } from '../../core/support/attempted-user.js';
import { parseInput } from '../../core/support/input.js';
import type { PasswordVerifier } from '../../core/passwords/password-verifier.js';
import {
  requestResetInput,
  setPasswordInput,
  type EmailPasswordOptions,
  type EmailPasswordTools,
} from './options.js';
import type { PasswordChanges } from './password-changes.js';
import { ResetMails, resetTtlMs } from './reset-mails.js';

/** Requests per second of one client that resolve immediately. */
const requestsAtOnce = 5;

/** A proven mailbox, and the hash of the new password. */
interface Proof {
  mailed: OpenedReset;
  passwordHash: string;
}

export class PasswordResets {
  private readonly pace = new Pace(requestsAtOnce);
  private readonly mails: ResetMails;
  private readonly rules: PasswordRules;

  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
    private readonly passwords: PasswordVerifier,
    private readonly changes: PasswordChanges,
  ) {
    this.mails = new ResetMails(options, tools);
    this.rules = tools.newPasswords.rules;
    tools.notMeLinks.setMailReset((user, email, context) => this.mailTo(user, email, context));
  }

  async request(input: unknown, context: RequestContext): Promise<{ sent: true }> {
    const { background, linkTargets } = this.tools;
    const { email, redirectTo } = parseInput(requestResetInput, input);
    context = parseContext(context);
    const page = redirectTo === undefined ? this.options.resetUrl : linkTargets.check(redirectTo);
    const target = this.options.reset === 'code' ? undefined : page;
    if (target === undefined && this.options.reset !== 'code')
      throw new ProviderNotConfiguredError('emailPassword.resetUrl');
    const { ip } = context;
    // The delay depends only on the number of requests: one that depended on the work would reveal which addresses have an account.
    if (ip !== undefined) await this.pace.wait(ip);
    const prepare = () => this.mails.prepare(email, target, context);
    background.start('password reset mail', prepare, ip);
    return { sent: true };
  }

  /**
   * Mails a reset to a user who has proven the mailbox with the link of a notice. That link works once, so no limit applies that a
   * stranger could have used up. False if the service has no page for the reset.
   */
  private mailTo(user: StoredUser, email: string, context: RequestContext): boolean {
    const { background } = this.tools;
    const { reset, resetUrl } = this.options;
    const target = reset === 'code' ? undefined : resetUrl;
    if (target === undefined && reset !== 'code') return false;
    const prepare = () => this.mails.prepareFor(user, email, target, context);
    background.start('password reset mail', prepare, context.ip);
    return true;
  }

  async setPassword(input: unknown, context: RequestContext): Promise<{ user: ServiceUser }> {
    const sent = parseInput(setPasswordInput, input);
    context = parseContext(context);
    if (sent.token !== undefined && sent.code !== undefined) throw eitherOr();
    const attempt = {
      method: 'password_reset',
      subject: sent.code === undefined ? '' : (sent.email ?? ''),
      context,
    };
    return this.tools.signIn.attempts.run(attempt, () => this.reset(sent, context));
  }

  private async reset(
    sent: z.output<ReturnType<typeof setPasswordInput>>,
    context: RequestContext,
  ): Promise<{ user: ServiceUser }> {
    const { accountLimits, changes, clock, logger, mailboxProof, storage } = this.tools;
    const { newPassword, revokeCredentials = false } = sent;
    const { ip } = context;
    const { mailed, passwordHash } =
      sent.code === undefined
        ? await this.openLink(sent.token, newPassword, ip)
        : await this.redeemCode(sent.email, sent.code, newPassword, context);
    const { digest: tokenDigest, email } = mailed;
    await this.refuseBlocked(email, tokenDigest);
    const wanted = { tokenDigest, email, userId: mailed.userId, passwordHash, revokeCredentials };
    const reset = await changes.commit(
      () => storage.users.resetPassword({ ...wanted, now: new Date(clock()) }),
      (done): EmittedEvent[] => {
        if (!done) return [];
        const changed: EmittedEvent = ['password.reset', { userId: done.user.id }];
        return done.claimed ? [['user.claimed', { userId: done.user.id }], changed] : [changed];
      },
    );
    if (!reset) {
      const isLink = sent.code === undefined;
      const error = isLink ? new TokenInvalidError(because('link_invalid')) : new CodeNotFoundError();
      throw withAttemptedUser(error, mailed.userId);
    }
    // Of an unverified account not always the user for whom the link was mailed.
    const { id: userId } = reset.user;
    await accountLimits.reset(email, { ip });
    logger.info(
      { event: 'password_reset', userId, claimed: reset.claimed, revokeCredentials, ip },
      'a password was reset',
    );
    if (reset.claimed) mailboxProof.logClaim(userId);
    this.changes.notify(reset.user, context, 'password_reset');
    // Starts no session: the link proves control of the mailbox, but not of the second factor.
    return { user: toServiceUser(reset.user) };
  }

  /** Opens the token of a link, checks the password and hashes it. @throws TokenInvalidError, WeakPasswordError, RateLimitError. */
  private async openLink(
    token: string | undefined,
    newPassword: string,
    ip: string | undefined,
  ): Promise<Proof> {
    if (token === undefined) throw eitherOr();
    const mailed = openReset(this.tools.mailedTokens, token);
    if (!mailed) throw new TokenInvalidError(because('link_invalid'));
    this.rules.checkForm(newPassword);
    // A link stays valid for its attempts, and one that was used still has a valid signature.
    await this.tools.limiter.consume(newPasswordLimits(ip, mailed.digest));
    await this.rules.checkContent(newPassword, { email: mailed.email });
    return { mailed, passwordHash: await this.hash(newPassword, mailed.digest, ip) };
  }

  /**
   * Checks the password, consumes the code and hashes the password. The place in the queue comes first: a code must not be consumed if
   * the queue is full. The password is not compared with the user name, which a caller who does not have the code could find out.
   */
  private async redeemCode(
    address: string | undefined,
    code: string,
    newPassword: string,
    context: RequestContext,
  ): Promise<Proof> {
    const { accountLimits, codes, keys, limiter, signIn } = this.tools;
    if (this.options.reset === 'link') throw new ProviderNotConfiguredError('emailPassword.reset');
    const email = parseEmailAddress(address);
    const { ip } = context;
    this.rules.checkForm(newPassword);
    // Not refunded: anyone can send passwords without a code, and each may ask another server.
    await limiter.consume(newPasswordLimits(ip));
    await this.rules.checkContent(newPassword, { email });
    const rateLimits = await accountLimits.forMailedCode('password_reset', email, code, context);
    const place = this.passwords.enter(queueClientOf(ip));
    try {
      const { metadata, owner } = await codes
        .redeemCode('password_reset', email, code, ip, { rateLimits, owner: email })
        .catch((error: ServiceError) =>
          Promise.reject(signIn.failed({ method: 'password_reset', subject: email, context }, error)),
        );
      const mailed = openResetOfCode(keys, email, metadata, owner);
      if (!mailed) throw new CodeNotFoundError();
      return { mailed, passwordHash: await place.hashPassword(newPassword) };
    } finally {
      place.leave();
    }
  }

  /**
   * Refuses a blocked user, and consumes the token to find out whether it is still valid. A block after this check changes the epoch,
   * to which the link and the code of a verified account are bound; no reset signs in. @throws UserBlockedError, TokenInvalidError.
   */
  private async refuseBlocked(email: string, tokenDigest: string): Promise<void> {
    const { clock, mailedTokens, storage } = this.tools;
    const owner = await storage.users.findByEmail(email);
    if (!isInForce(owner?.blocked, clock())) return;
    const token = await mailedTokens.consumeToken('password_reset', tokenDigest);
    const error = token ? new UserBlockedError() : new TokenInvalidError(because('link_invalid'));
    throw withAttemptedUser(error, owner?.id);
  }

  /** A consumed token still has a valid signature: its attempts are counted, or it could cause hashes until it expires. */
  private async hash(password: string, digest: string, ip: string | undefined): Promise<string> {
    const place = this.passwords.enter(queueClientOf(ip));
    try {
      const spent = await this.tools.limiter.consume(resetTokenLimits(digest, resetTtlMs));
      try {
        return await place.hashPassword(password);
      } catch (error) {
        await spent.refund();
        throw error;
      }
    } finally {
      place.leave();
    }
  }
}

function eitherOr(): InvalidRequestError {
  return new InvalidRequestError('Send either token, or email and code.', { field: 'token' });
}
