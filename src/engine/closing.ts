/** The end of a service: what is under way, then the senders, then the adapter, and none of them for ever. */
import { hasMethod } from '../kit/option-types.js';
import { within } from '../kit/in-time.js';
import { describeError } from '../kit/logger.js';
import type { EmailSender } from '../kit/senders/email-sender.js';
import type { SmsSender } from '../kit/senders/sms-sender.js';
import type { Toolkit } from '../kit/toolkit.js';

const teardownMs = 5_000;

/**
 * Waits `timeoutMs` for mails on their way, and five seconds each for senders and adapter; the logger learns of what was not
 * through by then. Rejects with what the adapter does.
 */
export async function closeInOrder(
  { background, logger, storage }: Pick<Toolkit, 'background' | 'logger' | 'storage'>,
  senders: Iterable<EmailSender | SmsSender>,
  timeoutMs: number,
): Promise<void> {
  const unfinished = (waitingFor: string[]) =>
    logger.error({ event: 'close_incomplete', waitingFor }, 'close() did not wait any longer');
  const closed = async (sender: EmailSender | SmsSender) => {
    try {
      await sender.close?.();
    } catch (error) {
      logger.error({ err: describeError(error) }, 'a sender could not be closed');
    }
  };

  if (!(await within(timeoutMs, background.drain()))) {
    unfinished(background.labels);
    // Senders and adapter close now: what has not begun could only fail.
    background.dropWaiting();
  }
  const ofSenders = Promise.all([...senders].map(closed));
  if (!(await within(teardownMs, ofSenders))) unfinished(['a sender']);
  if (!(await within(teardownMs, storage.close()))) unfinished(['the adapter']);
}

/** The senders of all providers, whichever have one, to be closed with the service. */
export function sendersOf(providers: object): Set<EmailSender | SmsSender> {
  const isSender = (value: unknown): value is EmailSender | SmsSender => hasMethod(value, 'send');
  const options = Object.values(providers) as ({ sender?: unknown } | undefined)[];
  return new Set(options.map((each) => each?.sender).filter(isSender));
}
