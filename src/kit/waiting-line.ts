/** Waiting lines within one process. They protect no limit (the storage does); they keep a burst from taking everything at once. */

interface Bounds {
  /** How many work at once. */
  width: number;
  /** How many wait for their turn. */
  maxWaiting: number;
  patienceMs: number;
}

/** One line: first come, first served. */
export class WaitingLine {
  private working = 0;
  /** Each is told that the place is theirs. */
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly bounds: Bounds) {}

  get isEmpty(): boolean {
    return this.working === 0;
  }

  /** Does `work` in its turn; where too many wait already, or none of them came to their turn in time, `instead`. */
  async run<T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
    if (!(await this.turn())) return instead();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The place is handed over, so that nobody can slip in between.
      if (next) next();
      else this.working -= 1;
    }
  }

  /** Waits for a place. False when there is none, or none came in time. */
  private async turn(): Promise<boolean> {
    const { waiting, bounds } = this;
    if (this.working < bounds.width) {
      this.working += 1;
      return true;
    }
    if (waiting.length >= bounds.maxWaiting) return false;
    return new Promise((resolve) => {
      const take = () => {
        clearTimeout(impatient);
        resolve(true);
      };
      const impatient = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        resolve(false);
      }, bounds.patienceMs);
      waiting.push(take);
    });
  }
}

/** A line for each key, for as long as somebody is in it. */
export class WaitingLines {
  private readonly lines = new Map<string, WaitingLine>();

  constructor(private readonly bounds: Bounds) {}

  async run<T>(key: string, work: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
    const line = this.lines.get(key) ?? new WaitingLine(this.bounds);
    this.lines.set(key, line);
    try {
      return await line.run(work, instead);
    } finally {
      // Whoever did something else may end after their line: the next one is not theirs to take away.
      if (line.isEmpty && this.lines.get(key) === line) this.lines.delete(key);
    }
  }
}
