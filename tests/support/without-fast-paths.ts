/** An adapter of which the engine calls the elementary methods only, so that a test can watch or delay one of them. */
import type { StorageAdapter } from 'svc-auth';

export function withoutFastPaths({ fastPaths: _, ...adapter }: StorageAdapter): StorageAdapter {
  return adapter;
}
