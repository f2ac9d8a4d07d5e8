/** The numbers of last turns. Counts turns and not time: a slow machine is as fair as a fast one. */

/** Enough to recognize hundreds of clients that flood together. */
const remembered = 1_024;

export class Turns {
  /** Least recent first. */
  private readonly numbers = new Map<string, number>();
  private latest = 0;

  /** 0 without a turn that is remembered. */
  lastOf(who: string): number {
    return this.numbers.get(who) ?? 0;
  }

  note(who: string): void {
    this.latest += 1;
    // Deleted before, or it would keep its former position in the order.
    this.numbers.delete(who);
    this.numbers.set(who, this.latest);
    if (this.numbers.size <= remembered) return;
    const [forgotten] = this.numbers.keys();
    if (forgotten !== undefined) this.numbers.delete(forgotten);
  }
}
