/**
 * Sends one request at a fixed interval, even if the previous one is pending. Runs in a separate process, because the process that
 * sends a flood is busy and would measure itself. When stopped, it reports how long each response took in milliseconds, and null
 * for a request that failed or did not return 200.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { httpClient } from '../../support/http-client.js';

export interface ProbeOrder {
  port: number;
  path: string;
  cookie?: string;
  /** Sent as JSON with POST; without a body the request is a GET. */
  body?: object;
  /** The first three octets of an IPv4 address: each request names another client of that network in `X-Forwarded-For`. */
  network?: string;
  /** Milliseconds between requests. Default 10. */
  intervalMs?: number;
  /** Milliseconds before the first request. Default 0. */
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
  const probe = async () => {
    const start = performance.now();
    const headers = {
      ...(cookie && { Cookie: cookie }),
      ...(network && { 'X-Forwarded-For': `${network}.${waits.length % 250}` }),
    };
    const request = { method: body ? 'POST' : 'GET', path, headers, body };
    const send = () => client.send(request);
    const response = await send()
      // The server closed an idle connection just as it was used again: Node.js leaves the retry to its caller.
      .catch((error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? send() : null))
      .catch(() => null);
    return response?.status === 200 ? performance.now() - start : null;
  };
  await sleep(delayMs);
  while (!isOver) {
    waits.push(probe());
    await sleep(intervalMs);
  }
  return Promise.all(waits);
}
