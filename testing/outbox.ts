/** Senders that keep their messages in memory, for tests and demonstrations. */
// Imported, not global: a test with fake timers replaces the global ones.
import { clearTimeout, setTimeout } from 'node:timers';
import type { EmailMessage, EmailSender } from '../src/core/mail/senders/email-sender.js';
import type { SmsSender } from '../src/core/mail/senders/sms-sender.js';

export interface WaitOptions {
  /** How long to wait for the message, in milliseconds. Default: 5,000. */
  timeoutMs?: number;
}

export interface Outbox extends EmailSender {
  /** Every message so far, oldest first. */
  readonly messages: EmailMessage[];
  /**
   * Returns the oldest message to this address that no call has returned yet. Waits for it if it has not been sent: mail is often sent
   * after the response. @throws Error that lists the messages so far, if none arrives in time.
   */
  next(to: string, options?: WaitOptions): Promise<EmailMessage>;
  /** Returns the code in the newest message to this address that has one, otherwise undefined. */
  lastCode(to: string): string | undefined;
  /** Returns the first link in the newest message to this address that has one. */
  lastLink(to: string): string | undefined;
  clear(): void;
}

/** A code has digits, or ten letters if the guesses of a day at its address are used up. */
const codeAlone = /^(?:\d{4,12}|[BCDFGHJKLMNPQRSTVWXZ]{10})$/m;
const code = /(?<![\w-])(?:\d{4,12}|[BCDFGHJKLMNPQRSTVWXZ]{10})(?![\w-])/;

export function outbox(): Outbox {
  const messages: EmailMessage[] = [];
  const newest = (to: string, pattern: RegExp, isMeant: (message: EmailMessage) => boolean = () => true) =>
    lastMatch(messages.filter(isMeant), to, pattern, ({ text }) => text);
  return {
    messages,
    ...delivery(messages, ({ to, kind, subject }) => `${kind} to ${to}: ${subject}`),
    // The default templates put a code on its own line; custom templates may put it anywhere. A notice has a year instead.
    lastCode: (to) => newest(to, codeAlone) ?? newest(to, code, ({ kind }) => kind !== 'notice'),
    lastLink: (to) => withoutPunctuation(newest(to, link)),
    clear: () => void (messages.length = 0),
  };
}

export interface SmsOutbox extends SmsSender {
  readonly messages: { to: string; body: string }[];
  /** Returns the oldest message to this number that no call has returned yet, as `next` of an `Outbox`. */
  next(to: string, options?: WaitOptions): Promise<{ to: string; body: string }>;
  lastCode(to: string): string | undefined;
  /** Returns the first link in the newest message to this number that has one. */
  lastLink(to: string): string | undefined;
  clear(): void;
}

export function smsOutbox(): SmsOutbox {
  const messages: { to: string; body: string }[] = [];
  return {
    messages,
    ...delivery(messages, ({ to, body }) => `to ${to}: ${body}`),
    lastCode: (to) => lastMatch(messages, to, /(?<!\w)\d{4,12}(?!\w)/, ({ body }) => body),
    lastLink: (to) => withoutPunctuation(lastMatch(messages, to, link, ({ body }) => body)),
    clear: () => void (messages.length = 0),
  };
}

/** Sends to a list, and waits for what is sent to it. */
function delivery<M extends { to: string }>(messages: M[], describe: (message: M) => string) {
  const returned = new WeakSet<M>();
  const waiting = new Set<() => void>();
  const take = (to: string) => {
    const message = messages.find((each) => isTo(each, to) && !returned.has(each));
    if (message) returned.add(message);
    return message;
  };
  return {
    async send(message: M): Promise<void> {
      messages.push(message);
      // In the order of their calls.
      for (const look of waiting) look();
    },
    next(to: string, { timeoutMs = 5_000 }: WaitOptions = {}): Promise<M> {
      const first = take(to);
      if (first) return Promise.resolve(first);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          const sent = messages.map(
            (each) => `\n  ${describe(each)}${returned.has(each) ? ' (returned)' : ''}`,
          );
          const list = sent.length === 0 ? ' Nothing was sent.' : ` What was sent:${sent.join('')}`;
          reject(new Error(`No message to ${to} was sent within ${timeoutMs} ms.${list}`));
        }, timeoutMs);
        const look = () => {
          const message = take(to);
          if (!message) return;
          waiting.delete(look);
          clearTimeout(timer);
          resolve(message);
        };
        waiting.add(look);
      });
    },
  };
}

const link = /https?:\/\/\S+/;

/** Removes the period, quote or bracket that follows the link in the text. */
function withoutPunctuation(match: string | undefined): string | undefined {
  return match?.replace(/[.,;:!?'"\u00bb\u201d)>\]}]+$/, '');
}

/** Ignores the case of the address, because mail is sent to its canonical form. */
function isTo(message: { to: string }, to: string): boolean {
  return message.to.toLowerCase() === to.trim().toLowerCase();
}

function lastMatch<M extends { to: string }>(
  messages: readonly M[],
  to: string,
  pattern: RegExp,
  text: (message: M) => string,
) {
  const newestMatch = [...messages]
    .reverse()
    .find((message) => isTo(message, to) && pattern.test(text(message)));
  return newestMatch && pattern.exec(text(newestMatch))?.[0];
}
