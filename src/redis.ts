/** `svc-auth/redis`: limits and checked sessions in Redis or Valkey. Loads no client; the application passes one. */
export { redisCounters } from './adapters/redis/counters.js';
export { redisSessionCache } from './adapters/redis/session-cache.js';
export type { RedisClient } from './adapters/redis/client.js';
export type { RedisOptions } from './adapters/redis/options.js';
export type {
  CounterCorrection,
  RateLimitCount,
  RateLimitHit,
  RateLimitResult,
} from './storage/rate-limit-repository.js';
export type { RateLimitStore } from './storage/rate-limit-store.js';
export type { SessionCacheStore } from './storage/session-cache-store.js';
export type * from './storage/session-changes.js';
export type { StorageWarning } from './storage/warning.js';
