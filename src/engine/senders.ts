/** The senders of a configuration. */
import type { EmailSender } from '../core/mail/senders/email-sender.js';
import type { SmsSender } from '../core/mail/senders/sms-sender.js';
import { hasMethod } from '../core/support/has-method.js';

type Sender = EmailSender | SmsSender;

/** Returns the senders of a configuration, each once, with the options that name it. Every option that takes a sender is called `sender`. */
export function namedSenders({
  notices: ofAccounts,
  providers,
}: {
  notices?: { sender: EmailSender } | undefined;
  providers: object;
}): Map<Sender, string[]> {
  const named = new Map<Sender, string[]>();
  const add = (option: string, value: unknown) => {
    if (!hasMethod(value, 'send')) return;
    const sender = value as Sender;
    named.set(sender, [...(named.get(sender) ?? []), option]);
  };
  add('notices.sender', ofAccounts?.sender);
  for (const [name, provider] of Object.entries(providers)) {
    const { notices, sender } = (provider ?? {}) as { sender?: unknown; notices?: { sender?: unknown } };
    add(`${name}.sender`, sender);
    add(`${name}.notices.sender`, notices?.sender);
  }
  return named;
}
