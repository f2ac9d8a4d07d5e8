/** The mails of password resets: with a link, a code, or both (docs/decisions/reset-binding.md). */
import { parseEmailAddress } from '../../domain/email-address.js';
import type { StoredUser } from '../../domain/user.js';
import type { ConsumedLimits } from '../../core/limits/consumed-limits.js';
import { withToken } from '../../core/support/link-targets.js';
import type { Reader, Render } from '../../core/mail/languages.js';
import { minutes } from '../../core/mail/mailer.js';
import { resetBinding, resetOfCode } from '../../core/mail/reset-links.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { Delivery } from '../../core/queues/background-work.js';
import { deliveryOf, unlessRefused } from './background-mails.js';
import type { EmailPasswordOptions, EmailPasswordTools } from './options.js';

/** How long a link or a code of a reset is valid. */
export const resetTtlMs = 30 * 60_000;

/** A mail that is ready to be sent. */
interface ResetMail {
  render: Render;
  reader: Reader;
  /** Voids the link and the code. */
  discard: () => Promise<void>;
}

export class ResetMails {
  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
  ) {}

  /**
   * Returns the function that sends the mail, if the address has an account.
   * @param target the page of the link. Undefined if the mail has none.
   */
  prepare(address: string, target: string | undefined, context: RequestContext): Promise<Delivery | void> {
    const { accountLimits, legacyUsers, limiter, storage } = this.tools;
    return unlessRefused(async () => {
      const email = parseEmailAddress(address);
      const budgets = await accountLimits.forMail('password_reset', email, context);
      const spent = await limiter.consume(budgets);
      try {
        const existing = await storage.users.findByEmail(email);
        const isBrought = !existing && (await legacyUsers.bring({ email }));
        const user = isBrought ? await storage.users.findByEmail(email) : existing;
        if (user) return this.delivery(email, await this.issue(user, email, target, context), spent);
        // Guesses at a code get the same responses, whether or not the address has an account.
        if (this.options.reset !== 'link') await this.issueCode(email, {}, context);
        return undefined;
      } catch (error) {
        await spent.refund();
        throw error;
      }
    });
  }

  /** As `prepare`, without limits, for a user who has just proven the mailbox. */
  async prepareFor(
    user: StoredUser,
    email: string,
    target: string | undefined,
    context: RequestContext,
  ): Promise<Delivery> {
    const mail = await this.issue(user, email, target, context);
    // The mailer has logged a failed send.
    return async () => void (await unlessRefused(() => this.send(email, mail)));
  }

  private delivery(email: string, mail: ResetMail, spent: ConsumedLimits): Delivery {
    return deliveryOf(spent, () => this.send(email, mail));
  }

  private async send(email: string, { render, reader, discard }: ResetMail): Promise<void> {
    const { events, mailer } = this.tools;
    const { reset } = this.options;
    const purpose = 'password_reset';
    await mailer.sendMail('password_reset', email, this.options, render, reader, discard);
    if (reset !== 'code') events.emit('link.sent', { purpose });
    if (reset !== 'link') events.emit('code.sent', { purpose });
  }

  private async issue(
    user: StoredUser,
    email: string,
    target: string | undefined,
    context: RequestContext,
  ): Promise<ResetMail> {
    const { keys, mailedTokens } = this.tools;
    const { reset, resetCodeTemplate, resetTemplate } = this.options;
    // Also for a code alone: the token decides for which account, and for which state of it, the code is valid.
    const binding = resetBinding(user, email);
    const issued = await mailedTokens.issueToken('password_reset', email, resetTtlMs, binding);
    const { token, digest, discard } = issued;
    const expiresInMinutes = minutes(resetTtlMs);
    const mail = { reader: { user, context }, discard };
    const url = target === undefined ? undefined : withToken(target, token);
    if (reset === 'link') {
      return { ...mail, render: (values) => resetTemplate({ ...values, url: url ?? '', expiresInMinutes }) };
    }
    const code = await this.issueCode(email, resetOfCode(keys, user, digest), context);
    const details = { code, expiresInMinutes, ...(url !== undefined && { url }) };
    // If the mail cannot be sent, the code stays, because its absence would reveal the account. Without its token it is of no use.
    return { ...mail, render: (values) => resetCodeTemplate({ ...values, ...details }) };
  }

  private async issueCode(
    email: string,
    metadata: Record<string, unknown>,
    context: RequestContext,
  ): Promise<string> {
    const { accountLimits, codes } = this.tools;
    const isLong = await accountLimits.needsLongCode('password_reset', email, context);
    const options = { metadata, ttlMs: resetTtlMs, isLong };
    const { code } = await codes.issueCode('password_reset', email, options);
    return code;
  }
}
