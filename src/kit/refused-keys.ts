/**
 * Counters that have just refused a try. A flood that is refused would otherwise ask the storage for each of its requests, and all
 * of them for the same row.
 */

// Not until the window ends: a counter may be refunded or reset at any time, also by another process that this one does not hear of.
const recheckMs = 1_000;
const most = 10_000;

interface Refusal {
  retryAt: number;
  rememberedAt: number;
}

export class RefusedKeys {
  /** The oldest first. */
  private readonly refusals = new Map<string, Refusal>();

  /**
   * Returns when the last of the keys that are refused allows a try, or undefined if the storage is to be asked: one caller per
   * second is, and its answer decides for the others.
   */
  retryAt(keys: readonly string[], now: number): number | undefined {
    const refusals = keys.flatMap((key) => this.current(key, now) ?? []);
    if (refusals.length === 0) return undefined;
    const isDue = refusals.every(({ rememberedAt }) => now - rememberedAt >= recheckMs);
    if (!isDue) return Math.max(...refusals.map(({ retryAt }) => retryAt));
    for (const refusal of refusals) refusal.rememberedAt = now;
    return undefined;
  }

  /** Whether one of the keys has refused and its wait is not over. */
  has(keys: readonly string[], now: number): boolean {
    return keys.some((key) => this.current(key, now) !== undefined);
  }

  remember(key: string, retryAt: number, now: number): void {
    this.refusals.delete(key);
    this.refusals.set(key, { retryAt, rememberedAt: now });
    const [oldest] = this.refusals.keys();
    if (this.refusals.size > most && oldest !== undefined) this.refusals.delete(oldest);
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.refusals.delete(key);
  }

  private current(key: string, now: number): Refusal | undefined {
    const refusal = this.refusals.get(key);
    // A clock that was set back says nothing about how long ago that was.
    if (refusal && (now >= refusal.retryAt || now < refusal.rememberedAt)) this.refusals.delete(key);
    return this.refusals.get(key);
  }
}
