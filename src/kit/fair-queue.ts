/**
 * A queue within one process that serves clients in fair turns, so that a client that floods it delays its own requests and not those
 * of others. It protects no limit (the storage does); it bounds what a flood takes at once.
 */

export interface QueueBounds {
  /** How many work at once. */
  width: number;
  /** How many places there are besides those that work. */
  maxWaiting: number;
  /** How long a place may wait for its turn; default: without end. */
  timeoutMs?: number;
}

/** The queue is full, the place was given to a client that has had fewer turns, or its turn did not come in time. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** Enough to recognize hundreds of clients that flood together. */
const rememberedClients = 1_024;

interface Place {
  client: string;
  state: 'entered' | 'waiting' | 'working' | 'gone';
  admit: () => void;
  refuse: () => void;
}

export class FairQueue {
  private working = 0;
  /** Places that have not had their turn, by client, each list in order of arrival. */
  private readonly places = new Map<string, Place[]>();
  private pending = 0;
  /** The number of the last turn of each client, least recent first. Counts turns and not time: a slow machine is as fair as a fast one. */
  private readonly lastTurns = new Map<string, number>();
  private turns = 0;

  constructor(private readonly bounds: QueueBounds) {}

  /**
   * Takes a place and starts `work`, which awaits `turn()` before it does what the queue bounds. When the queue is full, the client
   * with the most places gives one up, or of those with equally many the one whose last turn is most recent.
   * @throws QueueFullError if the queue has no place for the client. `work` is not started then. `turn()` rejects with the same error
   * if the place is lost before its turn.
   */
  async run<T>(client: string, work: (turn: () => Promise<void>) => Promise<T>): Promise<T> {
    const place = this.enter(client);
    try {
      return await work(() => this.turn(place));
    } finally {
      this.leave(place);
    }
  }

  /** Refuses every place that has not had its turn. */
  clear(): void {
    for (const place of [...this.places.values()].flat()) this.refuse(place);
  }

  private enter(client: string): Place {
    const { width, maxWaiting } = this.bounds;
    if (this.working + this.pending >= width + maxWaiting) this.makeRoomFor(client);
    const place: Place = { client, state: 'entered', admit: noop, refuse: noop };
    const own = this.places.get(client);
    if (own) own.push(place);
    else this.places.set(client, [place]);
    this.pending += 1;
    return place;
  }

  /** Resolves when `place` may work: at once if it already does. */
  private async turn(place: Place): Promise<void> {
    if (place.state === 'working') return;
    if (place.state === 'gone') throw new QueueFullError();
    const { timeoutMs } = this.bounds;
    const admitted = new Promise<void>((resolve, reject) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.refuse(place), timeoutMs);
      place.admit = () => {
        clearTimeout(timer);
        resolve();
      };
      place.refuse = () => {
        clearTimeout(timer);
        reject(new QueueFullError());
      };
    });
    place.state = 'waiting';
    this.admitNext();
    await admitted;
  }

  private leave(place: Place): void {
    if (place.state === 'working') this.working -= 1;
    else if (place.state !== 'gone') this.remove(place);
    place.state = 'gone';
    this.admitNext();
  }

  private admitNext(): void {
    while (this.working < this.bounds.width) {
      const next = this.fairest();
      if (!next) return;
      this.remove(next);
      this.working += 1;
      this.noteTurn(next.client);
      next.state = 'working';
      next.admit();
    }
  }

  /** The first waiting place of the client whose last turn is longest ago; of clients without one, of the client that came first. */
  private fairest(): Place | undefined {
    let fairest: Place | undefined;
    let earliest = Infinity;
    for (const [client, own] of this.places) {
      const turn = this.lastTurnOf(client);
      if (turn >= earliest) continue;
      const waiting = own.find(({ state }) => state === 'waiting');
      if (waiting) [fairest, earliest] = [waiting, turn];
    }
    return fairest;
  }

  /** Clients alike do not take places from each other: `client` counts with the place that it would have. */
  private makeRoomFor(client: string): void {
    let most = (this.places.get(client)?.length ?? 0) + 1;
    let latest = this.lastTurnOf(client);
    let last: Place | undefined;
    for (const [each, own] of this.places) {
      const turn = this.lastTurnOf(each);
      if (each === client || own.length < most || (own.length === most && turn <= latest)) continue;
      [most, latest, last] = [own.length, turn, own.at(-1)];
    }
    if (!last) throw new QueueFullError();
    this.refuse(last);
  }

  private lastTurnOf(client: string): number {
    return this.lastTurns.get(client) ?? 0;
  }

  private noteTurn(client: string): void {
    this.turns += 1;
    // Deleted before, or it would keep its former position in the order.
    this.lastTurns.delete(client);
    this.lastTurns.set(client, this.turns);
    if (this.lastTurns.size <= rememberedClients) return;
    const [forgotten] = this.lastTurns.keys();
    if (forgotten !== undefined) this.lastTurns.delete(forgotten);
  }

  private refuse(place: Place): void {
    this.remove(place);
    place.state = 'gone';
    place.refuse();
  }

  private remove(place: Place): void {
    const own = this.places.get(place.client) ?? [];
    own.splice(own.indexOf(place), 1);
    if (own.length === 0) this.places.delete(place.client);
    this.pending -= 1;
  }
}

function noop(): void {
  // A place that does not wait has nothing to be woken from.
}
