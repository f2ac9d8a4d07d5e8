/** Services that deliver mails and text messages. Nothing is sent. */
import { isConsoleSender } from '../../core/mail/senders/console-sender.js';
import { settlesWithin } from '../../core/support/timeouts.js';
import { namedSenders } from '../senders.js';
import type { Examined, Family, Found } from './finding.js';

export const senders: Family = {
  kinds: {
    sender_unreachable: {
      severity: 'error',
      why: 'No code and no link arrives, so no one can sign in with one or reset a password.',
    },
    sender_console: {
      severity: 'error',
      why: 'It prints codes and links into the log instead of sending them: users get none, and readers of the log can sign in as them.',
    },
  },
  checks: {
    'the senders': checkSenders,
  },
};

const timeoutMs = 5_000;

async function checkSenders({ config, isProduction }: Examined): Promise<Found[]> {
  const named = [...namedSenders(config)];
  const results = await Promise.all(
    named.map(async ([sender, options]): Promise<Found[]> => {
      const names = options.map((option) => `providers.${option}`).join(', ');
      if (isConsoleSender(sender)) {
        const fix = "sender: smtpSender(process.env.SMTP_URL, { from: 'Acme <no-reply@acme.com>' })";
        return isProduction
          ? [{ id: 'sender_console', title: `${names} prints messages, in production.`, fix }]
          : [];
      }
      // The error is not shown: it may quote the credentials.
      const works = await settlesWithin(timeoutMs, sender.verify?.()).catch(() => false);
      if (works) return [];
      return [
        {
          id: 'sender_unreachable',
          title: `The service of ${names} does not answer, or refuses the credentials.`,
          fix: `${names}: the host, port, user and password of your mail service`,
        },
      ];
    }),
  );
  return results.flat();
}
