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

interface RunningHits {
  hits: number;
  corrections: number;
}

export class RefusedKeys {
  private readonly refusals = new BoundedMap<string, Refusal>(maxRefusals);
  /** The counters that are being asked, and how often each was corrected since. */
  private readonly running = new Map<string, RunningHits>();

  /**
   * Returns which of the refused keys allows an attempt last, and when, or undefined if the caller must query the storage. One caller per second
   * queries it, and the result decides for the others.
   */
  retryAt(keys: readonly string[], now: number): { key: string; retryAt: number } | undefined {
    const refusals: Refusal[] = [];
    let last: { key: string; retryAt: number } | undefined;
    for (const key of keys) {
      const refusal = this.current(key, now);
      if (!refusal) continue;
      refusals.push(refusal);
      if (!last || refusal.retryAt > last.retryAt) last = { key, retryAt: refusal.retryAt };
    }
    if (!last) return undefined;
    const isDue = refusals.every(({ rememberedAt }) => now - rememberedAt >= recheckMs);
    if (!isDue) return last;
    for (const refusal of refusals) refusal.rememberedAt = now;
    return undefined;
  }

  /** Returns whether one of the keys has refused and its wait is not over. */
  has(keys: readonly string[], now: number): boolean {
    return keys.some((key) => this.current(key, now) !== undefined);
  }

  /**
   * Called before a hit.
   * @returns ends the hit, and returns the keys that were corrected in the meantime: a refusal of theirs may be out of date.
   */
  beginHit(keys: readonly string[]): () => ReadonlySet<string> {
    const begun: { key: string; counter: RunningHits; before: number }[] = [];
    for (const key of keys) {
      const counter = this.running.get(key) ?? { hits: 0, corrections: 0 };
      counter.hits += 1;
      this.running.set(key, counter);
      begun.push({ key, counter, before: counter.corrections });
    }
    return () => {
      const corrected = new Set<string>();
      for (const { key, counter, before } of begun) {
        counter.hits -= 1;
        if (counter.hits === 0) this.running.delete(key);
        if (counter.corrections !== before) corrected.add(key);
      }
      return corrected;
    };
  }

  remember(key: string, retryAt: number, now: number): void {
    this.refusals.set(key, { retryAt, rememberedAt: now });
  }

  /** Called after a counter has allowed an attempt. */
  allow(key: string): void {
    this.refusals.delete(key);
  }

  /** Called after the counters were corrected. */
  delete(keys: readonly string[]): void {
    for (const key of keys) {
      this.refusals.delete(key);
      const counter = this.running.get(key);
      if (counter) counter.corrections += 1;
    }
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
