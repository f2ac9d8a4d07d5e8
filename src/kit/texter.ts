/** The way of every text message: through its template, checked, to the sender. */
import { SmsSendError } from '../errors/catalog.js';
import { atOnce } from './at-once.js';
import { inTime } from './in-time.js';
import { describeError, type Logger } from './logger.js';
import type { SmsSender } from './senders/sms-sender.js';

// Ten segments: what is longer is a mistake that every receiver would pay for.
const maxLength = 1600;

export class Texter {
  constructor(
    readonly appName: string,
    private readonly logger: Logger,
  ) {}

  /**
   * @param withdraw takes back what the message was about, when it does not leave.
   * @throws SmsSendError when the template or the sender fails; the logger knows why.
   */
  async send(
    to: string,
    sender: SmsSender,
    render: () => string,
    withdraw: () => Promise<void>,
  ): Promise<void> {
    let body: unknown;
    try {
      body = atOnce(render);
      if (typeof body !== 'string' || body === '' || body.length > maxLength) {
        throw new TypeError(`An SMS template must return a text of 1 to ${maxLength} characters.`);
      }
      await inTime(sender.send({ to, body }), 'The sender');
    } catch (error) {
      // A carrier quotes the number as it stands, as its API writes it, or inside of a URL.
      const written = [to, encodeURIComponent(to), to.slice(1)];
      const codes = typeof body === 'string' ? (body.match(/\d{4,}/g) ?? []) : [];
      try {
        this.logger.error(
          { err: describeError(error, [...written, ...codes]) },
          'a text message could not be sent',
        );
      } finally {
        // Whatever becomes of the log: a code that nobody was told must not stay good.
        await withdraw();
      }
      throw new SmsSendError(error);
    }
  }
}
