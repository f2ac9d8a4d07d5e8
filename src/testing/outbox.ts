/** Senders that keep what they were given, for tests and demonstrations. */
import type { EmailMessage, EmailSender } from '../kit/senders/email-sender.js';
import type { SmsSender } from '../kit/senders/sms-sender.js';

export interface Outbox extends EmailSender {
  /** Every message so far, oldest first. */
  readonly messages: EmailMessage[];
  /** The code in the newest message to this address; undefined where there is none. */
  lastCode(to: string): string | undefined;
  /** The first link in the newest message to this address that has one. */
  lastLink(to: string): string | undefined;
  clear(): void;
}

export function outbox(): Outbox {
  const messages: EmailMessage[] = [];
  const newest = (to: string, pattern: RegExp) => lastMatch(messages, to, pattern, ({ text }) => text);
  return {
    messages,
    async send(message) {
      messages.push(message);
    },
    // A code stands on a line of its own in our mails; custom templates may put it anywhere.
    lastCode: (to) => newest(to, /^\d{4,12}$/m) ?? newest(to, /(?<![\w-])\d{4,12}(?![\w-])/),
    lastLink: (to) => newest(to, /https?:\/\/\S+/),
    clear: () => void (messages.length = 0),
  };
}

export interface SmsOutbox extends SmsSender {
  readonly messages: { to: string; body: string }[];
  lastCode(to: string): string | undefined;
  clear(): void;
}

export function smsOutbox(): SmsOutbox {
  const messages: { to: string; body: string }[] = [];
  return {
    messages,
    async send(message) {
      messages.push(message);
    },
    lastCode: (to) => lastMatch(messages, to, /(?<!\w)\d{4,12}(?!\w)/, ({ body }) => body),
    clear: () => void (messages.length = 0),
  };
}

function lastMatch<M extends { to: string }>(
  messages: readonly M[],
  to: string,
  pattern: RegExp,
  text: (message: M) => string,
) {
  const found = [...messages].reverse().find((message) => message.to === to && pattern.test(text(message)));
  return found && pattern.exec(text(found))?.[0];
}
