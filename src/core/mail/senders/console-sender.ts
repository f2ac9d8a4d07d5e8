/** Senders for development: they print instead of sending. They print codes and links, so never use them in production. */
import type { EmailSender } from './email-sender.js';
import type { SmsSender } from './sms-sender.js';

type Print = (text: string) => void;

const consoleSenders = new WeakSet<object>();

export function isConsoleSender(sender: object): boolean {
  return consoleSenders.has(sender);
}

function marked<Sender extends object>(sender: Sender): Sender {
  consoleSenders.add(sender);
  return sender;
}

/** Returns a sender that prints mails. @param print default: `console.log`. */
export function consoleSender(print: Print = defaultPrint): EmailSender {
  return marked<EmailSender>({
    async send({ to, subject, text }) {
      print(`\n--- mail to ${to} ---\n${subject}\n\n${text}\n---`);
    },
  });
}

/** Returns a sender that prints text messages. @param print default: `console.log`. */
export function consoleSmsSender(print: Print = defaultPrint): SmsSender {
  return marked<SmsSender>({
    async send({ to, body }) {
      print(`\n--- text message to ${to} ---\n${body}\n---`);
    },
  });
}

function defaultPrint(text: string): void {
  console.log(text);
}
