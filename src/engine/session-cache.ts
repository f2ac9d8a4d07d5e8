/** Creates what remembers checked sessions: `session.cache`. */
import type { ParsedConfig } from '../config/schema.js';
import { SessionCache } from '../core/sessions/session-cache.js';
import { SharedSessionCache } from '../core/sessions/shared-session-cache.js';
import { capability } from '../core/support/capability.js';
import type { Toolkit } from '../core/toolkit.js';
import type { SessionChanges } from '../storage/session-changes.js';
import { sharedChanges, withChanges } from './shared-changes.js';
import { reportingAdapter } from '../storage/session-changing-methods.js';

/**
 * Returns the cache, the storage that reports changes to it, and the reports for whatever else needs them. Null: none.
 * @throws AdapterCapabilityError if the adapter reports no changes and no store is configured.
 */
export function sessionCacheOf(
  { adapter, session: { cache } }: ParsedConfig,
  tools: ConstructorParameters<typeof SharedSessionCache>[2],
): Pick<Toolkit, 'sessionCache' | 'storage'> & { changes: SessionChanges | null } {
  const { sessionChanges } = adapter;
  if (!cache)
    return {
      sessionCache: null,
      storage: adapter,
      changes: sessionChanges ? sharedChanges(sessionChanges) : null,
    };
  const { maxStaleMs, store } = cache;
  if (!store) {
    const changes = sharedChanges(capability(adapter, 'sessionChanges'));
    return { sessionCache: new SessionCache(changes, maxStaleMs), storage: adapter, changes };
  }
  const changes = sharedChanges(store);
  const shared = new SharedSessionCache(withChanges(store, changes), maxStaleMs, tools);
  return {
    changes,
    sessionCache: shared,
    storage: reportingAdapter(adapter, (ids) => shared.markChanged(ids)),
  };
}
