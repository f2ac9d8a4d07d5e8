/**
 * Remembers counters that have just refused an attempt. Without it, each request of a refused flood would query the storage, and all
 * of them the same row.
 */
import { BoundedMap } from '../support/bounded-map.js';

// Shorter than a window: a counter may be refunded or reset at any time, also by another process, which this one does not notice.
const recheckMs = 1_000;
const maxRefusals = 10_000;

interface Refusal {
  retryAt: number;
  rememberedAt: number;
}

export class RefusedKeys {
  private readonly refusals = new BoundedMap<string, Refusal>(maxRefusals);

  /**
   * Returns when the last of the refused keys allows an attempt, or undefined if the caller must query the storage. One caller per second
   * queries it, and the result decides for the others.
   */
  retryAt(keys: readonly string[], now: number): number | undefined {
    const refusals = keys.flatMap((key) => this.current(key, now) ?? []);
    if (refusals.length === 0) return undefined;
    const isDue = refusals.every(({ rememberedAt }) => now - rememberedAt >= recheckMs);
    if (!isDue) return Math.max(...refusals.map(({ retryAt }) => retryAt));
    for (const refusal of refusals) refusal.rememberedAt = now;
    return undefined;
  }

  /** Returns whether one of the keys has refused and its wait is not over. */
  has(keys: readonly string[], now: number): boolean {
    return keys.some((key) => this.current(key, now) !== undefined);
  }

  remember(key: string, retryAt: number, now: number): void {
    this.refusals.set(key, { retryAt, rememberedAt: now });
  }

  delete(keys: readonly string[]): void {
    for (const key of keys) this.refusals.delete(key);
  }

  clear(): void {
    this.refusals.clear();
  }

  private current(key: string, now: number): Refusal | undefined {
    const refusal = this.refusals.get(key);
    // After the clock was set back, the age of a refusal is unknown.
    if (refusal && (now >= refusal.retryAt || now < refusal.rememberedAt)) this.refusals.delete(key);
    return this.refusals.get(key);
  }
}
