/** Work that an answer does not wait for: tracked, so that `close()` can wait for it, and never an unhandled rejection. */
// Imported, not global: a host that tests with fake timers replaces the global one.
import { setImmediate } from 'node:timers';
import { describeError, type Logger } from './logger.js';

export class BackgroundWork {
  /** With what each is called. */
  private readonly running = new Map<Promise<void>, string>();

  constructor(private readonly logger: Logger) {}

  /** Starts `work` after the current turn of the event loop, so that the caller's answer is on its way first. */
  start(label: string, work: () => Promise<void>): void {
    const task = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch((error: unknown) =>
        this.logger.error({ err: describeError(error) }, `${label} failed in the background`),
      )
      .finally(() => this.running.delete(task));
    this.running.set(task, label);
  }

  /** Resolves when nothing is running any more, what was started meanwhile included. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.keys());
  }

  /** What is under way. */
  get labels(): string[] {
    return [...this.running.values()];
  }
}
