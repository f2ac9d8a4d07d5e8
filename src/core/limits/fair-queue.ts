/**
 * A queue within one process that serves clients in fair turns, so that a client that floods it delays its own requests and not those
 * of others. It enforces no limit (the storage does); it bounds how much of a flood runs at the same time.
 */
import { isClient } from '../../domain/client-address.js';
import { networkOf } from '../../domain/client-network.js';
import { Turns } from './turns.js';

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
 * Returns the client of a request. The owner of an IPv6 network has 65,536 clients in it, which must not multiply the owner's turns. The
 * IPv4 addresses of one network belong to many people, so each is its own network.
 * @param isKnownDevice known devices take turns apart from the other clients of their network, who may be strangers at the same address.
 */
export function queueClientOf(address?: string | null, isKnownDevice = false): QueueClient {
  const ip = isClient(address) ? address : '';
  const kind = isKnownDevice ? 'known ' : '';
  const network = ip.includes(':') ? (networkOf(ip) ?? ip) : ip;
  return { network: kind + network, client: kind + ip };
}

/** Thrown if the queue is full, if the place was given to a client that has had fewer turns, or if its turn did not come in time. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

interface Place extends QueueClient {
  state: 'entered' | 'waiting' | 'working' | 'gone';
  admit: () => void;
  refuse: () => void;
}

export class FairQueue {
  private working = 0;
  /** Places that have not had their turn, by client, in order of arrival. */
  private readonly places = new Map<string, [Place, ...Place[]]>();
  private pending = 0;
  private readonly turns = { networks: new Turns(), clients: new Turns() };

  constructor(private readonly bounds: QueueBounds) {}

  /**
   * Takes a place and starts `work`, which awaits `turn()` before it does what the queue bounds. If the queue is full, the network
   * with the most places loses one. Among networks with equally many, it is the one whose last turn is most recent. The same rule
   * chooses the client within the network.
   * @throws QueueFullError if the queue has no place for the client; `work` is not started then. `turn()` rejects with the same error
   * if the place is lost before its turn.
   */
  async run<T>(client: QueueClient, work: (turn: () => Promise<void>) => Promise<T>): Promise<T> {
    const place = this.enter(client);
    try {
      return await work(() => this.turn(place));
    } finally {
      this.leave(place);
    }
  }

  get isEmpty(): boolean {
    return this.working + this.pending === 0;
  }

  /** Refuses every place that has not had its turn. */
  clear(): void {
    for (const place of [...this.places.values()].flat()) this.refuse(place);
  }

  private enter({ network, client }: QueueClient): Place {
    const { width, maxWaiting } = this.bounds;
    const place: Place = { network, client, state: 'entered', admit: noop, refuse: noop };
    if (this.working + this.pending >= width + maxWaiting) this.makeRoomFor(place);
    const placesOfClient = this.places.get(client);
    if (placesOfClient) placesOfClient.push(place);
    else this.places.set(client, [place]);
    this.pending += 1;
    return place;
  }

  /** Resolves when `place` may work: immediately if it already does. */
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
    else this.refuse(place);
    place.state = 'gone';
    this.admitNext();
  }

  private admitNext(): void {
    while (this.working < this.bounds.width) {
      const next = this.fairest();
      if (!next) return;
      this.remove(next);
      this.working += 1;
      this.turns.networks.note(next.network);
      this.turns.clients.note(next.client);
      next.state = 'working';
      next.admit();
    }
  }

  /**
   * Returns the first waiting place of the client whose last turn is longest ago, in the network whose last turn is longest ago; among
   * equals, the first that arrived.
   */
  private fairest(): Place | undefined {
    let fairest: Place | undefined;
    let earliest = [Infinity];
    for (const places of this.places.values()) {
      const lastTurns = this.lastTurnsOf(places[0]);
      if (compare(lastTurns, earliest) >= 0) continue;
      const waiting = places.find(({ state }) => state === 'waiting');
      if (waiting) [fairest, earliest] = [waiting, lastTurns];
    }
    return fairest;
  }

  /** Removes a place for `newcomer`, which counts with the place that it would have: equal clients do not take places from each other. */
  private makeRoomFor(newcomer: Place): void {
    const sizes = new Map([[newcomer.network, 1]]);
    for (const [{ network }, ...others] of this.places.values())
      sizes.set(network, (sizes.get(network) ?? 0) + 1 + others.length);
    const rankOf = (place: Place, count: number) => {
      const [ofNetwork, ofClient] = this.lastTurnsOf(place);
      return [sizes.get(place.network) ?? 0, ofNetwork, count, ofClient];
    };
    const newRank = rankOf(newcomer, (this.places.get(newcomer.client)?.length ?? 0) + 1);
    let most = newRank;
    let last: Place | undefined;
    for (const [client, places] of this.places) {
      const rank = rankOf(places[0], places.length);
      const isTaken = client !== newcomer.client && compare(rank, newRank) > 0 && compare(rank, most) >= 0;
      if (isTaken) [most, last] = [rank, places.at(-1)];
    }
    if (!last) throw new QueueFullError();
    this.refuse(last);
  }

  private lastTurnsOf({ network, client }: QueueClient): [number, number] {
    return [this.turns.networks.lastOf(network), this.turns.clients.lastOf(client)];
  }

  private refuse(place: Place): void {
    if (place.state === 'gone') return;
    this.remove(place);
    place.state = 'gone';
    place.refuse();
  }

  private remove(place: Place): void {
    const [first, ...others] = (this.places.get(place.client) ?? []).filter((other) => other !== place);
    if (first) this.places.set(place.client, [first, ...others]);
    else this.places.delete(place.client);
    this.pending -= 1;
  }
}

/** Compares lexicographically: by the first number that differs. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function noop(): void {
  // A place that is not waiting has no promise to settle.
}
