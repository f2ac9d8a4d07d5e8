/** Closing a service: background work, then senders, then the adapter, each with a timeout. */
import { settlesWithin } from '../core/support/timeouts.js';
import { describeError } from '../core/support/logger.js';
import type { EmailSender } from '../core/mail/senders/email-sender.js';
import type { SmsSender } from '../core/mail/senders/sms-sender.js';
import type { Toolkit } from '../core/toolkit.js';
import { namedSenders } from './senders.js';

const teardownMs = 5_000;

/**
 * Waits `timeoutMs` for pending mails, and five seconds each for the senders and the adapter; logs what has not finished by
 * then. Rejects if the adapter rejects.
 */
export async function closeInOrder(
  {
    audit,
    background,
    logger,
    sessionCache,
    statistics,
    storage,
    telemetry,
    watchedSessions,
  }: Pick<
    Toolkit,
    | 'audit'
    | 'background'
    | 'logger'
    | 'sessionCache'
    | 'statistics'
    | 'storage'
    | 'telemetry'
    | 'watchedSessions'
  >,
  senders: Iterable<EmailSender | SmsSender>,
  timeoutMs: number,
): Promise<void> {
  const unfinished = (waitingFor: string[]) =>
    logger.error({ event: 'close_incomplete', waitingFor }, 'close() did not wait any longer');
  const closed = async (part: { close?: () => unknown }, name: string) => {
    try {
      await part.close?.();
    } catch (error) {
      logger.error({ err: describeError(error) }, `${name} could not be closed`);
    }
  };

  // First: their sockets close.
  const closedWatches = closed(watchedSessions, 'the watch of sessions');
  if (!(await settlesWithin(timeoutMs, background.drain()))) {
    unfinished(background.labels);
    // The senders and the adapter close now: work that has not started could only fail.
    background.dropWaiting();
  }
  await audit?.sealer.stop();
  if (!(await settlesWithin(teardownMs, audit?.failures.drain()))) unfinished(['the audit log']);
  const closedSenders = Promise.all([...senders].map((sender) => closed(sender, 'a sender')));
  if (!(await settlesWithin(teardownMs, closedSenders))) unfinished(['a sender']);
  // After the mails, which it counts.
  if (!(await settlesWithin(teardownMs, statistics?.close()))) unfinished(['the statistics']);
  const closedCache = sessionCache && closed(sessionCache, 'the session cache');
  if (!(await settlesWithin(teardownMs, closedCache))) unfinished(['the session cache']);
  if (!(await settlesWithin(teardownMs, closedWatches))) unfinished(['the watch of sessions']);
  telemetry?.close();
  if (!(await settlesWithin(teardownMs, storage.close()))) unfinished(['the adapter']);
}

/** Returns the senders of all providers, each once. */
export function sendersOf(config: Parameters<typeof namedSenders>[0]): Set<EmailSender | SmsSender> {
  return new Set(namedSenders(config).keys());
}
