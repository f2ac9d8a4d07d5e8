/** Stores outside of the database: Redis. */
import { settlesWithin } from '../../core/support/timeouts.js';
import { pingedStores } from '../stores.js';
import type { Examined, Family, Found } from './finding.js';

export const stores: Family = {
  kinds: {
    redis_unreachable: {
      severity: 'error',
      why: 'Every request waits for it and then asks the database: limits and session checks get slower, or fail.',
    },
  },
  checks: { 'the stores': checkStores },
};

const timeoutMs = 2_000;

async function checkStores({ config }: Examined): Promise<Found[]> {
  const results = await Promise.all(
    pingedStores(config).map(async ([option, ping]): Promise<Found[]> => {
      const works = await settlesWithin(timeoutMs, ping()).catch(() => false);
      if (works) return [];
      return [
        {
          id: 'redis_unreachable',
          title: `The store of ${option} does not answer.`,
          fix: `${option}: a client that is connected; await client.connect() with node-redis`,
        },
      ];
    }),
  );
  return results.flat();
}
