/** The suite on an adapter that has none of the optional repositories: they are optional, so it passes. */
import { memoryAdapter } from '../../src/adapters/memory/memory-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { describeStorageAdapter } from '../../src/testing/storage-conformance.js';

function withoutCapabilities(): StorageAdapter {
  const { users, identities, sessions, oneTimeCodes, singleUseTokens, rateLimits, ...whole } =
    memoryAdapter();
  return {
    users,
    identities,
    sessions,
    oneTimeCodes,
    singleUseTokens,
    rateLimits,
    init: () => whole.init(),
    close: () => whole.close(),
    async purgeExpired(options) {
      const counts = await whole.purgeExpired(options);
      const own = ['sessions', 'oneTimeCodes', 'singleUseTokens', 'rateLimits'];
      return Object.fromEntries(Object.entries(counts).filter(([table]) => own.includes(table)));
    },
  };
}

describeStorageAdapter('without optional repositories', withoutCapabilities);
