/** Sends every mail: renders its template, checks the result, and passes it to the sender. */
import { EmailSendError } from '../../errors/catalog.js';
import { callSync } from '../support/call-sync.js';
import { withTimeout } from '../support/timeouts.js';
import { describeError, type Logger } from '../support/logger.js';
import type { Languages, Reader, Render } from './languages.js';
import type { EmailContent, EmailKind, EmailSender } from './senders/email-sender.js';
import { en } from './texts/en.js';

export interface MailOptions {
  sender: EmailSender;
  from?: string;
}

/** RFC 3834, 5. */
const headers = { 'Auto-Submitted': 'auto-generated' };

export class Mailer {
  constructor(
    readonly appName: string,
    private readonly languages: Languages,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns a function that renders a mail, or another one if the application's template fails, which is logged. For a mail to some
   * of the addresses that get the same response: an error would reveal which.
   */
  withFallback(render: Render, fallback: Render): Render {
    return (values) => {
      try {
        return checkContent(callSync(() => render(values)));
      } catch (error) {
        this.logger.error({ err: describeError(error) }, 'a mail template failed; the built-in mail is sent');
      }
      try {
        return checkContent(callSync(() => fallback(values)));
      } catch (error) {
        this.logger.error({ err: describeError(error) }, 'a mail text failed; the English mail is sent');
        return fallback({ ...values, language: 'en', texts: en });
      }
    };
  }

  /**
   * Renders and sends a mail, in the language of its reader.
   * @param withdraw voids the code or token of the mail if it could not be sent.
   * @throws EmailSendError if the template or the sender fails. The reason is logged.
   */
  async sendMail(
    kind: EmailKind,
    to: string,
    { sender, from }: MailOptions,
    render: Render,
    reader: Reader,
    withdraw?: () => Promise<void>,
  ): Promise<void> {
    let content: EmailContent | undefined;
    try {
      content = await this.languages.render(reader, (values) => checkContent(callSync(() => render(values))));
      const { subject, html, text } = content;
      const message = { to, ...(from === undefined ? {} : { from }), subject, html, text, kind, headers };
      await withTimeout(sender.send(message), 'The sender');
    } catch (error) {
      try {
        this.logger.warn(
          { event: 'mail_failed', err: describeError(error, secretsIn(content)), kind },
          'a mail could not be sent',
        );
      } finally {
        // Even if the logger fails: a code that was not delivered must not remain valid.
        await withdraw?.();
      }
      throw new EmailSendError(error);
    }
  }
}

/** Converts milliseconds to whole minutes, at least 1. */
export function minutes(ms: number): number {
  return Math.max(1, Math.round(ms / 60_000));
}

/** Returns the codes and links of a mail, which an error of the sender may quote. */
function secretsIn(content: EmailContent | undefined): string[] {
  return content?.text.match(/https?:\/\/\S+|[\w.-]{20,}|\d{4,}/g) ?? [];
}

// An object instead of a string would make nodemailer read a file or fetch a URL; a line break starts a new header.
function checkContent(content: EmailContent): EmailContent {
  const { subject, html, text } = content;
  if (![subject, html, text].every((part) => typeof part === 'string')) {
    throw new TypeError('A mail template must return { subject, html, text }, all strings.');
  }
  if (/[\r\n\0]/.test(subject) || subject.length > 200) {
    throw new TypeError('A mail subject must be one line of at most 200 characters.');
  }
  // A copy of the checked values: a getter may return another value the next time.
  return { subject, html, text };
}
