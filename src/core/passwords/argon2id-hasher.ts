/** Password hashing with Argon2id (RFC 9106), through the optional package `@node-rs/argon2`. */
import { InternalError } from '../../errors/catalog.js';
import { checkOptions } from '../../errors/options.js';
import { installationOf, loadArgon2 } from '../../runtime/load.js';
import { bcryptHasher } from './bcrypt-hasher.js';
import { combinedHasher, listOfHashers, type OwnHasher } from './combined-hasher.js';
import { withoutMark } from './foreign/imported-hash.js';
import { hashMemory } from './memory-budget.js';
import type { PasswordHasher } from './password-hasher.js';

export interface Argon2idOptions {
  /** Memory of one hash in KiB: 7168 to 1048576, default 19456. */
  memoryKiB?: number;
  /** Passes over the memory: 1 to 16, default 2. */
  passes?: number;
  /**
   * Verify hashes of other algorithms, which are renewed at sign-in, and make every wrong password cost their work too: one hasher or
   * several. Default `bcryptHasher()`; null for an application that has no such hashes.
   */
  previous?: PasswordHasher | readonly PasswordHasher[] | null;
}

/** The parameters of a hash. The work of a hash grows with their product. */
interface Cost {
  memoryKiB: number;
  passes: number;
  /** The package computes lanes one after the other, so they do not change the work. */
  lanes: number;
}

const argon2idHash =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;
const mostMemoryKiB = 1024 * 1024;
const mostPasses = 16;
/** What Argon2 requires for one lane. */
const leastMemoryKiB = 8;
/** How far a stored hash may raise the work of every wrong password, as with `bcryptHasher`. */
const mostRaise = 8;

/**
 * Returns a hasher with Argon2id. The default is the minimum that OWASP recommends: 19 MiB, two passes, one lane. Up to 64 hashes run or
 * wait in a process, at most twice as many as libuv has threads at a time.
 *
 * A wrong password costs the same work for every stored hash, of either algorithm, and for an unknown user: that of the options, or of the
 * most expensive stored hash that this process has seen if that is more, up to eight times the work of the options; and in addition that
 * of `previous`. It also waits for a thread equally often.
 * @throws RangeError if an option is out of range; ConfigError for an unknown option; InternalError if the package is not installed.
 */
export function argon2idHasher(options: Argon2idOptions = {}): PasswordHasher {
  checkOptions('argon2idHasher(…)', options, ['memoryKiB', 'passes', 'previous']);
  const { memoryKiB = 19_456, passes = 2, previous = bcryptHasher() } = options;
  assertWithin('memoryKiB', memoryKiB, 7168, mostMemoryKiB);
  assertWithin('passes', passes, 1, mostPasses);
  const installation = installationOf('@node-rs/argon2');
  if (installation !== undefined) throw new InternalError(undefined, `argon2idHasher ${installation}`);
  return combinedHasher(
    ownHasher({ memoryKiB, passes, lanes: 1 }),
    listOfHashers('argon2idHasher(…).previous', previous),
  );
}

function ownHasher(configured: Cost): OwnHasher {
  const { passes } = configured;
  let mostWork = workOf(configured);
  const hashOf = (plain: string, cost: Cost) =>
    hashMemory.run(1024 * cost.memoryKiB, () =>
      loadArgon2().hash(plain, {
        memoryCost: cost.memoryKiB,
        timeCost: cost.passes,
        parallelism: cost.lanes,
      }),
    );
  /** Does the work that is missing, without a result. */
  const topUp = async (plain: string, done: number) => {
    // Also if none is missing: every hash waits for a thread, and longer than it runs if logins are concurrent.
    const missing = Math.max(leastMemoryKiB, Math.floor((mostWork - done) / passes));
    await hashOf(plain, { memoryKiB: missing, passes, lanes: 1 });
  };
  return {
    hash: (plain) => hashOf(plain, configured),
    async verify(plain, stored) {
      const hash = withoutMark(stored);
      const cost = costOf(hash);
      if (!cost) {
        // As often as for a hash with Argon2id, so that it waits for a thread as often.
        await hashOf(plain, configured);
        await topUp(plain, workOf(configured));
        return false;
      }
      mostWork = Math.max(mostWork, Math.min(workOf(cost), mostRaise * workOf(configured)));
      if (await hashMemory.run(1024 * cost.memoryKiB, () => loadArgon2().verify(hash, plain))) return true;
      await topUp(plain, workOf(cost));
      return false;
    },
    needsRehash(hash) {
      const cost = costOf(hash);
      // Never to less work: during a roll-out, old and new processes would replace each other's hashes at every sign-in.
      return !cost || workOf(cost) < workOf(configured);
    },
    recognizes: (stored) => costOf(withoutMark(stored)) !== null,
    creates: (stored) => costOf(stored) !== null,
    decoy: noHash,
  };
}

/** Has no parameters: its verification does all the work. */
const noHash = '';

/** Returns the parameters of a hash. Null for another algorithm, a malformed hash, and one that would take too much memory. */
function costOf(hash: string): Cost | null {
  const [, memory, passes, lanes] = argon2idHash.exec(hash)?.map(Number) ?? [];
  if (memory === undefined || passes === undefined || lanes === undefined) return null;
  const isUsable =
    lanes >= 1 && memory >= 8 * lanes && memory <= mostMemoryKiB && passes >= 1 && passes <= mostPasses;
  return isUsable ? { memoryKiB: memory, passes, lanes } : null;
}

function workOf({ memoryKiB, passes }: Cost): number {
  return memoryKiB * passes;
}

function assertWithin(name: string, value: number, least: number, most: number): void {
  if (!(Number.isInteger(value) && value >= least && value <= most))
    throw new RangeError(`argon2idHasher: ${name} must be a whole number from ${least} to ${most}.`);
}
