/**
 * Bounds the concurrent work per key within one process, first come, first served. It enforces no limit (the storage does); it keeps a
 * burst of requests from running all at the same time.
 */

export interface MutexBounds {
  /** Maximum number of turns of a key at the same time. */
  width: number;
  /** Maximum number of callers that wait for their turn. */
  maxWaiting: number;
  /** How long a caller waits. */
  timeoutMs: number;
}

export interface Turn {
  end(): void;
}

interface Line {
  turns: number;
  /** Each gives its caller the turn of another. */
  waiting: Set<() => void>;
}

const noTurn: Turn = { end: () => undefined };

export class KeyedMutex {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly bounds: MutexBounds) {}

  /** Resolves when it is the caller's turn, who must end it. Resolves too if too many callers wait, or the turn does not come in time. */
  async turn(key: string): Promise<Turn> {
    const line = this.lines.get(key) ?? { turns: 0, waiting: new Set() };
    this.lines.set(key, line);
    if (line.turns < this.bounds.width) line.turns += 1;
    else if (!(await this.takesOver(line))) return noTurn;
    return { end: () => this.end(key, line) };
  }

  /** Resolves true when the caller gets the turn of another, or false if that takes too long. */
  private async takesOver({ waiting }: Line): Promise<boolean> {
    const { maxWaiting, timeoutMs } = this.bounds;
    if (waiting.size >= maxWaiting) return false;
    return new Promise((resolve) => {
      const takeOver = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.delete(takeOver);
        resolve(false);
      }, timeoutMs);
      waiting.add(takeOver);
    });
  }

  private end(key: string, line: Line): void {
    const [next] = line.waiting;
    if (next) {
      line.waiting.delete(next);
      next();
      return;
    }
    line.turns -= 1;
    if (line.turns === 0) this.lines.delete(key);
  }
}
