/** Empties the storage between tests. */
import { settlesWithin } from '../core/support/timeouts.js';
import type { Toolkit } from '../core/toolkit.js';

const drainMs = 5_000;

/** Waits for background work, which may still write, and removes every row and what the process remembers of it. */
export async function clearStorage({
  background,
  limiter,
  statistics,
  storage,
}: Pick<Toolkit, 'background' | 'limiter' | 'statistics' | 'storage'>): Promise<void> {
  if (!storage.clear) throw new Error('The storage adapter has no method clear().');
  if (!(await settlesWithin(drainMs, background.drain())))
    throw new Error(`Background work does not end: ${background.labels.join(', ')}.`);
  await statistics?.clear();
  await storage.clear();
  limiter.forgetRefusals();
}
