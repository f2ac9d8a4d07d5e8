/** Password hashing with bcrypt, the default. */
import { createHmac } from 'node:crypto';
import { checkOptions } from '../../errors/options.js';
import { loadBcrypt } from '../../runtime/load.js';
import { combinedHasher, listOfHashers, type OwnHasher } from './combined-hasher.js';
import { matchesForeignBcrypt } from './foreign/bcrypt.js';
import { isMarked, withoutMark } from './foreign/imported-hash.js';
import type { PasswordHasher } from './password-hasher.js';

export interface BcryptOptions {
  /** 10 (default) to 20. Each step doubles the time. Stored hashes of a lower cost are replaced at sign-in. */
  cost?: number;
  /**
   * Verify hashes of other algorithms, which are renewed at sign-in, and make every wrong password cost their work too: `pbkdf2Hasher()`,
   * for example.
   */
  previous?: PasswordHasher | readonly PasswordHasher[] | null;
}

const bcryptMaxBytes = 72;
const maxCost = 20;
/** How far a stored hash may raise the cost of every wrong password: eight times the work. A hash of a higher cost takes longer. */
const maxCostSteps = 3;
const bcryptHash = /^\$2[abxy]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/**
 * Returns a hasher with bcrypt. Passwords over 72 bytes, which bcrypt would truncate, are hashed first (HMAC-SHA-384, 64 characters
 * of base64). The key of this HMAC is public: it prevents hashes that were stolen elsewhere from being used as passwords, and does not
 * depend on `session.secret`, which can be rotated. Hashes of other systems, which were imported or are not called `$2b$`, are compared
 * with the first 72 bytes.
 *
 * A wrong password costs the same work for every stored hash, independent of its cost: the work of `cost`, or of the highest cost of a
 * stored hash if that is higher, up to eight times the work of `cost`; and in addition that of `previous`. It also waits for a thread
 * equally often, from the first hash of a lower cost on that this process sees.
 * @throws RangeError if `cost` is not a whole number from 10 to 20; ConfigError for an unknown option.
 */
export function bcryptHasher(options: BcryptOptions = {}): PasswordHasher {
  checkOptions('bcryptHasher(…)', options, ['cost', 'previous']);
  const { cost = 10, previous = null } = options;
  if (!(Number.isInteger(cost) && cost >= 10 && cost <= maxCost)) {
    throw new RangeError('bcryptHasher: cost must be a whole number from 10 to 20.');
  }
  return combinedHasher(ownHasher(cost), listOfHashers('bcryptHasher(…).previous', previous));
}

function ownHasher(cost: number): OwnHasher {
  let [lowestCost, highestCost] = [cost, cost];
  return {
    hash: (plain) => loadBcrypt().hash(toBcryptInput(plain), cost),
    async verify(plain, stored) {
      const { compare } = loadBcrypt();
      const [hash, password] = [withoutMark(stored), toBcryptInput(plain)];
      const storedCost = costOf(hash);
      if (storedCost !== null) {
        lowestCost = Math.min(lowestCost, storedCost);
        highestCost = Math.max(highestCost, Math.min(storedCost, cost + maxCostSteps));
      }
      const matches = creates(stored) ? compare(password, hash) : matchesForeignBcrypt(plain, hash);
      if (await matches) return true;
      // 2^s + 2^s + 2^(s+1) + … + 2^(h-1) = 2^h rounds, as for a hash of the highest cost.
      const decoys = storedCost === null ? [decoyOf(highestCost)] : [];
      for (let step = storedCost ?? highestCost; step < highestCost; step += 1) decoys.push(decoyOf(step));
      // Every comparison waits for a thread, and longer than it runs if logins are concurrent.
      while (decoys.length < highestCost - lowestCost) decoys.push(noWork);
      for (const decoy of decoys) await compare(password, decoy);
      return false;
    },
    // Never to a lower cost: during a roll-out, old and new processes would replace each other's hashes at every sign-in.
    needsRehash: (hash) => /^\$2[xy]\$/.test(hash) || (costOf(hash) ?? 0) < cost,
    // bcrypt itself knows no lower cost.
    recognizes: (stored) => Number(bcryptHash.exec(withoutMark(stored))?.[1]) >= 4,
    creates,
    decoy: decoyOf(cost),
  };
}

/** `$2b$` is also what others write: an import marks theirs. */
function creates(stored: string): boolean {
  return !isMarked(stored) && stored.startsWith('$2b$') && bcryptHash.test(stored);
}

/** Returns the cost of a hash. Null if bcrypt refuses the hash without any work, or if the cost is too high to apply to every login. */
function costOf(hash: string): number | null {
  const cost = Number(bcryptHash.exec(hash)?.[1]);
  return cost >= 4 && cost <= maxCost ? cost : null;
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
