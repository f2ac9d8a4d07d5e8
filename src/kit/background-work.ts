/** Work that a response does not wait for: bounded, tracked so that `close()` can wait for it, and never an unhandled rejection. */
// Imported, not global: a host that tests with fake timers replaces the global one.
import { setImmediate } from 'node:timers';
import type { Clock } from './clock.js';
import { FairQueue, QueueFullError } from './fair-queue.js';
import { describeError, type Logger } from './logger.js';

// The database is asked by at most four tasks of a kind at once, which leaves connections of a usual pool of ten to session checks.
const bounds = { width: 4, maxWaiting: 1_000 };
const dropReportMs = 10_000;

export class BackgroundWork {
  /** By label: a sender that hangs must not hold up work of another kind. */
  private readonly kinds = new Map<string, Kind>();
  /** Every task with its label. */
  private readonly running = new Map<Promise<void>, string>();

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts `work` after the current turn of the event loop, so that the caller's response is on its way first. Four tasks with one
   * label run at once and a thousand wait, by fair turns between clients. A task beyond that is dropped and logged, ten seconds apart
   * at least.
   * @param label a constant that says what it is.
   * @param client the client that caused it; tasks without one count as one client.
   */
  start(label: string, work: () => Promise<void>, client = ''): void {
    const kind = this.kindOf(label);
    const task = kind.queue
      .run(client, async (turn) => {
        await new Promise((resolve) => setImmediate(resolve));
        await turn();
        await work();
      })
      .catch((error: unknown) => {
        if (error instanceof QueueFullError) this.reportDrop(label, kind);
        else this.logger.error({ err: describeError(error) }, `${label} failed in the background`);
      })
      .finally(() => this.running.delete(task));
    this.running.set(task, label);
  }

  /** Resolves when no task is running any more, including tasks that were started in the meantime. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.keys());
  }

  /** Drops every task that has not begun. */
  dropWaiting(): void {
    for (const { queue } of this.kinds.values()) queue.clear();
  }

  /** The labels of tasks that run or wait. */
  get labels(): string[] {
    return [...new Set(this.running.values())];
  }

  private kindOf(label: string): Kind {
    const kind = this.kinds.get(label) ?? { queue: new FairQueue(bounds), dropped: 0, reportedAt: -Infinity };
    this.kinds.set(label, kind);
    return kind;
  }

  // A flood must not become a flood of log lines.
  private reportDrop(label: string, kind: Kind): void {
    kind.dropped += 1;
    const now = this.clock();
    if (now - kind.reportedAt < dropReportMs) return;
    this.logger.warn(
      { event: 'background_work_dropped', work: label, dropped: kind.dropped },
      'the queue of background work is full',
    );
    Object.assign(kind, { dropped: 0, reportedAt: now });
  }
}

interface Kind {
  queue: FairQueue;
  /** Tasks that were dropped since the last line in the log. */
  dropped: number;
  reportedAt: number;
}
