/**
 * Slows down a flood: a client that waits for each answer sends fewer requests, which leaves time to the others. Within one process, and
 * by the time of the machine, because it is the machine that is busy.
 */
// Imported, not global: a host that tests with fake timers replaces the global one.
import { setTimeout } from 'node:timers/promises';

const delayMs = 500;

export class Pace {
  private second = 0;
  /** Of this second, by key. */
  private readonly counts = new Map<string, number>();

  /** @param atOnce how many answers with one key are not delayed in a second. */
  constructor(private readonly atOnce: number) {}

  /** Resolves when the answer may be sent: at once, or half a second later if there are many with this key in this second. */
  async wait(key = ''): Promise<void> {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.second) this.counts.clear();
    this.second = second;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (count > this.atOnce) await setTimeout(delayMs);
  }
}
