/** Creates what remembers checked sessions: `session.cache`. */
import type { ParsedConfig } from '../config/schema.js';
import { SessionCache } from '../core/sessions/session-cache.js';
import { SharedSessionCache } from '../core/sessions/shared-session-cache.js';
import { capability } from '../core/support/capability.js';
import type { Toolkit } from '../core/toolkit.js';
import { reportingAdapter } from '../storage/session-changing-methods.js';

/**
 * Returns the cache, and the storage that reports changes to it.
 * @throws AdapterCapabilityError if the adapter reports no changes and no store is configured.
 */
export function sessionCacheOf(
  { adapter, session: { cache } }: ParsedConfig,
  tools: ConstructorParameters<typeof SharedSessionCache>[2],
): Pick<Toolkit, 'sessionCache' | 'storage'> {
  if (!cache) return { sessionCache: null, storage: adapter };
  const { maxStaleMs, store } = cache;
  if (!store)
    return {
      sessionCache: new SessionCache(capability(adapter, 'sessionChanges'), maxStaleMs),
      storage: adapter,
    };
  const shared = new SharedSessionCache(store, maxStaleMs, tools);
  return { sessionCache: shared, storage: reportingAdapter(adapter, (ids) => shared.markChanged(ids)) };
}
