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
    lastLink: (to) => withoutPunctuation(newest(to, link)),
    clear: () => void (messages.length = 0),
  };
}

export interface SmsOutbox extends SmsSender {
  readonly messages: { to: string; body: string }[];
  lastCode(to: string): string | undefined;
  /** The first link in the newest message to this number that has one. */
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

/** The link without the full stop, quote or bracket that the text has behind it. */
function withoutPunctuation(found: string | undefined): string | undefined {
  return found?.replace(/[.,;:!?'"\u00bb\u201d)>\]}]+$/, '');
}

/** Ignores the case of the address: mail goes to its canonical form, whatever a test typed. */
function lastMatch<M extends { to: string }>(
  messages: readonly M[],
  to: string,
  pattern: RegExp,
  text: (message: M) => string,
) {
  const isTo = (message: M) => message.to.toLowerCase() === to.trim().toLowerCase();
  const found = [...messages].reverse().find((message) => isTo(message) && pattern.test(text(message)));
  return found && pattern.exec(text(found))?.[0];
}
