/** Password resets: the mailed link, and the new password set with its token (specification 4.3, 5.4; docs/decisions/reset-binding.md). */
import { parseEmailAddress } from '../../domain/email-address.js';
import { isInForce } from '../../domain/user-block.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import { ProviderNotConfiguredError, TokenInvalidError, UserBlockedError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import type { Delivery } from '../../core/support/background-work.js';
import { resetTokenLimits } from '../../core/limits/rate-limits.js';
import { queueClientOf } from '../../core/limits/fair-queue.js';
import { optional, parseInput } from '../../core/support/input.js';
import { withToken } from '../../core/mail/link-targets.js';
import { minutes } from '../../core/mail/mailer.js';
import { Pace } from '../../core/limits/pace.js';
import type { PasswordVerifier } from '../../core/support/password-hasher.js';
import { checkNewPassword } from '../../core/support/password-policy.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import {
  requestResetInput,
  setPasswordInput,
  type EmailPasswordOptions,
  type EmailPasswordTools,
} from './options.js';
import type { PasswordChanges } from './password-changes.js';
import { openReset, resetBinding } from '../../core/mail/reset-links.js';

const ttlMs = 30 * 60_000;

/** Requests per second of one client that resolve immediately. */
const requestsAtOnce = 5;

export class PasswordResets {
  private readonly pace = new Pace(requestsAtOnce);

  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
    private readonly passwords: PasswordVerifier,
    private readonly changes: PasswordChanges,
  ) {}

  async request(input: unknown, context: RequestContext): Promise<{ sent: true }> {
    const { background, linkTargets } = this.tools;
    const { email, redirectTo } = parseInput(requestResetInput, input);
    context = optional(context);
    const target = redirectTo === undefined ? this.options.resetUrl : linkTargets.check(redirectTo);
    if (target === undefined) throw new ProviderNotConfiguredError('emailPassword.resetUrl');
    const { ip } = context;
    // The delay depends only on the number of requests: one that depended on the work would reveal which addresses have an account.
    if (ip !== undefined) await this.pace.wait(ip);
    const prepare = () => this.prepareMail(email, target, context);
    background.start('password reset mail', prepare, ip);
    return { sent: true };
  }

  async setPassword(input: unknown, context: RequestContext): Promise<{ user: ServiceUser }> {
    const { accountLimits, clock, events, logger, mailboxProof, mailedTokens, storage } = this.tools;
    const { token, newPassword, revokeCredentials = false } = parseInput(setPasswordInput, input);
    const { ip } = optional(context);
    const mailed = openReset(mailedTokens, token);
    if (!mailed) throw new TokenInvalidError();
    const { digest: tokenDigest, email } = mailed;
    await checkNewPassword(newPassword, email, this.options);
    const passwordHash = await this.hash(newPassword, tokenDigest, ip);
    await this.refuseBlocked(email, tokenDigest);
    const reset = await storage.users.resetPassword({
      tokenDigest,
      email,
      userId: mailed.userId,
      passwordHash,
      revokeCredentials,
      now: new Date(clock()),
    });
    if (!reset) throw new TokenInvalidError();
    // Of an unverified account not always the user for whom the link was mailed.
    const { id: userId } = reset.user;
    await accountLimits.reset(email, { ip });
    logger.info(
      { event: 'password_reset', userId, claimed: reset.claimed, revokeCredentials, ip },
      'a password was reset',
    );
    if (reset.claimed) mailboxProof.reportClaim(userId);
    events.emit('password.reset', { userId });
    this.changes.notify(reset.user, ip);
    // Starts no session: the link proves control of the mailbox, but not of the second factor.
    return { user: toServiceUser(reset.user) };
  }

  /**
   * Refuses a blocked user, and consumes the token to find out whether it is still valid. A block after this check changes the epoch,
   * to which the link of a verified account is bound; no reset signs in. @throws UserBlockedError, TokenInvalidError.
   */
  private async refuseBlocked(email: string, tokenDigest: string): Promise<void> {
    const { clock, mailedTokens, storage } = this.tools;
    const owner = await storage.users.findByEmail(email);
    if (!isInForce(owner?.blocked, clock())) return;
    const token = await mailedTokens.consumeToken('password_reset', tokenDigest);
    throw token ? new UserBlockedError() : new TokenInvalidError();
  }

  /** A consumed token still has a valid signature: its attempts are counted, or it could cause hashes until it expires. */
  private hash(password: string, digest: string, ip: string | undefined): Promise<string> {
    const { limiter } = this.tools;
    return this.passwords.withPlace(queueClientOf(ip), (place) =>
      limiter.withLimits(resetTokenLimits(digest, ttlMs), () => place.hashPassword(password)),
    );
  }

  /** Returns the function that sends the mail, if the address has an account. */
  private async prepareMail(
    address: string,
    target: string,
    context: RequestContext,
  ): Promise<Delivery | void> {
    const { accountLimits, limiter, mailedTokens, mailer, storage } = this.tools;
    try {
      const email = parseEmailAddress(address);
      const budgets = await accountLimits.forMail('password_reset', email, context);
      return await limiter.withLimits(budgets, async (charge) => {
        const user = await storage.users.findByEmail(email);
        if (!user) return undefined;
        const binding = resetBinding(user, email);
        const { token, discard } = await mailedTokens.issueToken('password_reset', email, ttlMs, binding);
        const url = withToken(target, token);
        const values = { url, expiresInMinutes: minutes(ttlMs), appName: mailer.appName };
        return async () => {
          try {
            const render = () => this.options.resetTemplate(values);
            await mailer.sendMail('password_reset', email, this.options, render, discard);
            this.tools.events.emit('link.sent', { purpose: 'password_reset' });
          } catch (error) {
            await charge.refund();
            if (!isExpected(error)) throw error;
          }
        };
      });
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
  }
}

/** A malformed address or a reached limit is not a failure; the mailer has already logged a failed send. */
function isExpected(error: unknown): boolean {
  return isServiceError(error) && error.code !== 'internal_error';
}
