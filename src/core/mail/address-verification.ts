/** Verifies the address of an account by a code that its signed-in user enters (docs/decisions/account-reclaim.md). */
import { toServiceUser, type ServiceUser, type StoredUser } from '../../domain/user.js';
import { CodeNotFoundError, InvalidRequestError } from '../../errors/catalog.js';
import type { UserRepository } from '../../storage/repositories.js';
import type { Limiter } from '../limits/limiter.js';
import { sendLimits, type SendLimits } from '../limits/send-limits.js';
import { existingUser } from '../sessions/existing-user.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { Changes } from '../support/changes.js';
import type { Clock } from '../support/clock.js';
import type { Logger } from '../support/logger.js';
import type { CodeMail, CodeMailer } from './code-mailer.js';
import type { OneTimeCodes } from './one-time-codes.js';

interface Tools {
  changes: Changes;
  users: UserRepository;
  clock: Clock;
  codeMailer: CodeMailer;
  codes: OneTimeCodes;
  limiter: Limiter;
  limits: { send: SendLimits };
  logger: Logger;
}

export class AddressVerification {
  constructor(private readonly tools: Tools) {}

  /**
   * Mails the user a code. If the address is already verified, `expiresAt` is null and nothing is sent.
   * @throws UserNotFoundError, RateLimitError; InvalidRequestError for a user without an address; EmailSendError.
   */
  async send(userId: unknown, mail: CodeMail, context: RequestContext): Promise<{ expiresAt: Date | null }> {
    const { codeMailer, codes, limiter, limits, users } = this.tools;
    const { ip } = context;
    const user = await existingUser(users, userId);
    const address = addressOf(user);
    if (user.emailVerified) return { expiresAt: null };
    const spent = await limiter.consume(sendLimits(limits.send, 'email_verification', address, ip));
    try {
      const issued = await codes.issueCode('email_verification', user.id, { binding: [address] });
      await codeMailer.sendCode('email_verification', address, issued, mail, { user, context });
      return { expiresAt: issued.expiresAt };
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  /**
   * Marks the address verified and changes nothing else.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError,
   * CodeInvalidError.
   */
  async verify(userId: string, code: string, ip?: string): Promise<{ user: ServiceUser }> {
    const { changes, clock, codes, logger, users } = this.tools;
    const user = await existingUser(users, userId);
    const address = addressOf(user);
    if (user.emailVerified) return { user: toServiceUser(user) };
    await codes.redeemCode('email_verification', user.id, code, ip, { binding: [address] });
    // No reclaim: the code was valid for this account only, and its user is signed in.
    const verified = await changes.commit(
      () => users.markEmailVerified(user.id, new Date(clock()), address),
      (marked) => (marked ? [['email.verified', { userId: user.id }]] : []),
    );
    if (!verified) {
      await existingUser(users, user.id);
      // An administrator has changed the address in the meantime, which voids its codes.
      throw new CodeNotFoundError();
    }
    logger.info({ event: 'email_verified', userId: user.id, ip }, 'a user proved the address of the account');
    return { user: toServiceUser(verified) };
  }
}

/** @throws InvalidRequestError for a user without an address. */
function addressOf({ email }: StoredUser): string {
  if (email === null)
    throw new InvalidRequestError('The account has no address.', { reason: 'email_missing' });
  return email;
}
