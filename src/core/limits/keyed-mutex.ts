/**
 * Bounds the concurrent work per key within one process. It enforces no limit (the storage does); it keeps a burst of requests from
 * running all at the same time. Each key has a `FairQueue` with a single client, which serves it first come, first served.
 */
import { FairQueue, type QueueBounds } from './fair-queue.js';

const onlyClient = { network: '', client: '' };

export class KeyedMutex {
  private readonly queues = new Map<string, FairQueue>();

  constructor(private readonly bounds: Required<QueueBounds>) {}

  /** Runs `work` in its turn, or `instead` if the queue of the key is full or the turn does not come in time. */
  async run<T>(key: string, work: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? new FairQueue(this.bounds);
    this.queues.set(key, queue);
    let isAdmitted = false;
    try {
      return await queue.run(onlyClient, async (turn) => {
        await turn();
        isAdmitted = true;
        return work();
      });
    } catch (error) {
      if (isAdmitted) throw error;
    } finally {
      // The key may already have another queue, which callers that left this one in the same tick must not remove.
      if (queue.isEmpty && this.queues.get(key) === queue) this.queues.delete(key);
    }
    return instead();
  }
}
