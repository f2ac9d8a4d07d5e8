/** Sends codes by text message, to the countries that the application allows. */
import { parsePhoneNumber, type PhoneNumber } from '../../domain/phone-number.js';
import type { CodePurpose } from '../../domain/one-time-code.js';
import { InternalError, InvalidRequestError } from '../../errors/catalog.js';
import type { RateLimit } from '../../core/limits/rate-limits.js';
import type { Reader, Render } from '../../core/mail/languages.js';
import { minutes } from '../../core/mail/mailer.js';
import type { NewCodeOptions } from '../../core/mail/one-time-codes.js';
import { loadPhoneNumbers } from '../../runtime/load.js';
import { callSync } from '../../core/support/call-sync.js';
import type { PhoneOtpOptions, PhoneOtpTools } from './options.js';

interface Sending extends Pick<NewCodeOptions, 'metadata' | 'binding'> {
  purpose: CodePurpose;
  subject: string;
  limits: readonly RateLimit[];
  reader: Reader;
}

export class PhoneMessages {
  constructor(
    private readonly options: PhoneOtpOptions,
    private readonly tools: Pick<PhoneOtpTools, 'clock' | 'codes' | 'events' | 'limiter' | 'smsMailer'>,
  ) {}

  /** Returns the number in canonical form. @throws InvalidRequestError, also for a country that `allowCountry` refuses; InternalError if it fails. */
  parse(phone: string): PhoneNumber {
    const number = parsePhoneNumber(phone);
    if (!this.isAllowed(number.country))
      throw new InvalidRequestError('Numbers of this country are not accepted.');
    return number;
  }

  /** Returns the countries that `allowCountry` accepts. @throws InternalError if it fails. */
  countries(): string[] {
    return loadPhoneNumbers()
      .getCountries()
      .filter((country) => this.isAllowed(country));
  }

  /** Sends a new code, which replaces the previous one. @throws RateLimitError; SmsSendError; a failed send is not counted. */
  async send(
    { e164 }: PhoneNumber,
    { purpose, subject, limits, metadata, binding, reader }: Sending,
  ): Promise<{ expiresAt: Date }> {
    const { clock, codes, events, limiter, smsMailer } = this.tools;
    const { sender, template, ttlMs } = this.options;
    const spent = await limiter.consume(limits);
    try {
      const issued = await codes.issueCode(purpose, subject, { metadata, binding, ttlMs });
      const { code, expiresAt, discard } = issued;
      const expiresInMinutes = minutes(expiresAt.getTime() - clock());
      const render: Render<string> = (values) => template({ ...values, code, expiresInMinutes });
      await smsMailer.sendSms(e164, sender, render, reader, discard);
      events.emit('code.sent', { purpose });
      return { expiresAt };
    } catch (error) {
      await spent.refund();
      throw error;
    }
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
}
