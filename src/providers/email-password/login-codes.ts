/**
 * What a login needs besides the password when the wrong passwords that a day allows for an address are used up: a code that is mailed to
 * it. Without the code no password is evaluated (docs/decisions/limits.md).
 */
import type { StoredUser } from '../../domain/user.js';
import { RateLimitError } from '../../errors/catalog.js';
import { because, reasonOf } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import { codeTemplate } from '../../core/mail/email-templates.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { Delivery } from '../../core/queues/background-work.js';
import { deliveryOf, unlessRefused } from './background-mails.js';
import type { EmailPasswordOptions, EmailPasswordTools } from './options.js';

/** Not that of sign-in codes: neither code replaces the other. */
const purpose = 'password_login';
/** Its mails and guesses count with those of sign-in codes. */
const countedAs = 'email_code';

/** What the limits of a login count for, and the owner if it has been read. */
export interface LoginSubject {
  subject: string;
  owner?: { user: StoredUser | null };
}

export class LoginCodes {
  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
  ) {}

  /**
   * Throws the error of a login again. If a limit has refused it and a code lifts the refusal, the error has the reason `code_required`,
   * and the code is mailed in the background: neither the error nor the time reveals whether the address has an account.
   */
  async refuse(error: unknown, login: LoginSubject, context: RequestContext): Promise<never> {
    const { accountLimits, background } = this.tools;
    if (!(error instanceof RateLimitError)) throw error;
    const { subject, owner } = login;
    if (!(await accountLimits.hasRefusedLogin(subject, context, owner))) throw error;
    background.start('password login code', () => this.prepare(login, context), context.ip);
    throw new RateLimitError(error.retryAfterMs, {
      reason: 'code_required',
      ...because(reasonOf(error) ?? 'unspecified'),
    });
  }

  /**
   * Consumes the code, which proves the mailbox and therefore resets the limits of its passwords.
   * @throws RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError.
   */
  async redeem({ subject, owner }: LoginSubject, code: string, context: RequestContext): Promise<void> {
    const { accountLimits, codes, signIn } = this.tools;
    const rateLimits = await accountLimits.forMailedCode(countedAs, subject, code, context);
    const resets = accountLimits.ofProvenMailbox(subject, context);
    const attempt = { method: 'password_login', subject, userId: owner?.user?.id, context };
    await codes
      .redeemCode(purpose, subject, code, context.ip, {
        rateLimits,
        resets,
        ...(!owner && { owner: subject }),
      })
      .catch((error: ServiceError) => Promise.reject(signIn.failed(attempt, error)));
  }

  /** Returns the function that sends the mail, if there is an account with a password. */
  private prepare({ subject, owner }: LoginSubject, context: RequestContext): Promise<Delivery | void> {
    const { accountLimits, codeMailer, codes, limiter, storage } = this.tools;
    return unlessRefused(async () => {
      const budgets = await accountLimits.forMail(countedAs, subject, context);
      const spent = await limiter.consume(budgets);
      try {
        const user = owner ? owner.user : await storage.users.findByEmail(subject);
        // Also without an account: guesses must get the same responses.
        const isLong = await accountLimits.needsLongCode(countedAs, subject, context);
        const issued = await codes.issueCode(purpose, subject, { isLong });
        // Without a password there is nothing that the code could help with.
        const to = user?.passwordHash === null ? null : user?.email;
        if (!to) return undefined;
        // If the mail cannot be sent, the code stays, because its absence would reveal the account.
        const kept = { ...issued, discard: async () => undefined };
        const mail = { ...this.options, template: codeTemplate };
        return deliveryOf(spent, () => codeMailer.sendCode(purpose, to, kept, mail, { user, context }));
      } catch (error) {
        await spent.refund();
        throw error;
      }
    });
  }
}
