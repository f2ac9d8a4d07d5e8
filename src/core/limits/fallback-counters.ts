/**
 * Counts in the adapter while a store of counters fails, so that requests continue and stay limited (docs/decisions/redis.md). Each
 * of the two enforces every limit, so that an outage allows at most one additional window.
 */
import type { RateLimitRepository } from '../../storage/rate-limit-repository.js';
import { describeError, type Logger } from '../support/logger.js';
import type { CountedHit, Counters } from './counters.js';

/** Marks the keys of hits that the adapter has counted. A refund must go where its hit was counted. */
const prefix = 'adapter|';

export function withFallback(store: Counters, adapter: RateLimitRepository, logger: Logger): Counters {
  let isFailing = false;

  function failed(error: unknown): void {
    if (isFailing) return;
    isFailing = true;
    const message = 'rateLimit.store does not respond. Limits are counted in the database until it does.';
    logger.warn({ event: 'rate_limit_store_failed', err: describeError(error) }, message);
  }

  function succeeded(): void {
    if (isFailing) logger.info({ event: 'rate_limit_store_recovered' }, 'rateLimit.store responds again.');
    isFailing = false;
  }

  return {
    async hit(hits, now): Promise<CountedHit[]> {
      try {
        const results = await store.hit(hits, now);
        succeeded();
        return results;
      } catch (error) {
        failed(error);
        const results = await adapter.hit(hits, now);
        return results.map((result, i) => ({ ...result, countedAs: `${prefix}${hits[i]?.key}` }));
      }
    },
    async correct({ refund, reset }, now) {
      const own = refund.filter((key) => !key.startsWith(prefix));
      const fallback = refund.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
      let isCorrected = own.length + reset.length === 0;
      if (!isCorrected) {
        try {
          await store.correct({ refund: own, reset }, now);
          isCorrected = true;
          succeeded();
        } catch (error) {
          // The hits remain counted in the store, which is the safe side. The attempt must not fail for it.
          failed(error);
        }
      }
      if (isCorrected && fallback.length === 0) return;
      await adapter.correct({ refund: fallback, reset }, now);
    },
  };
}
