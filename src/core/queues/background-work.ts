/** Runs work that a response does not wait for: bounded, tracked so that `close()` can wait for it, and without unhandled rejections. */
// Imported, not global: an application that tests with fake timers replaces the global one.
import { setImmediate } from 'node:timers';
import type { Clock } from '../support/clock.js';
import type { QueueLength } from '../support/telemetry.js';
import { FairQueue, queueClientOf, QueueFullError, type QueueClient } from './fair-queue.js';
import { describeError, type Logger } from '../support/logger.js';

// At most four tasks with one label use the database at the same time. A typical pool of ten connections then has some left for
// session checks.
const bounds = { width: 4, maxWaiting: 1_000 };
// A sender uses no connection and is slow. In the four places above, a mail to an address with an account would delay the work of the
// next request, and the delay would reveal the account.
const deliveryBounds = { width: 64, maxWaiting: 1_000 };
const dropReportMs = 10_000;

export class BackgroundWork {
  /** By label: work that hangs must not delay work with another label. */
  private readonly kinds = new Map<string, Kind>();
  /** The label of every task that runs or waits. */
  private readonly running = new Map<Promise<void>, string>();

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
    /** Keeps the process alive until the work has ended. */
    private readonly keepAlive?: (work: Promise<void>) => unknown,
  ) {}

  /**
   * Starts `work` after the current turn of the event loop, so that the caller's response is sent first. Up to four tasks with one
   * label run at the same time, and up to a thousand wait, in fair turns between clients. Further tasks are dropped, which is logged at
   * most every ten seconds.
   * @param label a constant that names the work.
   * @param work may resolve a delivery, such as sending a mail. Up to 64 deliveries with one label run at the same time.
   * @param ip IP address of the client that caused the work. Tasks without one count as one client.
   */
  start(label: string, work: () => Promise<Delivery | void>, ip?: string): void {
    const kind = this.kindOf(label);
    const task = this.run(kind, queueClientOf(ip), work)
      .catch((error: unknown) => {
        if (error instanceof QueueFullError) this.reportDrop(label, kind);
        else this.logger.error({ err: describeError(error) }, `${label} failed in the background`);
      })
      .finally(() => this.running.delete(task));
    this.running.set(task, label);
    void this.passOn(task);
  }

  /** An async function of the application rejects instead of throwing, and nothing else would catch that. */
  private async passOn(task: Promise<void>): Promise<void> {
    try {
      await this.keepAlive?.(task);
    } catch (error) {
      this.logger.error({ err: describeError(error) }, 'the option background failed: the work continues');
    }
  }

  private async run(
    { queue, deliveries }: Kind,
    client: QueueClient,
    work: () => Promise<Delivery | void>,
  ): Promise<void> {
    const place = queue.enter(client);
    let deliver: Delivery | void;
    try {
      await new Promise((resolve) => setImmediate(resolve));
      await place.turn();
      deliver = await work();
    } finally {
      place.leave();
    }
    if (!deliver) return;
    const placeOfDelivery = deliveries.enter(client);
    try {
      await placeOfDelivery.turn();
      await deliver();
    } finally {
      placeOfDelivery.leave();
    }
  }

  /** Resolves when no task is left, including tasks that were started in the meantime. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.keys());
  }

  /** Drops every task that has not started. */
  dropWaiting(): void {
    for (const { queue, deliveries } of this.kinds.values()) {
      queue.clear();
      deliveries.clear();
    }
  }

  /** The lengths of the queues, for telemetry. */
  *lengths(): Iterable<QueueLength> {
    for (const [label, { deliveries, queue }] of this.kinds) {
      const waiting = queue.lengths.waiting + deliveries.lengths.waiting;
      const working = queue.lengths.working + deliveries.lengths.working;
      yield { queue: label, state: 'waiting', length: waiting };
      yield { queue: label, state: 'working', length: working };
    }
  }

  /** Labels of the tasks that run or wait. */
  get labels(): string[] {
    return [...new Set(this.running.values())];
  }

  private kindOf(label: string): Kind {
    const existingKind = this.kinds.get(label);
    if (existingKind) return existingKind;
    const queues = { queue: new FairQueue(bounds), deliveries: new FairQueue(deliveryBounds) };
    const kind = { ...queues, dropped: 0, reportedAt: -Infinity };
    this.kinds.set(label, kind);
    return kind;
  }

  // A flood of requests must not become a flood of log lines.
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

/** The last step of a task, which does not use the database. */
export type Delivery = () => Promise<void>;

interface Kind {
  queue: FairQueue;
  deliveries: FairQueue;
  /** Number of tasks that were dropped since the last log line. */
  dropped: number;
  reportedAt: number;
}
