/**
 * Sends one request at a fixed interval, whether or not the previous one was answered. Runs in a separate process, because the process
 * that sends a flood is busy and would measure itself. When stopped, it reports how long each response took, in milliseconds; null
 * stands for a request that failed or was not answered with 200.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { httpClient } from '../../support/http-client.js';

export interface ProbeOrder {
  port: number;
  path: string;
  cookie?: string;
  /** Sent as JSON with POST; without a body the request is a GET. */
  body?: object;
  /** The first three parts of an IPv4 address: each request names another client of that network in `X-Forwarded-For`. */
  network?: string;
  /** Default 10. */
  intervalMs?: number;
  /** Before the first request; default 0. */
  delayMs?: number;
}

let isOver = false;

process.once('message', (order: ProbeOrder) => {
  process.once('message', () => void (isOver = true));
  void run(order).then((waits) => process.send?.(waits, () => process.exit()));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');

async function run({
  port,
  path,
  cookie,
  body,
  network,
  intervalMs = 10,
  delayMs = 0,
}: ProbeOrder): Promise<(number | null)[]> {
  const client = httpClient(port);
  const waits: Promise<number | null>[] = [];
  const ask = async () => {
    const start = performance.now();
    const headers = {
      ...(cookie && { Cookie: cookie }),
      ...(network && { 'X-Forwarded-For': `${network}.${waits.length % 250}` }),
    };
    const sent = { method: body ? 'POST' : 'GET', path, headers, body };
    const send = () => client.send(sent);
    const answer = await send()
      // The server closed a connection that had been idle just as it was used again: Node leaves the second try to its caller.
      .catch((error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? send() : null))
      .catch(() => null);
    return answer?.status === 200 ? performance.now() - start : null;
  };
  await sleep(delayMs);
  while (!isOver) {
    waits.push(ask());
    await sleep(intervalMs);
  }
  return Promise.all(waits);
}
