/** Sends mail over SMTP with nodemailer, which is loaded at the first send. */
import type { SendMailOptions, Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import { ConfigError } from '../../../errors/catalog.js';
import { loadMailComposer, loadNodemailer } from '../../../runtime/load.js';
import type { EmailMessage, EmailSender } from './email-sender.js';

export type SmtpOptions = SMTPTransport.Options | SMTPPool.Options | string;

interface Loaded {
  transport: Transporter;
  recipientsOf: (mail: SendMailOptions) => string[];
}

/**
 * Returns a sender over SMTP.
 * @param transportOptions options of `nodemailer.createTransport` (host, port, auth), or an `smtp://` URL.
 * @param defaults.from the From address, such as `Acme <no-reply@acme.test>`.
 * @throws ConfigError if the transport options or the From address are missing.
 */
export function smtpSender(transportOptions: SmtpOptions, defaults: { from: string }): EmailSender {
  const from: unknown = (defaults as { from?: unknown } | null | undefined)?.from;
  // nodemailer would connect to the local host with any other string.
  const isTransport =
    typeof transportOptions === 'string'
      ? /^smtps?:\/\//i.test(transportOptions)
      : Object(transportOptions) === transportOptions;
  const faults = [
    ...(isTransport
      ? []
      : [
          {
            path: 'smtpSender(options)',
            message: 'must be nodemailer options or a URL that starts with smtp:// or smtps://',
          },
        ]),
    ...(isText(from)
      ? []
      : [{ path: 'smtpSender(…, { from })', message: 'must be the address that mails come from' }]),
  ];
  if (!isText(from) || faults.length > 0) throw new ConfigError(faults);
  let loaded: Loaded | undefined;
  return {
    async send(message) {
      const { transport, recipientsOf } = (loaded ??= load(transportOptions));
      const mail = compose(message, from);
      // Defense in depth behind our own address grammar: nodemailer parses addresses, and a parser can be tricked.
      const recipients = recipientsOf(mail);
      if (recipients.length !== 1 || recipients[0] !== message.to) {
        throw new Error('nodemailer would have sent the mail to another recipient.');
      }
      await transport.sendMail(mail);
    },
    async verify() {
      // Its own connection, which ends with the check.
      const { transport } = load(transportOptions);
      try {
        await transport.verify();
      } finally {
        transport.close();
      }
    },
    async close() {
      loaded?.transport.close();
      loaded = undefined;
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function compose(
  { to, from, subject, html, text, headers }: EmailMessage,
  defaultFrom: string,
): SendMailOptions {
  return {
    from: from ?? defaultFrom,
    // An object is not split into several recipients, as a string is.
    to: { name: '', address: to },
    subject,
    html,
    text,
    // Also on messages that the application sends with this sender (RFC 3834, 5).
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function load(options: SmtpOptions): Loaded {
  const MailComposer = loadMailComposer();
  return {
    transport: loadNodemailer().createTransport(options as SMTPTransport.Options),
    recipientsOf: (mail) => [...new MailComposer(mail).compile().getEnvelope().to],
  };
}
