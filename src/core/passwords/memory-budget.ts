/**
 * Bounds the memory of the hashes that are computed at the same time in one process: four verifications of the most expensive hash that can
 * be imported would take four gigabytes. First come, first served, so that an expensive hash cannot be overtaken forever.
 */

export class MemoryBudget {
  private used = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly bytes: number) {}

  /** Runs work that takes so much memory, when there is enough. Work that takes more than there is at all runs alone. */
  async run<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    const needed = Math.min(bytes, this.bytes);
    if (this.waiting.length > 0 || this.used + needed > this.bytes) {
      await new Promise<void>((resolve) => {
        this.waiting.push(() => {
          if (this.used + needed > this.bytes) return;
          this.waiting.shift();
          this.used += needed;
          resolve();
        });
      });
    } else {
      this.used += needed;
    }
    try {
      return await work();
    } finally {
      this.used -= needed;
      this.admit();
    }
  }

  /** How much is in use, in bytes, and how many wait. */
  get state(): { used: number; waiting: number } {
    return { used: this.used, waiting: this.waiting.length };
  }

  private admit(): void {
    for (let before = -1; before !== this.waiting.length;) {
      before = this.waiting.length;
      this.waiting[0]?.();
    }
  }
}

/** Of all services in the process, whose memory is one. */
export const hashMemory = new MemoryBudget(512 * 1024 * 1024);
