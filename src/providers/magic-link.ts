/**
 * Sign-in with a mailed link (specification 1, 2.4, 4.3, 5.3): a signed, single-use token bound to the address.
 */
import * as z from 'zod';
import { parseEmailAddress } from '../domain/email-address.js';
import { parseMetadata } from '../domain/metadata.js';
import { CodeExpiredError, TokenInvalidError } from '../errors/catalog.js';
import type { ServiceError } from '../errors/service-error.js';
import { magicLinkTemplate } from '../core/mail/email-templates.js';
import { optional, parseInput } from '../core/support/input.js';
import { metadataInput } from '../core/support/input-types.js';
import { withToken } from '../core/mail/link-targets.js';
import { minutes } from '../core/mail/mailer.js';
import {
  absoluteUrl,
  durationMs,
  fromOption,
  functionOption,
  senderOption,
} from '../core/support/option-types.js';
import type { LinkTemplate } from '../core/mail/senders/email-sender.js';
import type { RequestContext, SignInResult } from '../core/sessions/sign-in.js';
import type { Toolkit } from '../core/toolkit.js';
import { lazily } from '../runtime/load.js';

export const magicLinkOptions = z
  .strictObject({
    sender: senderOption().describe('Delivers the link.'),
    baseUrl: absoluteUrl().describe(
      "The URL of the link, usually the router's `/magic-link/verify`; the token is added as `token`.",
    ),
    ttlMs: durationMs().default(900_000).describe('Lifetime of a link in milliseconds.'),
    template: functionOption<LinkTemplate>()
      .default(() => magicLinkTemplate)
      .meta({
        description: 'Renders the mail from `{ url, expiresInMinutes, appName }`.',
        defaultText: 'the built-in mail',
      }),
    from: fromOption(),
  })
  .meta({
    title: 'Magic link',
    description: 'Sign-in with a link by email: [magic link](providers/magic-link.md).',
  });

export const sendLinkInput = lazily(() =>
  z.object({
    email: z.string(),
    redirectTo: z.string().optional(),
    metadata: metadataInput(),
  }),
);

type Options = z.output<typeof magicLinkOptions>;
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
  | 'signUpPolicy'
>;

export class MagicLinkProvider {
  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {}

  /**
   * Mails a link. Earlier links remain valid until they expire or one of them is used on an unverified account. An address without an
   * account that may not sign up gets a mail that says so instead; neither the response nor the time reveals which mail was sent.
   * @param input.redirectTo overrides `baseUrl` for this link; its origin must be allowed.
   * @returns the link itself, a secret: never include it in a response.
   * @throws InvalidRequestError, RateLimitError; EmailSendError; a failed send is not counted.
   */
  async sendLink(
    input: z.infer<ReturnType<typeof sendLinkInput>>,
    context: RequestContext = {},
  ): Promise<{ url: string; expiresAt: Date }> {
    const { accountLimits, events, limiter, linkTargets, mailedTokens, mailer, signUpPolicy } = this.tools;
    const { ttlMs, baseUrl, template } = this.options;
    const { redirectTo, ...sent } = parseInput(sendLinkInput, input);
    context = optional(context);
    const email = parseEmailAddress(sent.email);
    const metadata = parseMetadata(sent.metadata);
    const target = redirectTo === undefined ? baseUrl : linkTargets.check(redirectTo);
    return limiter.withLimits(await accountLimits.forMail('magic_link', email, context), async () => {
      const signUp = { method: 'magic_link', email, emailVerified: true, metadata };
      const isRefused = await signUpPolicy.refusesMail(signUp, context.ip);
      const { token, expiresAt, discard } = await mailedTokens.issueToken('magic_link', email, ttlMs, {
        metadata,
      });
      const url = withToken(target, token);
      const render = () => template({ url, expiresInMinutes: minutes(ttlMs), appName: mailer.appName });
      if (isRefused) {
        const refusal = () => signUpPolicy.refusal(mailer.appName);
        await mailer.sendMail('sign_up_refused', email, this.options, refusal, discard);
      } else {
        await mailer.sendMail('magic_link', email, this.options, render, discard);
        events.emit('link.sent', { purpose: 'magic_link' });
      }
      return { url, expiresAt };
    });
  }

  /**
   * Signs in with the token of a link and consumes it.
   * @throws TokenInvalidError if it is malformed, forged or already used; CodeExpiredError if it has expired;
   * SignUpDisabledError if the address has no account and may not sign up.
   */
  async verify(token: string, context: RequestContext = {}): Promise<SignInResult> {
    const { accountLimits, mailboxProof, mailedTokens, signIn } = this.tools;
    context = optional(context);
    const opened = mailedTokens.openToken('magic_link', token);
    if (opened.status === 'invalid') throw new TokenInvalidError();
    const refuse = (error: ServiceError) => signIn.failed('magic_link', opened.subject, error, context);
    if (opened.status === 'expired') throw refuse(new CodeExpiredError());
    const seen = await mailboxProof.findBeforeProof(opened.subject);
    const consumed = await mailedTokens.consumeToken('magic_link', opened.digest);
    if (!consumed || consumed.subject !== opened.subject) throw refuse(new TokenInvalidError());
    const { user, created, ...started } = await mailboxProof.findOrCreateUser(
      opened.subject,
      { method: 'magic_link', metadata: consumed.metadata },
      context,
      { before: seen },
    );
    await accountLimits.reset(opened.subject, context);
    return signIn.completeSignIn('magic_link', user, created, context, started);
  }
}
