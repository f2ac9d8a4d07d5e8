/** A forgotten password: the mailed link, and the new password by its token (specification 4.3, 5.4; docs/decisions/reset-binding.md). */
import { parseEmailAddress } from '../../domain/email-address.js';
import { accountState } from '../../domain/single-use-token.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import { InvalidRequestError, ProviderNotConfiguredError, TokenInvalidError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import type { Delivery } from '../../kit/background-work.js';
import { resetTokenBudgets } from '../../kit/budgets.js';
import { queueClientOf } from '../../kit/fair-queue.js';
import { checkInput, optional } from '../../kit/input.js';
import { withToken } from '../../kit/link-targets.js';
import { minutes } from '../../kit/mailer.js';
import { Pace } from '../../kit/pace.js';
import type { PasswordVerifier } from '../../kit/password-hasher.js';
import { checkNewPassword } from '../../kit/password-policy.js';
import type { RequestContext } from '../../kit/sign-in.js';
import type { EmailPasswordOptions, EmailPasswordTools } from './options.js';
import type { PasswordChanges } from './password-changes.js';

const ttlMs = 30 * 60_000;

/** Requests of one client that are answered at once in a second. */
const requestsAtOnce = 5;

export class PasswordResets {
  private readonly pace = new Pace(requestsAtOnce);

  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
    private readonly passwords: PasswordVerifier,
    private readonly changes: PasswordChanges,
  ) {}

  async request(
    input: { email: string; redirectTo?: string },
    context: RequestContext,
  ): Promise<{ sent: true }> {
    const { background, linkTargets } = this.tools;
    checkInput(input);
    context = optional(context);
    if (typeof input.email !== 'string') throw new InvalidRequestError('email must be a string.');
    const target =
      input.redirectTo === undefined ? this.options.resetUrl : linkTargets.check(input.redirectTo);
    if (target === undefined) throw new ProviderNotConfiguredError('emailPassword.resetUrl');
    const { ip } = context;
    // By the number of its requests alone: a wait that depended on the work would tell which addresses have an account.
    if (ip !== undefined) await this.pace.wait(ip);
    const prepare = () => this.prepareMail(input.email, target, context);
    background.start('password reset mail', prepare, ip);
    return { sent: true };
  }

  async setPassword(
    input: { token: string; newPassword: string; revokeCredentials?: boolean },
    context: RequestContext,
  ): Promise<{ user: ServiceUser }> {
    const { accountLimits, clock, events, logger, mailboxProof, mailedTokens, storage } = this.tools;
    checkInput(input);
    const { ip } = optional(context);
    const { revokeCredentials = false } = input;
    if (typeof input.token !== 'string') throw new InvalidRequestError('token must be a string.');
    if (typeof revokeCredentials !== 'boolean')
      throw new InvalidRequestError('revokeCredentials must be true or false.');
    const opened = mailedTokens.open('password_reset', input.token);
    if (opened.status !== 'valid') throw new TokenInvalidError();
    const owner = this.options.checkPassword && (await storage.users.findById(opened.subject));
    await checkNewPassword(input.newPassword, owner?.email ?? null, this.options);
    const passwordHash = await this.hash(input.newPassword, opened.digest, ip);
    const reset = await storage.users.resetPassword({
      tokenDigest: opened.digest,
      userId: opened.subject,
      passwordHash,
      revokeCredentials,
      now: new Date(clock()),
    });
    if (!reset) throw new TokenInvalidError();
    const { id: userId, email } = reset.user;
    if (email !== null) await accountLimits.forgive(email, { ip });
    logger.info(
      { event: 'password_reset', userId, claimed: reset.claimed, revokeCredentials, ip },
      'a password was reset',
    );
    if (reset.claimed) mailboxProof.reportClaim(userId);
    events.emit('password.reset', { userId });
    this.changes.notify(reset.user, ip);
    return { user: toServiceUser(reset.user) };
  }

  /** A token that is used up is still a signed one: its tries are counted, or it would make hashes until it expires. */
  private hash(password: string, digest: string, ip: string | undefined): Promise<string> {
    const { limiter } = this.tools;
    return this.passwords.withPlace(queueClientOf(ip), (place) =>
      limiter.spend(resetTokenBudgets(digest, ttlMs), () => place.hash(password)),
    );
  }

  /** Resolves the sending of the mail, if the address has an account. */
  private async prepareMail(
    address: string,
    target: string,
    context: RequestContext,
  ): Promise<Delivery | void> {
    const { accountLimits, limiter, mailedTokens, mailer, storage } = this.tools;
    try {
      const email = parseEmailAddress(address);
      const budgets = await accountLimits.send('password_reset', email, context);
      return await limiter.spend(budgets, async (charge) => {
        const user = await storage.users.findByEmail(email);
        const account = user && accountState(user);
        if (!account) return undefined;
        // Bound to the account as it was found by this address: a change that commits in between makes the link void.
        const { token, discard } = await mailedTokens.issue('password_reset', user.id, ttlMs, { account });
        const url = withToken(target, token);
        const values = { url, expiresInMinutes: minutes(ttlMs), appName: mailer.appName };
        return async () => {
          try {
            const render = () => this.options.resetTemplate(values);
            await mailer.send('password_reset', email, this.options, render, discard);
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

/** A malformed address or a used-up limit is no fault; the mailer has logged a send that failed. */
function isExpected(error: unknown): boolean {
  return isServiceError(error) && error.code !== 'internal_error';
}
