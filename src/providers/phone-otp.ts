/**
 * Sign-in with a one-time code by text message (specification 4.3, `phoneOtp`; docs/decisions/phone-numbers.md). The number is an
 * identity of its user; it is never used to reset a password.
 */
import { uuidV7 } from '../crypto/random.js';
import { phoneProvider, type ServiceIdentity } from '../domain/identity.js';
import { parseMetadata } from '../domain/metadata.js';
import { parsePhoneNumber, type PhoneNumber } from '../domain/phone-number.js';
import { InternalError, InvalidRequestError } from '../errors/catalog.js';
import type { StoredUser } from '../domain/user.js';
import type { ServiceError } from '../errors/service-error.js';
import { atOnce } from '../kit/at-once.js';
import { stored, type ProvenUser } from '../kit/mailbox-proof.js';
import { minutes } from '../kit/mailer.js';
import { checkInput, optional } from '../kit/input.js';
import { durationMs, functionOption, hasMethod } from '../kit/option-types.js';
import type { SmsSender, SmsTemplate } from '../kit/senders/sms-sender.js';
import type { RequestContext, SignInResult } from '../kit/sign-in.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';

export const phoneOtpOptions = (z: Zod) =>
  z.strictObject({
    /** Delivers the code. */
    sender: z.custom<SmsSender>(
      (value) => hasMethod(value, 'send'),
      'must be an SMS sender, an object with send({ to, body }): consoleSmsSender(), for example',
    ),
    /** Makes the text from `{ code, expiresInMinutes, appName }`. */
    template: functionOption<SmsTemplate>(z).default(() => phoneCodeText),
    /** Lifetime of a code in milliseconds. */
    ttlMs: durationMs(z).default(5 * 60_000),
    /** Which countries (ISO 3166-1, two letters) may be texted; all of them without it. Texts cost money: name yours. */
    allowCountry: functionOption<(iso2: string) => boolean>(z).optional(),
    /** Sends to one country in a `rateLimit.windowMs`: what a flood of made-up numbers can cost at most. */
    maxPerCountry: z.number().int().min(1).default(1000),
  });

type Options = ReturnType<ReturnType<typeof phoneOtpOptions>['parse']>;
type Tools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'clock'
  | 'codes'
  | 'events'
  | 'limiter'
  | 'mailboxProof'
  | 'signIn'
  | 'storage'
  | 'texter'
>;

export class PhoneOtpProvider {
  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {}

  /**
   * Texts a new code in place of the old one.
   * @param input.phone an international number; spaces and punctuation are dropped.
   * @param input.metadata for the user, should this code create one.
   * @throws InvalidRequestError, also for a country that `allowCountry` refuses; RateLimitError; SmsSendError, and then the
   * send is not charged; InternalError where `allowCountry` fails.
   */
  async sendCode(
    input: { phone: string; metadata?: Record<string, unknown> },
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date }> {
    const { accountLimits, clock, codes, events, limiter, texter } = this.tools;
    const { sender, template, ttlMs, maxPerCountry } = this.options;
    checkInput(input);
    context = optional(context);
    const number = this.parse(input.phone);
    const { e164 } = number;
    const metadata = parseMetadata(input.metadata);
    const recipient = { number, find: () => this.ownerOf(e164) };
    const budgets = await accountLimits.text(recipient, maxPerCountry, context);
    return limiter.spend(budgets, async () => {
      const { code, expiresAt, discard } = await codes.issue('phone_code', e164, { metadata, ttlMs });
      const expiresInMinutes = minutes(expiresAt.getTime() - clock());
      const render = () => template({ code, expiresInMinutes, appName: texter.appName });
      await texter.send(e164, sender, render, discard);
      events.emit('code.sent', { purpose: 'phone_code' });
      return { expiresAt };
    });
  }

  /**
   * Signs in with a code, which is used up by that. A number that nobody has gets a user, with `email` null.
   * @throws InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError.
   */
  async verify(input: { phone: string; code: string }, context: RequestContext = {}): Promise<SignInResult> {
    const { accountLimits, codes, signIn } = this.tools;
    checkInput(input);
    context = optional(context);
    const number = parsePhoneNumber(input.phone);
    const { e164 } = number;
    const recipient = { number, find: () => this.ownerOf(e164) };
    const budgets = await accountLimits.guessByText('phone_code', recipient, context);
    let seen = null as StoredUser | null;
    // Before the code is checked: a revocation in between makes the session that follows void.
    const before = async () => void (seen = await this.ownerOf(e164));
    const metadata = await codes
      .redeem('phone_code', e164, input.code, context.ip, { budgets, before })
      .catch((error: ServiceError) => Promise.reject(signIn.failed('phone_code', e164, error, context)));
    const { user, created } = seen ? { user: seen, created: false } : await this.resolve(e164, metadata);
    return signIn.complete('phone_code', user, created, context);
  }

  private ownerOf(e164: string): Promise<StoredUser | null> {
    return this.tools.storage.identities.findUser(phoneProvider, e164);
  }

  private parse(phone: unknown): PhoneNumber {
    const number = parsePhoneNumber(phone);
    if (!this.isAllowed(number.country))
      throw new InvalidRequestError('Numbers of this country are not accepted.');
    return number;
  }

  /** @throws InternalError where the application's own rule throws or gives no answer: then nothing is sent. */
  private isAllowed(country: string): boolean {
    const { allowCountry } = this.options;
    if (!allowCountry) return true;
    let answer: unknown;
    try {
      answer = atOnce(() => allowCountry(country));
    } catch (error) {
      throw new InternalError(error, 'allowCountry failed; nothing was sent.');
    }
    if (typeof answer === 'boolean') return answer;
    throw new InternalError(answer, 'allowCountry must return true or false; nothing was sent.');
  }

  private async resolve(e164: string, metadata: Record<string, unknown>): Promise<ProvenUser> {
    const { clock, mailboxProof, storage } = this.tools;
    // A round is lost only to a parallel sign-in with the same number, whose user the next round finds.
    for (let round = 0; round < 5; round += 1) {
      const user = mailboxProof.newUser({ email: null, emailVerified: false, metadata });
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
    throw new InternalError(new Error('The owner of the number changed with every look at it.'));
  }
}

function phoneCodeText({ code, expiresInMinutes, appName }: Parameters<SmsTemplate>[0]): string {
  const unit = expiresInMinutes === 1 ? 'minute' : 'minutes';
  return `${code} is your code for ${appName}. It expires in ${expiresInMinutes} ${unit}. Give it to nobody.`;
}
