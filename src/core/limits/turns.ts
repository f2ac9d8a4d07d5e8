/** Remembers when each client had its last turn. Counts turns and not time: a slow machine is as fair as a fast one. */
import { BoundedMap } from '../support/bounded-map.js';

/** Enough to recognize hundreds of clients that flood together. */
const maxRemembered = 1_024;

export class Turns {
  /** Number of the last turn by name. */
  private readonly numbers = new BoundedMap<string, number>(maxRemembered);
  private latest = 0;

  /** Returns the number of the last turn, or 0 if none is remembered. */
  lastOf(name: string): number {
    return this.numbers.get(name) ?? 0;
  }

  note(name: string): void {
    this.latest += 1;
    this.numbers.set(name, this.latest);
  }
}
