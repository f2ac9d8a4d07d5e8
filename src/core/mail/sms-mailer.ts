/** Sends every text message: renders its template, checks the result, and passes it to the sender. */
import { SmsSendError } from '../../errors/catalog.js';
import { callSync } from '../support/call-sync.js';
import { withTimeout } from '../support/timeouts.js';
import { describeError, type Logger } from '../support/logger.js';
import type { Languages, Reader, Render } from './languages.js';
import type { SmsSender } from './senders/sms-sender.js';

// Ten segments. A longer message is a mistake in the template, which would multiply the cost of every message.
const maxLength = 1600;

export class SmsMailer {
  constructor(
    private readonly languages: Languages,
    private readonly logger: Logger,
  ) {}

  /**
   * Renders and sends a text message, in the language of its reader.
   * @param withdraw voids the code of the message if it could not be sent.
   * @throws SmsSendError if the template or the sender fails. The reason is logged.
   */
  async sendSms(
    to: string,
    sender: SmsSender,
    render: Render<string>,
    reader: Reader,
    withdraw: () => Promise<void>,
  ): Promise<void> {
    let body: string | undefined;
    try {
      const text = await this.languages.render(reader, (values) => checkText(callSync(() => render(values))));
      body = text;
      await withTimeout(sender.send({ to, body: text }), 'The sender');
    } catch (error) {
      // An error of a carrier may quote the number as it is, without its plus sign, or in a URL.
      const spellings = [to, encodeURIComponent(to), to.slice(1)];
      const codes = body?.match(/\d{4,}/g) ?? [];
      try {
        this.logger.warn(
          { event: 'sms_failed', err: describeError(error, [...spellings, ...codes]) },
          'a text message could not be sent',
        );
      } finally {
        // Even if the logger fails: a code that was not delivered must not remain valid.
        await withdraw();
      }
      throw new SmsSendError(error);
    }
  }
}

function checkText(text: unknown): string {
  if (typeof text === 'string' && text !== '' && text.length <= maxLength) return text;
  throw new TypeError(`An SMS template must return a string of 1 to ${maxLength} characters.`);
}
