/** Work that a response does not wait for: bounded, tracked so that `close()` can wait for it, and never an unhandled rejection. */
// Imported, not global: a host that tests with fake timers replaces the global one.
import { setImmediate } from 'node:timers';
import type { Clock } from './clock.js';
import { FairQueue, queueClientOf, QueueFullError } from './fair-queue.js';
import { describeError, type Logger } from './logger.js';

// The database is asked by at most four tasks of a kind at once, which leaves connections of a usual pool of ten to session checks.
const bounds = { width: 4, maxWaiting: 1_000 };
// A sender takes no connection, and is slow. In the four places above, mails to addresses that have an account would delay the next
// request's, and their time would reveal the account.
const deliveryBounds = { width: 64, maxWaiting: 1_000 };
const dropReportMs = 10_000;

export class BackgroundWork {
  /** By label: work that hangs must not hold up work of another kind. */
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
   * @param work may resolve a delivery, such as the sending of a mail: 64 with one label run at once.
   * @param ip the client that caused it; tasks without one count as one client.
   */
  start(label: string, work: () => Promise<Delivery | void>, ip?: string): void {
    const kind = this.kindOf(label);
    const client = queueClientOf(ip);
    const prepare = kind.queue.run(client, async (turn) => {
      await new Promise((resolve) => setImmediate(resolve));
      await turn();
      return work();
    });
    const task = prepare
      .then((deliver) => deliver && kind.deliveries.run(client, (turn) => turn().then(deliver)))
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
    for (const { queue, deliveries } of this.kinds.values()) {
      queue.clear();
      deliveries.clear();
    }
  }

  /** The labels of tasks that run or wait. */
  get labels(): string[] {
    return [...new Set(this.running.values())];
  }

  private kindOf(label: string): Kind {
    const known = this.kinds.get(label);
    if (known) return known;
    const queues = { queue: new FairQueue(bounds), deliveries: new FairQueue(deliveryBounds) };
    const kind = { ...queues, dropped: 0, reportedAt: -Infinity };
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

/** What a task does last, without the database. */
export type Delivery = () => Promise<void>;

interface Kind {
  queue: FairQueue;
  deliveries: FairQueue;
  /** Tasks that were dropped since the last line in the log. */
  dropped: number;
  reportedAt: number;
}
