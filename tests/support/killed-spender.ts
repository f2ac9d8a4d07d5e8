/** A process that spends single-use secrets until it is killed. tests/contract/killed-spenders.long.test.ts starts it. */
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { openStorage } from './open-storage.js';
import { singleUseSecret } from './single-use-secrets.js';

export interface SpenderOrder {
  url: string;
  secrets: number;
  /** How many it spends at the same time. */
  parallel: number;
}

/** Reports the number of each secret that it has spent, before it spends the next. Ends if none is left. */
async function spendAll({ url, secrets, parallel }: SpenderOrder): Promise<void> {
  const storage = openStorage(url) as Required<StorageAdapter>;
  let next = 0;
  const spend = async () => {
    while (next < secrets) {
      const n = next++;
      if (await singleUseSecret(n).spend(storage))
        await new Promise((resolve) => process.send?.(n, undefined, undefined, resolve));
    }
  };
  await Promise.all(Array.from({ length: parallel }, spend));
  process.exit();
}

process.on('message', (order: SpenderOrder) => void spendAll(order));
process.on('disconnect', () => process.exit());
process.send?.('ready');
