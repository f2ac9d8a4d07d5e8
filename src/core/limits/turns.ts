/** Remembers when each client had its last turn. Counts turns and not time: a slow machine is as fair as a fast one. */

/** Enough to recognize hundreds of clients that flood together. */
const maxRemembered = 1_024;

export class Turns {
  /** Number of the last turn by name, least recent first. */
  private readonly numbers = new Map<string, number>();
  private latest = 0;

  /** Returns the number of the last turn, or 0 if none is remembered. */
  lastOf(name: string): number {
    return this.numbers.get(name) ?? 0;
  }

  note(name: string): void {
    this.latest += 1;
    // A Map keeps the position of a key that is set again, so the key is deleted first.
    this.numbers.delete(name);
    this.numbers.set(name, this.latest);
    if (this.numbers.size <= maxRemembered) return;
    const [oldest] = this.numbers.keys();
    if (oldest !== undefined) this.numbers.delete(oldest);
  }
}
