/**
 * Asks for a path every ten milliseconds, whether or not the one before was answered, in a process of its own: what sends a flood
 * is busy with it, and would measure itself. Told to stop, it tells how long each took, in milliseconds; Infinity is null in JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { httpClient } from '../../support/http-client.js';

export interface ProbeOrder {
  port: number;
  path: string;
  cookie: string;
}

let isOver = false;

process.once('message', (order: ProbeOrder) => {
  process.once('message', () => void (isOver = true));
  void run(order).then((waits) => process.send?.(waits, () => process.exit()));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');

async function run({ port, path, cookie }: ProbeOrder): Promise<(number | null)[]> {
  const client = httpClient(port);
  const waits: Promise<number | null>[] = [];
  const ask = async () => {
    const start = performance.now();
    const sent = { method: 'GET', path, headers: { Cookie: cookie } };
    const answer = await client.send(sent).catch(() => null);
    return answer?.status === 200 ? performance.now() - start : null;
  };
  while (!isOver) {
    waits.push(ask());
    await sleep(10);
  }
  return Promise.all(waits);
}
