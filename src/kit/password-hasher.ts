/** Password hashing: the seam, the bcrypt default, and the queue that keeps a flood of logins from starving other users. */
import { createHmac } from 'node:crypto';
import { RateLimitError } from '../errors/catalog.js';
import { randomToken } from '../crypto/random.js';
import { loadBcrypt } from '../runtime/load.js';
import { inTime } from './in-time.js';
import { FairQueue, queueClientOf, QueueFullError, type QueueClient } from './fair-queue.js';

export interface PasswordHasher {
  hash(plain: string): Promise<string>;
  /** For a wrong password, must take as long for every stored hash as for one that `hash` makes now: the time reveals accounts otherwise. */
  verify(plain: string, hash: string): Promise<boolean>;
  /** Returns true if `hash` would make a stored hash differently now: it is then renewed at the next sign-in with the right password. */
  needsRehash?(hash: string): boolean;
}

const bcryptMaxBytes = 72;
const maxCost = 20;
/** How far a stored hash may raise the cost of every refusal: eight times the work. A hash beyond that takes longer by itself. */
const mostCostSteps = 3;
const bcryptHash = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/**
 * bcrypt. Passwords over 72 bytes, which bcrypt would cut, are hashed first (HMAC-SHA-384, 64 characters of base64).
 * The key is no secret: it keeps hashes stolen elsewhere from being tried as passwords here, and survives the
 * rotation of `session.secret`.
 *
 * A wrong password costs the same work for every stored hash, whatever cost it was made with: that of `cost`, or of the highest cost
 * seen in a stored hash if that is higher, up to eight times the work of `cost`.
 * @param options.cost 10 (default) to 20; each step doubles the time. Stored hashes of a lower cost are renewed at sign-in.
 */
export function bcryptHasher({ cost = 10 }: { cost?: number } = {}): PasswordHasher {
  if (!(Number.isInteger(cost) && cost >= 10 && cost <= maxCost)) {
    throw new RangeError('bcryptHasher: cost must be a whole number from 10 to 20.');
  }
  let highestCost = cost;
  return {
    hash: (plain) => loadBcrypt().hash(fitted(plain), cost),
    async verify(plain, hash) {
      const { compare } = loadBcrypt();
      const password = fitted(plain);
      const storedCost = costOf(hash);
      if (storedCost !== null)
        highestCost = Math.max(highestCost, Math.min(storedCost, cost + mostCostSteps));
      if (await compare(password, hash)) return true;
      if (storedCost === null) await compare(password, decoyOf(highestCost));
      // 2^s + 2^s + 2^(s+1) + … + 2^(h-1) = 2^h rounds, as for a hash of the highest cost.
      else for (let each = storedCost; each < highestCost; each += 1) await compare(password, decoyOf(each));
      return false;
    },
    // Never downwards: during a roll-out the old and the new processes would renew each other's hashes at every sign-in.
    needsRehash: (hash) => (costOf(hash) ?? 0) < cost,
  };
}

/** Null for a hash that bcrypt refuses without any work, and for a cost so high that it must not become that of every login. */
function costOf(hash: string): number | null {
  const cost = Number(bcryptHash.exec(hash)?.[1]);
  return cost >= 4 && cost <= maxCost ? cost : null;
}

/** A well-formed hash that no password matches, known to everyone and good for its cost alone. */
function decoyOf(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}

function fitted(plain: string): string {
  if (Buffer.byteLength(plain) <= bcryptMaxBytes) return plain;
  return createHmac('sha384', 'svc-bcrypt-prehash-v1').update(plain).digest('base64');
}

// Far above what any usable cost takes at the end of the queue: a hasher that needs longer hangs, and would keep its place forever.
const timeoutMs = 5 * 60_000;
// bcrypt runs on libuv's threads at some 60 ms each. Twice as many work as there are threads, so that no thread waits for a query;
// the others have not begun, and take neither connections nor time from requests without a password. With 64 places the last one
// waits about a second.
const places = 64;
const threads = Math.max(1, Number(process.env['UV_THREADPOOL_SIZE']) || 4);
const width = Math.min(2 * threads, places);

/** Work on passwords in a place of the queue. Each method waits for the turn of the place; once it has come, it lasts. */
export interface PasswordPlace {
  /** Resolves when it is the turn of this place, and rejects if the place is lost before that: `withPlace` then throws. */
  turn(): Promise<void>;
  hash(plain: string): Promise<string>;
  /** Costs one verification in any case: without a hash, the password is compared with a decoy and does not match. */
  verify(plain: string, hash: string | null): Promise<boolean>;
}

/** A hasher as the engine uses it: bounded, fair to clients, strict about results, and equally slow for users that do not exist. */
export class PasswordVerifier {
  private readonly queue = new FairQueue({ width, maxWaiting: places - width, timeoutMs });
  private decoy: Promise<string> | undefined;

  constructor(private readonly hasher: PasswordHasher) {}

  /** Hashes in a place of its own. @throws RateLimitError */
  hash(plain: string, ip: string | undefined): Promise<string> {
    return this.withPlace(queueClientOf(ip), (place) => place.hash(plain));
  }

  /**
   * Takes a place in the queue and starts `work` at once, which charges limits before it waits for its turn. A request that finds the
   * queue full costs nothing, so that a flood does not reach the database. Clients have fair turns.
   * @throws RateLimitError if the queue is full, or the turn does not come within five minutes.
   */
  async withPlace<T>(client: QueueClient, work: (place: PasswordPlace) => Promise<T>): Promise<T> {
    try {
      return await this.queue.run(client, (turn) => work(this.placeOf(turn)));
    } catch (error) {
      throw error instanceof QueueFullError ? new RateLimitError(1000) : error;
    }
  }

  /** Makes the decoy with the configured hasher, so that it costs what a stored hash of that hasher costs. */
  prepare(): Promise<string> {
    this.decoy ??= bounded(this.hasher.hash(randomToken())).catch((error: unknown) => {
      this.decoy = undefined;
      throw error;
    });
    return this.decoy;
  }

  /** Whether a stored hash is to be renewed. */
  needsRehash(hash: string): boolean {
    return this.hasher.needsRehash?.(hash) === true;
  }

  private placeOf(turn: () => Promise<void>): PasswordPlace {
    return {
      turn,
      hash: async (plain) => {
        await turn();
        return bounded(this.hasher.hash(plain));
      },
      verify: async (plain, hash) => {
        await turn();
        const against = hash ?? (await this.prepare());
        const matches: unknown = await bounded(this.hasher.verify(plain, against));
        return matches === true && hash !== null;
      },
    };
  }
}

function bounded<T>(work: Promise<T>): Promise<T> {
  return inTime(work, 'The hasher', timeoutMs);
}
