/**
 * Sign-in with a mailed link (specification 1, 2.4, 4.3, 5.3): a signed, single-use token bound to the address.
 */
import { parseEmailAddress } from '../domain/email-address.js';
import { parseMetadata } from '../domain/metadata.js';
import { CodeExpiredError, TokenInvalidError } from '../errors/catalog.js';
import type { ServiceError } from '../errors/service-error.js';
import { magicLinkTemplate } from '../kit/email-templates.js';
import { checkInput, optional } from '../kit/input.js';
import { withToken } from '../kit/link-targets.js';
import { minutes } from '../kit/mailer.js';
import { absoluteUrl, durationMs, from, functionOption, senderOption } from '../kit/option-types.js';
import type { LinkTemplate } from '../kit/senders/email-sender.js';
import type { RequestContext, SignInResult } from '../kit/sign-in.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';

export const magicLinkOptions = (z: Zod) =>
  z.strictObject({
    /** Delivers the link. */
    sender: senderOption(z),
    /** Where the link points, usually the router's `/magic-link/verify`; the token is added as `token`. */
    baseUrl: absoluteUrl(z),
    /** Lifetime of a link in milliseconds. */
    ttlMs: durationMs(z).default(900_000),
    /** Makes the mail from `{ url, expiresInMinutes, appName }`. */
    template: functionOption<LinkTemplate>(z).default(() => magicLinkTemplate),
    /** Overrides the sender's From. */
    from: from(z),
  });

type Options = ReturnType<ReturnType<typeof magicLinkOptions>['parse']>;
type Tools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'events'
  | 'limiter'
  | 'linkTargets'
  | 'mailboxProof'
  | 'mailedTokens'
  | 'mailer'
  | 'signIn'
>;

export class MagicLinkProvider {
  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {}

  /**
   * Mails a link. Earlier links stay good until they expire or one of them is used on an unverified account.
   * @param input.redirectTo overrides `baseUrl` for this link; its origin must be allowed.
   * @returns the link itself, a secret: never answer a request with it.
   * @throws InvalidRequestError, RateLimitError; EmailSendError, and then the send is not charged.
   */
  async sendLink(
    input: { email: string; redirectTo?: string; metadata?: Record<string, unknown> },
    context: RequestContext = {},
  ): Promise<{ url: string; expiresAt: Date }> {
    const { accountLimits, events, limiter, linkTargets, mailedTokens, mailer } = this.tools;
    const { ttlMs, baseUrl, template } = this.options;
    checkInput(input);
    context = optional(context);
    const email = parseEmailAddress(input.email);
    const metadata = parseMetadata(input.metadata);
    const target = input.redirectTo === undefined ? baseUrl : linkTargets.check(input.redirectTo);
    return limiter.spend(await accountLimits.send('magic_link', email, context), async () => {
      const { token, expiresAt, discard } = await mailedTokens.issue('magic_link', email, ttlMs, {
        metadata,
      });
      const url = withToken(target, token);
      const render = () => template({ url, expiresInMinutes: minutes(ttlMs), appName: mailer.appName });
      await mailer.send('magic_link', email, this.options, render, discard);
      events.emit('link.sent', { purpose: 'magic_link' });
      return { url, expiresAt };
    });
  }

  /**
   * Signs in with the token of a link, which is used up by that.
   * @throws TokenInvalidError when it is malformed, forged or used; CodeExpiredError when it is too old.
   */
  async verify(token: string, context: RequestContext = {}): Promise<SignInResult> {
    const { mailboxProof, mailedTokens, signIn } = this.tools;
    context = optional(context);
    const opened = mailedTokens.open('magic_link', token);
    if (opened.status === 'invalid') throw new TokenInvalidError();
    const refuse = (error: ServiceError) => signIn.failed('magic_link', opened.subject, error, context);
    if (opened.status === 'expired') throw refuse(new CodeExpiredError());
    const seen = await mailboxProof.look(opened.subject);
    const consumed = await mailedTokens.consume('magic_link', opened.digest);
    if (!consumed || consumed.subject !== opened.subject) throw refuse(new TokenInvalidError());
    const { user, created } = await mailboxProof.resolve(opened.subject, consumed.metadata, context, seen);
    return signIn.complete('magic_link', user, created, context);
  }
}
