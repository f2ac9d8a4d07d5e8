/**
 * Sign-in with a one-time code by text message (specification 4.3, `phoneOtp`; docs/decisions/phone-numbers.md). The number is an
 * identity of its user; it is never used to reset a password.
 */
import * as z from 'zod';
import { uuidV7 } from '../crypto/random.js';
import { phoneProvider, type ServiceIdentity } from '../domain/identity.js';
import { parseMetadata } from '../domain/metadata.js';
import { parsePhoneNumber, type PhoneNumber } from '../domain/phone-number.js';
import { InternalError, InvalidRequestError } from '../errors/catalog.js';
import type { StoredUser } from '../domain/user.js';
import type { ServiceError } from '../errors/service-error.js';
import { callSync } from '../core/support/call-sync.js';
import type { ProvenUser } from '../core/mail/mailbox-proof.js';
import { minutes } from '../core/mail/mailer.js';
import { optional, parseInput } from '../core/support/input.js';
import { metadataInput } from '../core/support/input-types.js';
import { durationMs, functionOption, hasMethod } from '../core/support/option-types.js';
import type { SmsSender, SmsTemplate } from '../core/mail/senders/sms-sender.js';
import { stored, type RequestContext, type SignInResult } from '../core/sessions/sign-in.js';
import type { Toolkit } from '../core/toolkit.js';
import { lazily } from '../runtime/load.js';

export const phoneOtpOptions = z
  .strictObject({
    sender: z
      .custom<SmsSender>(
        (value) => hasMethod(value, 'send'),
        'must be an SMS sender, an object with send({ to, body }): consoleSmsSender(), for example',
      )
      .describe('Delivers the code.'),
    template: functionOption<SmsTemplate>()
      .default(() => phoneCodeText)
      .meta({
        description: 'Renders the text message from `{ code, expiresInMinutes, appName }`.',
        defaultText: 'the built-in text message',
      }),
    ttlMs: durationMs()
      .default(5 * 60_000)
      .describe('Lifetime of a code in milliseconds.'),
    allowCountry: functionOption<(iso2: string) => boolean>()
      .optional()
      .describe(
        'Whether a country (ISO 3166-1, two letters) may receive text messages. If absent, all may. Text messages cost money: allow only the countries you serve.',
      ),
    maxPerCountry: z
      .number()
      .int()
      .min(1)
      .default(1000)
      .describe(
        'Maximum sends to one country per `rateLimit.windowMs`: it limits what a flood of made-up numbers can cost.',
      ),
  })
  .meta({
    title: 'Phone codes',
    description: 'Sign-in with a code by text message: [phone codes](providers/phone-otp.md).',
  });

export const sendPhoneCodeInput = lazily(() => z.object({ phone: z.string(), metadata: metadataInput() }));
export const verifyPhoneCodeInput = lazily(() => z.object({ phone: z.string(), code: z.string() }));

type Options = z.output<typeof phoneOtpOptions>;
type Tools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'clock'
  | 'codes'
  | 'events'
  | 'limiter'
  | 'signIn'
  | 'signUpPolicy'
  | 'storage'
  | 'smsMailer'
>;

export class PhoneOtpProvider {
  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {}

  /**
   * Sends a new code by text message, which replaces the previous one.
   * @param input.phone an international number; spaces and punctuation are dropped.
   * @param input.metadata for the user, if this code creates one.
   * @throws InvalidRequestError, also for a country that `allowCountry` refuses; RateLimitError; SmsSendError; a failed
   * send is not counted; InternalError if `allowCountry` fails.
   */
  async sendCode(
    input: z.infer<ReturnType<typeof sendPhoneCodeInput>>,
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date }> {
    const { accountLimits, clock, codes, events, limiter, smsMailer } = this.tools;
    const { sender, template, ttlMs, maxPerCountry } = this.options;
    const sent = parseInput(sendPhoneCodeInput, input);
    context = optional(context);
    const number = this.parse(sent.phone);
    const { e164 } = number;
    const metadata = parseMetadata(sent.metadata);
    const recipient = { number, find: () => this.ownerOf(e164) };
    const budgets = await accountLimits.forSms(recipient, maxPerCountry, context);
    return limiter.withLimits(budgets, async () => {
      const { code, expiresAt, discard } = await codes.issueCode('phone_code', e164, { metadata, ttlMs });
      const expiresInMinutes = minutes(expiresAt.getTime() - clock());
      const render = () => template({ code, expiresInMinutes, appName: smsMailer.appName });
      await smsMailer.sendSms(e164, sender, render, discard);
      events.emit('code.sent', { purpose: 'phone_code' });
      return { expiresAt };
    });
  }

  /**
   * Signs in with a code and consumes it. Creates a user with `email` null for a number that has no account.
   * @throws InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError;
   * SignUpDisabledError if the number has no account and may not sign up.
   */
  async verify(
    input: z.infer<ReturnType<typeof verifyPhoneCodeInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { accountLimits, codes, signIn } = this.tools;
    const { phone, code } = parseInput(verifyPhoneCodeInput, input);
    context = optional(context);
    const number = parsePhoneNumber(phone);
    const { e164 } = number;
    const recipient = { number, find: () => this.ownerOf(e164) };
    const rateLimits = await accountLimits.forSmsCode('phone_code', recipient, context);
    const { metadata, owner } = await codes
      .redeemCode('phone_code', e164, code, context.ip, { rateLimits, owner: recipient.find })
      .catch((error: ServiceError) => Promise.reject(signIn.failed('phone_code', e164, error, context)));
    const { user, created } = owner
      ? { user: owner, created: false }
      : await this.resolve(e164, metadata, context.ip);
    return signIn.completeSignIn('phone_code', user, created, context);
  }

  private ownerOf(e164: string): Promise<StoredUser | null> {
    return this.tools.storage.identities.findUser(phoneProvider, e164);
  }

  private parse(phone: string): PhoneNumber {
    const number = parsePhoneNumber(phone);
    if (!this.isAllowed(number.country))
      throw new InvalidRequestError('Numbers of this country are not accepted.');
    return number;
  }

  /** @throws InternalError if the application's rule throws or returns no boolean: then nothing is sent. */
  private isAllowed(country: string): boolean {
    const { allowCountry } = this.options;
    if (!allowCountry) return true;
    let answer: unknown;
    try {
      answer = callSync(() => allowCountry(country));
    } catch (error) {
      throw new InternalError(error, 'allowCountry failed; nothing was sent.');
    }
    if (typeof answer === 'boolean') return answer;
    throw new InternalError(answer, 'allowCountry must return true or false; nothing was sent.');
  }

  private async resolve(
    e164: string,
    metadata: Record<string, unknown>,
    ip: string | undefined,
  ): Promise<ProvenUser> {
    const { clock, signUpPolicy, storage } = this.tools;
    const signUp = { method: 'phone_code', email: null, emailVerified: false, phone: e164, metadata };
    // A round fails only if a parallel sign-in with the same number wins; the next round finds its user.
    for (let round = 0; round < 5; round += 1) {
      const user = await signUpPolicy.newUser(signUp, ip);
      const identity: ServiceIdentity = {
        id: uuidV7(clock()),
        userId: user.id,
        provider: phoneProvider,
        providerAccountId: e164,
        createdAt: new Date(clock()),
      };
      if (await storage.identities.insertWithUser(identity, user))
        return { user: stored(user), created: true };
      const found = await this.ownerOf(e164);
      if (found) return { user: found, created: false };
    }
    throw new InternalError(new Error('The owner of the number changed on every attempt.'));
  }
}

function phoneCodeText({ code, expiresInMinutes, appName }: Parameters<SmsTemplate>[0]): string {
  const unit = expiresInMinutes === 1 ? 'minute' : 'minutes';
  return `${code} is your code for ${appName}. It expires in ${expiresInMinutes} ${unit}. Don't share this code with anyone.`;
}
