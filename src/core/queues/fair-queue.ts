/**
 * A queue within one process that serves clients in fair turns, so that a client that floods it delays its own requests and not those
 * of others. It enforces no limit (the storage does); it bounds how much of a flood runs at the same time.
 */
import { isClient } from '../../domain/client-address.js';
import { ownedNetworkOf } from '../../domain/client-network.js';
import { BoundedMap } from '../support/bounded-map.js';

export interface QueueBounds {
  /** Maximum number of places that work at the same time. */
  width: number;
  /** Maximum number of places that have not had their turn. */
  maxWaiting: number;
  /** How long a place may wait for its turn. Default: no limit. */
  timeoutMs?: number;
}

/** Identifies whose turn it is: networks take turns, and the clients of a network take turns within those of the network. */
export interface QueueClient {
  network: string;
  client: string;
}

/**
 * Returns the client of a request. The clients of one IPv6 network must not multiply the turns of its owner.
 * @param isKnownDevice known devices take turns apart from the other clients of their network, who may be strangers at the same address.
 */
export function queueClientOf(address?: string | null, isKnownDevice = false): QueueClient {
  const ip = isClient(address) ? address : '';
  const kind = isKnownDevice ? 'known ' : '';
  return { network: kind + ownedNetworkOf(ip), client: kind + ip };
}

/** Thrown if the queue is full, if the place was given to a client that has had fewer turns, or if its turn did not come in time. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** A place in the queue, which the caller must leave. */
export interface QueuePlace {
  /** Resolves when the place may work: immediately if it already does. @throws QueueFullError if the place is lost before. */
  turn(): Promise<void>;
  leave(): void;
}

interface Place extends QueueClient {
  state: 'entered' | 'waiting' | 'working' | 'gone';
  /** Settles the promise of a place that waits for its turn. */
  settle?: () => void;
}

/** Enough to recognize hundreds of clients that flood together. */
const maxRemembered = 2_048;

export class FairQueue {
  private working = 0;
  private pending = 0;
  /** Places that have not had their turn, by client, in order of arrival. */
  private readonly places = new Map<string, Place[]>();
  /** Numbers of the last turns of networks and clients. Counts turns and not time: a slow machine is as fair as a fast one. */
  private readonly lastTurns = new BoundedMap<string, number>(maxRemembered);
  private turns = 0;

  constructor(private readonly bounds: QueueBounds) {}

  /**
   * Takes a place. If the queue is full, the network with the most places loses one. Among networks with equally many, it is the one whose
   * last turn is most recent. The same rule chooses the client within the network.
   * @throws QueueFullError if the queue has no place for the client.
   */
  enter(client: QueueClient): QueuePlace {
    const { width, maxWaiting } = this.bounds;
    const place: Place = { ...client, state: 'entered' };
    if (this.working + this.pending >= width + maxWaiting) this.makeRoomFor(place);
    this.places.set(place.client, [...(this.places.get(place.client) ?? []), place]);
    this.pending += 1;
    return { turn: () => this.turn(place), leave: () => this.leave(place) };
  }

  /** How many places wait for their turn, and how many have it. */
  get lengths(): { waiting: number; working: number } {
    return { waiting: this.pending, working: this.working };
  }

  /** Refuses every place that has not had its turn. */
  clear(): void {
    for (const place of [...this.places.values()].flat()) this.refuse(place);
  }

  private async turn(place: Place): Promise<void> {
    if (place.state === 'working') return;
    if (place.state === 'entered') place.state = 'waiting';
    this.admitNext();
    if (place.state === 'waiting') {
      const { timeoutMs } = this.bounds;
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.refuse(place), timeoutMs);
      await new Promise<void>((resolve) => (place.settle = resolve));
      clearTimeout(timer);
    }
    if (place.state === 'gone') throw new QueueFullError();
  }

  private leave(place: Place): void {
    if (place.state === 'working') this.working -= 1;
    else this.refuse(place);
    place.state = 'gone';
    this.admitNext();
  }

  private admitNext(): void {
    while (this.working < this.bounds.width) {
      const next = this.fairest();
      if (!next) return;
      this.turns += 1;
      for (const name of [next.network, next.client]) this.lastTurns.set(name, this.turns);
      this.working += 1;
      this.remove(next, 'working');
    }
  }

  /**
   * Returns the first waiting place of the client whose last turn is longest ago, in the network whose last turn is longest ago; among
   * equals, the first that arrived.
   */
  private fairest(): Place | undefined {
    let fairest: Place | undefined;
    for (const places of this.places.values()) {
      const next = places.find(({ state }) => state === 'waiting');
      if (next && (!fairest || compare(this.lastTurnsOf(next), this.lastTurnsOf(fairest)) < 0))
        fairest = next;
    }
    return fairest;
  }

  /** Removes a place for `newcomer`, which counts with the place that it would have: equal clients do not take places from each other. */
  private makeRoomFor(newcomer: Place): void {
    const sizes = new Map([[newcomer.network, 1]]);
    for (const places of this.places.values())
      sizes.set(places[0]!.network, (sizes.get(places[0]!.network) ?? 0) + places.length);
    const rankOf = (place: Place, count: number) => {
      const [ofNetwork, ofClient] = this.lastTurnsOf(place);
      return [sizes.get(place.network) ?? 0, ofNetwork, count, ofClient];
    };
    let most = rankOf(newcomer, (this.places.get(newcomer.client)?.length ?? 0) + 1);
    let last: Place | undefined;
    for (const places of this.places.values()) {
      const rank = rankOf(places[0]!, places.length);
      const isMost = last ? compare(rank, most) >= 0 : compare(rank, most) > 0;
      if (isMost && places[0]!.client !== newcomer.client) [most, last] = [rank, places.at(-1)];
    }
    if (!last) throw new QueueFullError();
    this.refuse(last);
  }

  private lastTurnsOf({ network, client }: QueueClient): [number, number] {
    return [this.lastTurns.get(network) ?? 0, this.lastTurns.get(client) ?? 0];
  }

  private refuse(place: Place): void {
    if (place.state === 'entered' || place.state === 'waiting') this.remove(place, 'gone');
  }

  private remove(place: Place, state: 'working' | 'gone'): void {
    const others = this.places.get(place.client)?.filter((other) => other !== place) ?? [];
    if (others.length > 0) this.places.set(place.client, others);
    else this.places.delete(place.client);
    this.pending -= 1;
    place.state = state;
    place.settle?.();
  }
}

/** Compares lexicographically: by the first number that differs. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
