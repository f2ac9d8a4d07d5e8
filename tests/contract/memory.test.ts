import { memoryAdapter } from '../../src/adapters/memory/memory-adapter.js';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';

describeStorageAdapter('memoryAdapter', () => memoryAdapter(), undefined, { without: ['fastPaths'] });
