/** The queue of password work, which keeps a flood of logins from delaying other users. */
import type { PasswordHasher } from './password-hasher.js';
import { performance } from 'node:perf_hooks';
import { RateLimitError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { randomToken } from '../../crypto/random.js';
import type { Telemetry } from '../support/telemetry.js';
import { withTimeout } from '../support/timeouts.js';
import { withImportedFormats } from './foreign/foreign-hasher.js';
import { isMarked } from './foreign/imported-hash.js';
import {
  FairQueue,
  queueClientOf,
  QueueFullError,
  type QueueClient,
  type QueuePlace,
} from '../queues/fair-queue.js';

// Far longer than any usable cost takes at the end of the queue: a hasher that needs longer hangs, and would keep its place forever.
const timeoutMs = 5 * 60_000;
// bcrypt runs on libuv's threads and takes about 60 ms. Twice as many places work as there are threads, so that no thread waits for a
// query. The other places have not started, and take neither connections nor time from requests without a password. With 64 places the
// last one waits about a second.
const places = 64;
const threads = Math.max(1, Number(process.env['UV_THREADPOOL_SIZE']) || 4);
const width = Math.min(2 * threads, places);

/**
 * A place in the queue of password work, which the caller must leave. Each method waits for the turn of the place, which lasts once it
 * has come. @throws RateLimitError if the turn does not come within five minutes, or the place is lost to another client.
 */
export interface PasswordPlace {
  /** Resolves when it is the turn of this place. */
  turn(): Promise<void>;
  hashPassword(plain: string): Promise<string>;
  /** Returns whether a password matches a hash. Always costs one verification: if `hash` is null, the password is compared with a decoy. */
  verifyPassword(plain: string, hash: string | null): Promise<boolean>;
  leave(): void;
}

/** Hashes and verifies passwords in a bounded queue with fair turns, and takes as long for users that do not exist. */
export class PasswordVerifier {
  private readonly queue = new FairQueue({ width, maxWaiting: places - width, timeoutMs });
  private decoy: Promise<string> | undefined;
  private readonly hasher: PasswordHasher;

  constructor(
    hasher: PasswordHasher,
    private readonly telemetry: Telemetry | null = null,
  ) {
    this.hasher = withImportedFormats(hasher, () => this.prepare());
    telemetry?.watchQueues(() => {
      const { waiting, working } = this.queue.lengths;
      return [
        { queue: 'passwords', state: 'waiting', length: waiting },
        { queue: 'passwords', state: 'working', length: working },
      ];
    });
  }

  /** Hashes a password in a new place of the queue. @throws RateLimitError if the queue is full, or the turn does not come in time. */
  async hashPassword(plain: string, ip: string | undefined): Promise<string> {
    const place = this.enter(queueClientOf(ip));
    try {
      return await place.hashPassword(plain);
    } finally {
      place.leave();
    }
  }

  /**
   * Takes a place in the queue, before limits are consumed: a flood that finds the queue full does not reach the database. Clients have
   * fair turns.
   * @throws RateLimitError if the queue is full.
   */
  enter(client: QueueClient): PasswordPlace {
    try {
      return this.placeIn(this.queue.enter(client));
    } catch (error) {
      throw asRateLimit(error);
    }
  }

  /** Returns the decoy. It is hashed with the configured hasher, so that it costs as much as a stored hash. */
  prepare(): Promise<string> {
    this.decoy ??= bounded(this.hasher.hash(randomToken())).catch((error: unknown) => {
      this.decoy = undefined;
      throw error;
    });
    return this.decoy;
  }

  /** Returns whether a stored hash should be replaced, with the password that has just matched it. */
  needsRehash(hash: string, plain: string): boolean {
    return this.hasher.needsRehash?.(hash) === true && (!isMarked(hash) || isSpelledOneWay(plain));
  }

  /** Returns false if no password can match a stored hash, because its format is unknown. */
  recognizes(hash: string): boolean {
    return this.hasher.recognizes?.(hash) ?? true;
  }

  private placeIn(place: QueuePlace): PasswordPlace {
    let isWaiting = true;
    const turn = async () => {
      try {
        // Once for each place: its turn lasts.
        await (isWaiting && this.telemetry ? waitTraced(this.telemetry, place) : place.turn());
        isWaiting = false;
      } catch (error) {
        throw asRateLimit(error);
      }
    };
    return {
      turn,
      leave: () => place.leave(),
      hashPassword: async (plain) => {
        await turn();
        return bounded(this.hasher.hash(plain));
      },
      verifyPassword: async (plain, hash) => {
        await turn();
        const comparedHash = hash ?? (await this.prepare());
        const matches: unknown = await bounded(this.hasher.verify(plain, comparedHash));
        return matches === true && hash !== null;
      },
    };
  }
}

/**
 * Whether the hash of an imported password can become ours: better-auth and others compare the normal form of what is typed, and bcrypt the
 * first 72 bytes. What is typed now, on this keyboard or with a mistake at its end, must not become the only spelling that counts.
 */
function isSpelledOneWay(plain: string): boolean {
  return (
    plain.normalize('NFKC') === plain && plain.normalize('NFKD') === plain && Buffer.byteLength(plain) <= 72
  );
}

function waitTraced(telemetry: Telemetry, place: QueuePlace): Promise<void> {
  const start = performance.now();
  return telemetry.span('password.queue', {}, () =>
    place.turn().finally(() => telemetry.duration('password.queue.duration', start, {})),
  );
}

function asRateLimit(error: unknown): unknown {
  return error instanceof QueueFullError ? new RateLimitError(1000, because('queue_full')) : error;
}

function bounded<T>(work: Promise<T>): Promise<T> {
  return withTimeout(work, 'The hasher', timeoutMs);
}
