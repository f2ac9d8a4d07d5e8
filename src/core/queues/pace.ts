/**
 * Slows down a flood: a client that waits for each response sends fewer requests, which leaves time for other clients. Counts within one
 * process and by the machine's own clock, because the machine is what a flood keeps busy.
 */
// Imported, not global: an application that tests with fake timers replaces the global one.
import { setTimeout } from 'node:timers/promises';

const delayMs = 500;

export class Pace {
  private second = 0;
  /** Number of responses in this second, by key. */
  private readonly counts = new Map<string, number>();

  /**
   * @param maxUndelayed how many responses per key and second are not delayed.
   * @param now the time in milliseconds.
   */
  constructor(
    private readonly maxUndelayed: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Resolves when the response may be sent: immediately, or half a second later if this second already has too many with this key. */
  async wait(key = ''): Promise<void> {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) this.counts.clear();
    this.second = second;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (count > this.maxUndelayed) await setTimeout(delayMs);
  }
}
