/** Senders that keep their messages in memory, for tests and demonstrations. */
import type { EmailMessage, EmailSender } from '../src/core/mail/senders/email-sender.js';
import type { SmsSender } from '../src/core/mail/senders/sms-sender.js';

export interface Outbox extends EmailSender {
  /** Every message so far, oldest first. */
  readonly messages: EmailMessage[];
  /** Returns the code in the newest message to this address that has one, otherwise undefined. */
  lastCode(to: string): string | undefined;
  /** Returns the first link in the newest message to this address that has one. */
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
    // The default templates put a code on its own line; custom templates may put it anywhere.
    lastCode: (to) => newest(to, /^\d{4,12}$/m) ?? newest(to, /(?<![\w-])\d{4,12}(?![\w-])/),
    lastLink: (to) => withoutPunctuation(newest(to, link)),
    clear: () => void (messages.length = 0),
  };
}

export interface SmsOutbox extends SmsSender {
  readonly messages: { to: string; body: string }[];
  lastCode(to: string): string | undefined;
  /** Returns the first link in the newest message to this number that has one. */
  lastLink(to: string): string | undefined;
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
    lastLink: (to) => withoutPunctuation(lastMatch(messages, to, link, ({ body }) => body)),
    clear: () => void (messages.length = 0),
  };
}

const link = /https?:\/\/\S+/;

/** Removes the period, quote or bracket that follows the link in the text. */
function withoutPunctuation(match: string | undefined): string | undefined {
  return match?.replace(/[.,;:!?'"\u00bb\u201d)>\]}]+$/, '');
}

/** Ignores the case of the address, because mail is sent to its canonical form. */
function lastMatch<M extends { to: string }>(
  messages: readonly M[],
  to: string,
  pattern: RegExp,
  text: (message: M) => string,
) {
  const isTo = (message: M) => message.to.toLowerCase() === to.trim().toLowerCase();
  const newestMatch = [...messages].reverse().find((message) => isTo(message) && pattern.test(text(message)));
  return newestMatch && pattern.exec(text(newestMatch))?.[0];
}
