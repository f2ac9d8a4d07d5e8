/** Mails one-time codes: every mail of a code is rendered, sent and reported here. */
import type { CodePurpose } from '../../domain/one-time-code.js';
import type { Clock } from '../support/clock.js';
import type { EventBus } from '../support/events.js';
import type { Reader, Render } from './languages.js';
import { minutes, type Mailer, type MailOptions } from './mailer.js';
import type { IssuedCode } from './one-time-codes.js';
import type { CodeTemplate } from './senders/email-sender.js';

export interface CodeMail extends MailOptions {
  template: CodeTemplate;
}

export class CodeMailer {
  constructor(
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly events: EventBus,
  ) {}

  /** Mails a code, which becomes void if it cannot be sent, and emits `code.sent`. @throws EmailSendError */
  async sendCode(
    purpose: CodePurpose,
    to: string,
    { code, expiresAt, discard }: IssuedCode,
    { template, ...mail }: CodeMail,
    reader: Reader,
  ): Promise<void> {
    const expiresInMinutes = minutes(expiresAt.getTime() - this.clock());
    const render: Render = (values) => template({ ...values, code, expiresInMinutes });
    await this.mailer.sendMail('email_code', to, mail, render, reader, discard);
    this.events.emit('code.sent', { purpose });
  }
}
