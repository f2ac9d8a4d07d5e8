/** A process that watches sessions on a database, for tests and benchmarks. Sends when each of them ended. */
import { createService } from 'svc-auth';
import { openStorage } from './open-storage.js';

interface Started {
  url: string;
  secret: string;
  tokens: string[];
}

/** By a clock that all processes of a machine share. */
export interface WatchEnded {
  index: number;
  reason: string;
  atNs: bigint;
}

const ignore = () => undefined;

process.once('message', ({ url, secret, tokens }: Started) => {
  void watchAll(url, secret, tokens);
});
process.send?.('ready');

async function watchAll(url: string, secret: string, tokens: readonly string[]): Promise<void> {
  const service = createService({
    adapter: openStorage(url, 2),
    session: { secret },
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  await service.init();
  for (const [index, token] of tokens.entries())
    await service.watch(token, (reason) => {
      process.send?.({ index, reason, atNs: process.hrtime.bigint() } satisfies WatchEnded);
    });
  process.send?.('watching');
  process.once('disconnect', () => void service.close().then(() => process.exit()));
}
