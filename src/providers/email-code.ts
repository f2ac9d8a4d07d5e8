/**
 * Sign-in with a one-time code by email (specification 1, 2.4, 4.3). The code proves the mailbox: its user is found,
 * created, or claimed.
 */
import { parseEmailAddress } from '../domain/email-address.js';
import { parseMetadata } from '../domain/metadata.js';
import type { ServiceError } from '../errors/service-error.js';
import { sendBudgets } from '../kit/budgets.js';
import { codeTemplate } from '../kit/email-templates.js';
import { checkInput, optional } from '../kit/input.js';
import { minutes } from '../kit/mailer.js';
import { from, functionOption, senderOption } from '../kit/option-types.js';
import type { CodeTemplate } from '../kit/senders/email-sender.js';
import type { RequestContext, SignInResult } from '../kit/sign-in.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';

export const emailCodeOptions = (z: Zod) =>
  z.strictObject({
    /** Delivers the code. */
    sender: senderOption(z),
    /** Overrides the sender's From. */
    from: from(z),
    /** Makes the mail from `{ code, expiresInMinutes, appName }`. */
    template: functionOption<CodeTemplate>(z).default(() => codeTemplate),
  });

type Options = ReturnType<ReturnType<typeof emailCodeOptions>['parse']>;
type Tools = Pick<
  Toolkit,
  'clock' | 'codes' | 'events' | 'limiter' | 'limits' | 'mailboxProof' | 'mailer' | 'signIn'
>;

export class EmailCodeProvider {
  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {}

  /**
   * Mails a new code in place of the old one.
   * @param input.metadata for the user, should this code create one.
   * @throws InvalidRequestError, RateLimitError; EmailSendError, and then the send is not charged.
   */
  async sendCode(
    input: { email: string; metadata?: Record<string, unknown> },
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date }> {
    const { clock, codes, events, limiter, limits, mailer } = this.tools;
    checkInput(input);
    const { ip } = optional(context);
    const email = parseEmailAddress(input.email);
    const metadata = parseMetadata(input.metadata);
    return limiter.spend(sendBudgets(limits.send, 'email_code', email, ip), async () => {
      const { code, expiresAt, discard } = await codes.issue('email_code', email, metadata);
      const expiresInMinutes = minutes(expiresAt.getTime() - clock());
      const render = () => this.options.template({ code, expiresInMinutes, appName: mailer.appName });
      await mailer.send('email_code', email, this.options, render, discard);
      events.emit('code.sent', { purpose: 'email_code' });
      return { expiresAt };
    });
  }

  /**
   * Signs in with a code, which is used up by that.
   * @throws InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError.
   */
  async verify(input: { email: string; code: string }, context: RequestContext = {}): Promise<SignInResult> {
    const { codes, mailboxProof, signIn } = this.tools;
    checkInput(input);
    context = optional(context);
    const email = parseEmailAddress(input.email);
    const seen = await mailboxProof.look(email);
    const metadata = await codes
      .redeem('email_code', email, input.code, context.ip)
      .catch((error: ServiceError) => Promise.reject(signIn.failed('email_code', email, error, context)));
    const { user, created } = await mailboxProof.resolve(email, metadata, context, seen);
    return signIn.complete('email_code', user, created, context);
  }
}
