/**
 * Waiting lines by key, within one process. They protect no limit (the storage does); they keep a burst of honest
 * parallel tries from being counted as guesses while they are under way.
 */
// Two at a time from each of four processes stay below the smallest limit on tries, which is ten.
const width = 2;
const maxWaiting = 64;
// Where those in front wait for something themselves, such as a connection, the last one must not wait for all of them.
const patienceMs = 2_000;

interface Lane {
  running: number;
  /** Each is told that the place is theirs. */
  waiting: (() => void)[];
}

export class Lanes {
  private readonly lanes = new Map<string, Lane>();

  /** Where too many are in line already, or the line does not move, the work does not wait: the limit itself decides. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(key) ?? { running: 0, waiting: [] };
    this.lanes.set(key, lane);
    if (lane.running < width) lane.running += 1;
    else if (lane.waiting.length >= maxWaiting || !(await placeIn(lane))) return work();
    try {
      return await work();
    } finally {
      this.leave(key, lane);
    }
  }

  private leave(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    // The place is handed over, so that nobody can slip in between.
    if (next) return next();
    lane.running -= 1;
    if (lane.running === 0) this.lanes.delete(key);
  }
}

/** Waits for a place. False when none came in time. */
function placeIn({ waiting }: Lane): Promise<boolean> {
  return new Promise((resolve) => {
    const take = () => {
      clearTimeout(impatient);
      resolve(true);
    };
    const impatient = setTimeout(() => {
      waiting.splice(waiting.indexOf(take), 1);
      resolve(false);
    }, patienceMs);
    waiting.push(take);
  });
}
