/**
 * Bounds the concurrent work per key within one process. It enforces no limit (the storage does); it keeps a burst of requests from
 * running all at the same time. Each key has a `FairQueue` with a single client, which serves it first come, first served.
 */
import { FairQueue, QueueFullError, type QueueBounds, type QueuePlace } from './fair-queue.js';

const onlyClient = { network: '', client: '' };

export interface Turn {
  end(): void;
}

export class KeyedMutex {
  private readonly queues = new Map<string, FairQueue>();

  constructor(private readonly bounds: Required<QueueBounds>) {}

  /** Resolves when it is the caller's turn, who must end it. Resolves too if the queue of the key is full or the turn does not come in time. */
  async turn(key: string): Promise<Turn> {
    const queue = this.queues.get(key) ?? new FairQueue(this.bounds);
    this.queues.set(key, queue);
    let place: QueuePlace | undefined;
    try {
      place = queue.enter(onlyClient);
      await place.turn();
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
    }
    const end = () => {
      place?.leave();
      // The key may already have another queue, which callers that left this one in the same tick must not remove.
      if (queue.isEmpty && this.queues.get(key) === queue) this.queues.delete(key);
    };
    return { end };
  }
}
