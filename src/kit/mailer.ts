/** The way of every mail: through its template, checked, to the sender. */
import { EmailSendError } from '../errors/catalog.js';
import { atOnce } from './at-once.js';
import { inTime } from './in-time.js';
import { describeError, type Logger } from './logger.js';
import type { EmailContent, EmailKind, EmailSender } from './senders/email-sender.js';

export interface MailOptions {
  sender: EmailSender;
  from?: string;
}

export class Mailer {
  constructor(
    readonly appName: string,
    private readonly logger: Logger,
  ) {}

  /**
   * @param withdraw takes back what the mail was about, when it does not leave.
   * @throws EmailSendError when the template or the sender fails; the logger knows why.
   */
  async send(
    kind: EmailKind,
    to: string,
    { sender, from }: MailOptions,
    render: () => EmailContent,
    withdraw?: () => Promise<void>,
  ): Promise<void> {
    let content: EmailContent | undefined;
    try {
      content = checked(atOnce(render));
      const { subject, html, text } = content;
      const message = { to, ...(from === undefined ? {} : { from }), subject, html, text, kind };
      await inTime(sender.send(message), 'The sender');
    } catch (error) {
      try {
        this.logger.error(
          { err: describeError(error, secretsIn(content)), kind },
          'a mail could not be sent',
        );
      } finally {
        // Whatever becomes of the log: a code that nobody was told must not stay good.
        await withdraw?.();
      }
      throw new EmailSendError(error);
    }
  }
}

export function minutes(ms: number): number {
  return Math.max(1, Math.round(ms / 60_000));
}

/** What a mail is about, should a sender's error quote it: its codes and its links. */
function secretsIn(content: EmailContent | undefined): string[] {
  return content?.text.match(/https?:\/\/\S+|[\w.-]{20,}|\d{4,}/g) ?? [];
}

// An object in place of a text would make nodemailer read a file or fetch a URL; a line break starts a new header.
function checked(content: EmailContent): EmailContent {
  const { subject, html, text } = content;
  if (![subject, html, text].every((part) => typeof part === 'string')) {
    throw new TypeError('A mail template must return { subject, html, text }, all strings.');
  }
  if (/[\r\n\0]/.test(subject) || subject.length > 200) {
    throw new TypeError('A mail subject must be one line of at most 200 characters.');
  }
  // A copy of what was checked: a getter may say something else the next time.
  return { subject, html, text };
}
