/**
 * Sign-in with a mailed link (specification 1, 2.4, 4.3, 5.3): a signed, single-use token bound to the address. With `withCode` the
 * mail also contains a code; with `confirmElsewhere` only the browser that asked signs in without a confirmation.
 */
import type * as z from 'zod';
import type { CodeFormat } from '../../domain/one-time-code.js';
import type { StoredUser } from '../../domain/user.js';
import { maskEmailAddress, parseEmailAddress } from '../../domain/email-address.js';
import { parseMetadata } from '../../domain/metadata.js';
import { CodeExpiredError, ProviderNotConfiguredError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { signInWithMailedCode } from '../../core/sign-ups/mailed-code-sign-in.js';
import { parseInput } from '../../core/support/input.js';
import { magicLinkTemplate } from '../../core/mail/email-templates.js';
import { withToken } from '../../core/support/link-targets.js';
import { minutes } from '../../core/mail/mailer.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import type { Toolkit } from '../../core/toolkit.js';
import { openLinkInput, sendLinkInput, verifyLinkCodeInput, type magicLinkOptions } from './options.js';

/** A sent link. Both the link and `browserToken` are secrets: never include them in the body of a response. */
export interface SentLink extends CodeFormat {
  url: string;
  expiresAt: Date;
  /** Expiry of the code in the same mail. Present with `withCode`. */
  codeExpiresAt?: Date;
  /** Identifies the browser that asked, which keeps it in a cookie: `rememberLinkBrowser`. Present with `confirmElsewhere`. */
  browserToken?: string;
}

/** A link that was opened in another browser than the one that asked for it. */
export interface LinkToConfirm {
  /** The masked address that the link signs in. */
  email: string;
  appName: string;
}

/** `signedIn`, or `unconfirmed` if nothing has happened and the user must confirm first. */
export type OpenedLink =
  { signedIn: SignInResult; unconfirmed?: undefined } | { unconfirmed: LinkToConfirm; signedIn?: undefined };

type Options = z.output<ReturnType<typeof magicLinkOptions>>;
type Tools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'challenges'
  | 'clock'
  | 'codes'
  | 'events'
  | 'limiter'
  | 'linkBrowsers'
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

  /** @throws ProviderNotConfiguredError unless `withCode`. */
  assertCodeEnabled(): void {
    if (!this.options.withCode) throw new ProviderNotConfiguredError('magicLink.withCode');
  }

  /** @throws ProviderNotConfiguredError unless `confirmElsewhere`. */
  assertConfirmationEnabled(): void {
    if (!this.options.confirmElsewhere) throw new ProviderNotConfiguredError('magicLink.confirmElsewhere');
  }

  /**
   * Mails a link, with `withCode` also a code, which replaces the code of an earlier mail. Earlier links remain valid until they expire or
   * one of them is used on an unverified account. An address without an account that may not sign up gets a mail that says so instead;
   * neither the response nor the time reveals which mail was sent.
   * @param input.redirectTo overrides `baseUrl` for this link; its origin must be allowed.
   * @param input.remember false adds `remember=false` to the link: the browser that opens it forgets the session when it closes.
   * @returns the link itself, a secret: never include it in a response.
   * @throws InvalidRequestError, RateLimitError, ChallengeRequiredError; EmailSendError; a failed send is not counted.
   */
  async sendLink(
    input: z.infer<ReturnType<typeof sendLinkInput>>,
    context: RequestContext = {},
  ): Promise<SentLink> {
    const { accountLimits, challenges, limiter, linkTargets } = this.tools;
    const { redirectTo, remember, ...sent } = parseInput(sendLinkInput, input);
    context = parseContext(context);
    const email = parseEmailAddress(sent.email);
    const metadata = parseMetadata(sent.metadata);
    const target = redirectTo === undefined ? this.options.baseUrl : linkTargets.check(redirectTo);
    await challenges.assertSolved('send', sent.challengeSolution, context.ip, () =>
      accountLimits.isOwner(email, context),
    );
    const limits = await accountLimits.forMail('magic_link', email, context);
    const { spent, user } = await limiter.consumeAndFindUser(limits, email);
    try {
      return await this.issueAndMail(email, metadata, { target, remember }, { user, context });
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  /**
   * Signs in with the token of a link and consumes it. Calling this method is the confirmation: a page that calls it when it is opened
   * lets mail scanners use the link. `openLink` asks for a confirmation.
   * @throws TokenInvalidError if it is malformed, forged or already used; CodeExpiredError if it has expired;
   * SignUpDisabledError if the address has no account and may not sign up.
   */
  async verify(token: string, context: RequestContext = {}): Promise<SignInResult> {
    context = parseContext(context);
    return this.attempt(context, () => this.redeem(token, context));
  }

  private async redeem(token: string, context: RequestContext): Promise<SignInResult> {
    const { accountLimits, mailboxProof, mailedTokens, signIn } = this.tools;
    const { subject, digest } = this.opened(token, context);
    const before = await mailboxProof.findBeforeProof(subject);
    const consumed = await mailedTokens.consumeToken('magic_link', digest);
    if (!consumed || consumed.subject !== subject) {
      const error = new TokenInvalidError(because('link_invalid'));
      throw signIn.failed({ method: 'magic_link', subject, userId: before?.id, context }, error);
    }
    const signUp = { method: 'magic_link', metadata: consumed.metadata };
    const { user, created, ...started } = await mailboxProof.findOrCreateUser(subject, signUp, context, {
      before,
    });
    await accountLimits.reset(subject, context);
    return signIn.completeSignIn('magic_link', user, created, context, started);
  }

  /**
   * Signs in with a link as `verify` does, unless `confirmElsewhere` requires a confirmation that is missing: then nothing changes and the
   * link remains valid.
   * @param input.browserTokens the tokens that the browser keeps of the links that it asked for.
   * @param input.confirmed whether the user has confirmed the sign-in in this browser.
   * @throws the errors of `verify`, also before a confirmation.
   */
  async openLink(
    input: z.infer<ReturnType<typeof openLinkInput>>,
    context: RequestContext = {},
  ): Promise<OpenedLink> {
    const opening = parseInput(openLinkInput, input);
    context = parseContext(context);
    return this.attempt(context, () => this.openOrConfirm(opening, context));
  }

  private async openOrConfirm(
    { token, browserTokens = [], confirmed = false }: z.output<ReturnType<typeof openLinkInput>>,
    context: RequestContext,
  ): Promise<OpenedLink> {
    const { linkBrowsers, mailedTokens, mailer, signIn } = this.tools;
    const { confirmElsewhere } = this.options;
    if (confirmElsewhere && !confirmed) {
      const { subject, digest } = this.opened(token, context);
      if (!linkBrowsers.isKnown(digest, browserTokens)) {
        // Who has the link would learn it with the button. Only links of this service cost the query.
        if (!(await mailedTokens.findToken('magic_link', digest)))
          throw signIn.failed(
            { method: 'magic_link', subject, context },
            new TokenInvalidError(because('link_invalid')),
          );
        return { unconfirmed: { email: maskEmailAddress(subject), appName: mailer.appName } };
      }
    }
    return { signedIn: await this.redeem(token, context) };
  }

  /**
   * Signs in with the code that was mailed with a link, and ends both. Wrong codes count together with those of `emailCode`.
   * @throws ProviderNotConfiguredError unless `withCode`; InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError,
   * MaxAttemptsError, CodeInvalidError; SignUpDisabledError if the address has no account and may not sign up.
   */
  async verifyCode(
    input: z.infer<ReturnType<typeof verifyLinkCodeInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { email: address, code } = parseInput(verifyLinkCodeInput, input);
    context = parseContext(context);
    this.assertCodeEnabled();
    const email = parseEmailAddress(address);
    return signInWithMailedCode(this.tools, 'magic_link', { email, code }, context);
  }

  /** Anyone can send a forged link: it is recorded, and neither logged nor an event. */
  private attempt<Result>(context: RequestContext, work: () => Promise<Result>): Promise<Result> {
    return this.tools.signIn.attempts.run({ method: 'magic_link', subject: '', context }, work);
  }

  /** Checks the token without a query. @throws TokenInvalidError, CodeExpiredError */
  private opened(token: string, context: RequestContext): { subject: string; digest: string } {
    const opened = this.tools.mailedTokens.openToken('magic_link', token);
    if (opened.status === 'invalid') throw new TokenInvalidError(because('link_invalid'));
    if (opened.status === 'valid') return opened;
    throw this.tools.signIn.failed(
      { method: 'magic_link', subject: opened.subject, context },
      new CodeExpiredError(because('link_expired')),
    );
  }

  private async issueAndMail(
    email: string,
    metadata: Record<string, unknown>,
    { target, remember }: { target: string; remember: boolean | undefined },
    reader: { user: StoredUser | null; context: RequestContext },
  ): Promise<SentLink> {
    const { accountLimits, clock, codes, events, linkBrowsers, mailedTokens, mailer, signUpPolicy } =
      this.tools;
    const { ttlMs, template, withCode, confirmElsewhere } = this.options;
    const signUp = { method: 'magic_link', email, emailVerified: true, metadata };
    const isRefused = await signUpPolicy.refusesMail(signUp, reader.context.ip);
    const link = await mailedTokens.issueToken('magic_link', email, ttlMs, { metadata });
    // Also for an address that is refused: guesses must get the same responses.
    const isLong = withCode && (await accountLimits.needsLongCode('email_code', email, reader.context));
    const code = withCode
      ? await codes.issueCode('magic_link', email, { metadata, link, isLong })
      : undefined;
    const discard = async () => {
      await link.discard();
      await code?.discard();
    };
    const url = withToken(target, link.token, remember === false ? { remember: 'false' } : {});
    if (isRefused) {
      await mailer.sendMail(
        'sign_up_refused',
        email,
        this.options,
        signUpPolicy.refusal(mailer),
        reader,
        discard,
      );
    } else {
      const linked = {
        url,
        expiresInMinutes: minutes(ttlMs),
        ...(code && { code: code.code, codeExpiresInMinutes: minutes(code.expiresAt.getTime() - clock()) }),
      };
      const render = signUpPolicy.admission(
        mailer,
        (values) => template({ ...values, ...linked }),
        (values) => magicLinkTemplate({ ...values, ...linked }),
      );
      await mailer.sendMail('magic_link', email, this.options, render, reader, discard);
      events.emit('link.sent', { purpose: 'magic_link' });
      if (code) events.emit('code.sent', { purpose: 'magic_link' });
    }
    return {
      url,
      expiresAt: link.expiresAt,
      ...(code && { codeExpiresAt: code.expiresAt, ...code.format }),
      ...(confirmElsewhere && { browserToken: linkBrowsers.issueToken(link.digest) }),
    };
  }
}
