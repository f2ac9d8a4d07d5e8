/** `service.health()`: whether what every request needs responds. Reads only, and returns nothing secret. */
import { performance } from 'node:perf_hooks';
import type { ParsedConfig } from '../config/schema.js';
import { checkMilliseconds, parseOptions } from '../core/support/input.js';
import { settlesWithin } from '../core/support/timeouts.js';
import type { StorageAdapter } from '../storage/adapter.js';
import { pingedStores } from './stores.js';

export interface HealthCheck {
  ok: boolean;
  /** How long the check took, in milliseconds. */
  ms: number;
}

export interface Health {
  /** Whether requests can be served. True while Redis does not respond, if the database replaces it. */
  ok: boolean;
  checks: {
    /** The database responds. */
    storage: HealthCheck;
    /** The database has every table that this release needs. Absent if the adapter does not say so. */
    migrations?: HealthCheck;
    /** Redis responds. Absent if it is not configured. */
    redis?: HealthCheck;
  };
}

export interface HealthOptions {
  /** How long each check may take, in milliseconds. Default: 2000. */
  timeoutMs?: number;
}

const defaultTimeoutMs = 2_000;
const noOne = '00000000-0000-4000-8000-000000000000';

type Config = Pick<ParsedConfig, 'adapter' | 'rateLimit' | 'session'>;

/** Returns a function whose concurrent calls share one check, so that a flood of them is one query. */
export function createHealthCheck(config: Config): (options: HealthOptions) => Promise<Health> {
  const running = new Map<number, Promise<Health>>();
  return async (options) => {
    const { timeoutMs = defaultTimeoutMs } = parseOptions(options, ['timeoutMs']);
    checkMilliseconds(timeoutMs, 'timeoutMs');
    const current = running.get(timeoutMs);
    if (current) return current;
    const check = checkHealth(config, timeoutMs).finally(() => running.delete(timeoutMs));
    running.set(timeoutMs, check);
    return check;
  };
}

async function checkHealth({ adapter, rateLimit, session }: Config, timeoutMs: number): Promise<Health> {
  const { inspection } = adapter;
  const stores = pingedStores({ rateLimit, session });
  const [storage, migrations, redis] = await Promise.all([
    measure(timeoutMs, async () => responds(adapter)),
    inspection && measure(timeoutMs, async () => (await inspection.migrations()).missing.length === 0),
    stores.length > 0
      ? measure(timeoutMs, async () => Promise.all(stores.map(([, ping]) => ping())).then(() => true))
      : undefined,
  ]);
  // Checks of sessions ask the database while their store fails; limits only if the store says so.
  const isRedisNeeded = rateLimit.store?.ping !== undefined && rateLimit.store.fallsBack !== true;
  return {
    ok: storage.ok && migrations?.ok !== false && (redis?.ok !== false || !isRedisNeeded),
    checks: { storage, ...(migrations && { migrations }), ...(redis && { redis }) },
  };
}

async function responds(adapter: StorageAdapter): Promise<boolean> {
  if (adapter.currentTime) await adapter.currentTime();
  else await adapter.users.findById(noOne);
  return true;
}

async function measure(timeoutMs: number, check: () => Promise<boolean>): Promise<HealthCheck> {
  const start = performance.now();
  let result = false;
  const work = check().then((value) => void (result = value));
  const ok = await settlesWithin(timeoutMs, work).then(
    (isSettled) => isSettled && result,
    () => false,
  );
  return { ok, ms: Math.round(performance.now() - start) };
}
