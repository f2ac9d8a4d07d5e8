/** Password hashing: the interface, the default with bcrypt, and the queue that keeps a flood of logins from delaying other users. */
import { createHmac } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { RateLimitError } from '../../errors/catalog.js';
import { checkOptions } from '../../errors/options.js';
import { randomToken } from '../../crypto/random.js';
import { loadBcrypt } from '../../runtime/load.js';
import type { Telemetry } from '../support/telemetry.js';
import { withTimeout } from '../support/timeouts.js';
import {
  FairQueue,
  queueClientOf,
  QueueFullError,
  type QueueClient,
  type QueuePlace,
} from '../queues/fair-queue.js';

export interface PasswordHasher {
  hash(plain: string): Promise<string>;
  /**
   * Returns whether a password matches a hash. For a wrong password, it must take as long for every stored hash as for a new one;
   * otherwise the response time reveals accounts.
   */
  verify(plain: string, hash: string): Promise<boolean>;
  /** Returns true if a stored hash is outdated: it is replaced at the next sign-in with the right password. */
  needsRehash?(hash: string): boolean;
  /** Returns false if a stored hash has a format that `verify` never matches: a failed sign-in then logs an error. */
  recognizes?(hash: string): boolean;
}

const bcryptMaxBytes = 72;
const maxCost = 20;
/** How far a stored hash may raise the cost of every wrong password: eight times the work. A hash of a higher cost takes longer. */
const maxCostSteps = 3;
const bcryptHash = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/**
 * Returns a hasher with bcrypt. Passwords over 72 bytes, which bcrypt would truncate, are hashed first (HMAC-SHA-384, 64 characters
 * of base64). The key of this HMAC is public: it prevents hashes that were stolen elsewhere from being used as passwords, and does not
 * depend on `session.secret`, which can be rotated.
 *
 * A wrong password costs the same work for every stored hash, independent of its cost: the work of `cost`, or of the highest cost of a
 * stored hash if that is higher, up to eight times the work of `cost`. It also waits for a thread equally often, from the first hash of
 * a lower cost on that this process sees.
 * @param options.cost 10 (default) to 20. Each step doubles the time. Stored hashes of a lower cost are replaced at sign-in.
 * @throws RangeError if `cost` is not a whole number from 10 to 20; ConfigError for an unknown option.
 */
export function bcryptHasher(options: { cost?: number } = {}): PasswordHasher {
  checkOptions('bcryptHasher(…)', options, ['cost']);
  const { cost = 10 } = options;
  if (!(Number.isInteger(cost) && cost >= 10 && cost <= maxCost)) {
    throw new RangeError('bcryptHasher: cost must be a whole number from 10 to 20.');
  }
  let [lowestCost, highestCost] = [cost, cost];
  return {
    hash: (plain) => loadBcrypt().hash(toBcryptInput(plain), cost),
    async verify(plain, hash) {
      const { compare } = loadBcrypt();
      const password = toBcryptInput(plain);
      const storedCost = costOf(hash);
      if (storedCost !== null) {
        lowestCost = Math.min(lowestCost, storedCost);
        highestCost = Math.max(highestCost, Math.min(storedCost, cost + maxCostSteps));
      }
      if (await compare(password, asBcrypt(hash))) return true;
      // 2^s + 2^s + 2^(s+1) + … + 2^(h-1) = 2^h rounds, as for a hash of the highest cost.
      const decoys = storedCost === null ? [decoyOf(highestCost)] : [];
      for (let step = storedCost ?? highestCost; step < highestCost; step += 1) decoys.push(decoyOf(step));
      // Every comparison waits for a thread, and longer than it runs if logins are concurrent.
      while (decoys.length < highestCost - lowestCost) decoys.push(noWork);
      for (const decoy of decoys) await compare(password, decoy);
      return false;
    },
    // Never to a lower cost: during a roll-out, old and new processes would replace each other's hashes at every sign-in.
    needsRehash: (hash) => hash.startsWith('$2y$') || (costOf(hash) ?? 0) < cost,
    recognizes: (hash) => bcryptHash.test(hash),
  };
}

/** Returns the cost of a hash. Null if bcrypt refuses the hash without any work, or if the cost is too high to apply to every login. */
function costOf(hash: string): number | null {
  const cost = Number(bcryptHash.exec(hash)?.[1]);
  return cost >= 4 && cost <= maxCost ? cost : null;
}

/** PHP writes `$2y$` for what others call `$2b$`; the package refuses it without a word. */
function asBcrypt(hash: string): string {
  return hash.replace(/^\$2y\$/, '$$2b$$');
}

/** A malformed hash: bcrypt refuses it on a thread, without any other work. */
const noWork = '!';

/** Returns a well-formed hash that no password matches, to be compared for its cost alone. */
function decoyOf(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}

function toBcryptInput(plain: string): string {
  if (Buffer.byteLength(plain) <= bcryptMaxBytes) return plain;
  return createHmac('sha384', 'svc-bcrypt-prehash-v1').update(plain).digest('base64');
}

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

  constructor(
    private readonly hasher: PasswordHasher,
    private readonly telemetry: Telemetry | null = null,
  ) {
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

  /** Returns whether a stored hash should be replaced. */
  needsRehash(hash: string): boolean {
    return this.hasher.needsRehash?.(hash) === true;
  }

  /** Returns false if no password can match a stored hash, because the hasher does not know its format. */
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

function waitTraced(telemetry: Telemetry, place: QueuePlace): Promise<void> {
  const start = performance.now();
  return telemetry.span('password.queue', {}, () =>
    place.turn().finally(() => telemetry.duration('password.queue.duration', start, {})),
  );
}

function asRateLimit(error: unknown): unknown {
  return error instanceof QueueFullError ? new RateLimitError(1000) : error;
}

function bounded<T>(work: Promise<T>): Promise<T> {
  return withTimeout(work, 'The hasher', timeoutMs);
}
