/**
 * Hashers for `previous`, for applications whose users have hashes of another system. Without them the service verifies every format that
 * needs no key, too; with them, a wrong password costs their work from the start, and not from the first such hash on that a process sees.
 */
import { randomBytes } from 'node:crypto';
import { checkOptions, refuseOption } from '../../../errors/options.js';
import type { PasswordHasher } from '../password-hasher.js';
import { ForeignHashError, type ForeignCheck, type ForeignFormat } from './foreign-check.js';
import { foreignHasher } from './foreign-hasher.js';
import { encodePbkdf2, hashPbkdf2, pbkdf2Formats } from './pbkdf2.js';
import { exampleOfPhpass, hashPhpass, phpassFormats } from './phpass.js';
import { deriveScrypt, encodeScrypt, scryptFormats } from './scrypt.js';
import { exampleOfShaCrypt, hashShaCrypt, shaCryptFormats } from './sha-crypt.js';

export interface Pbkdf2Options {
  /** Default `sha256`. */
  digest?: 'sha1' | 'sha256' | 'sha512';
  /** Rounds of most stored hashes: 1 to 5,000,000, default 310,000. */
  rounds?: number;
}

/**
 * Verifies PBKDF2 as Django, Passlib, Werkzeug and ASP.NET Identity write it, and as an import stores its parts.
 * @throws ConfigError for an invalid or unknown option.
 */
export function pbkdf2Hasher(options: Pbkdf2Options = {}): PasswordHasher {
  const call = 'pbkdf2Hasher(…)';
  checkOptions(call, options, ['digest', 'rounds']);
  const { digest = 'sha256', rounds = 310_000 } = options;
  if (!['sha1', 'sha256', 'sha512'].includes(digest))
    refuseOption(`${call}.digest`, 'must be sha1, sha256 or sha512');
  const example = encodePbkdf2({ digest, iterations: rounds, salt: zeros(16), key: zeros(32) });
  return hasherOf(call, pbkdf2Formats, example, (plain) => hashPbkdf2(digest, plain, rounds));
}

export interface ScryptOptions {
  /** A power of two. Default 16384. */
  n?: number;
  /** Default 16, as better-auth and Lucia have it. */
  r?: number;
  /** Default 1. */
  p?: number;
}

/**
 * Verifies scrypt as better-auth, Lucia, Passlib, Werkzeug and Django write it, and as an import stores its parts. The options are those of
 * most stored hashes. At most 256 MiB.
 * @throws ConfigError for an invalid or unknown option.
 */
export function scryptHasher(options: ScryptOptions = {}): PasswordHasher {
  const call = 'scryptHasher(…)';
  checkOptions(call, options, ['n', 'r', 'p']);
  const { n = 16_384, r = 16, p = 1 } = options;
  const cost = { n, r, p };
  const example = encodeScrypt({ ...cost, salt: zeros(16), key: zeros(64) });
  return hasherOf(call, scryptFormats, example, async (plain) => {
    const salt = randomBytes(16);
    return encodeScrypt({ ...cost, salt, key: await deriveScrypt(plain, salt, 64, cost) });
  });
}

/**
 * Verifies the hashes of WordPress before 6.8 and of phpBB.
 * @param options.rounds of most stored hashes: a power of two from 128 to 131,072, default 8192.
 * @throws ConfigError for an invalid or unknown option.
 */
export function phpassHasher(options: { rounds?: number } = {}): PasswordHasher {
  const call = 'phpassHasher(…)';
  checkOptions(call, options, ['rounds']);
  const { rounds = 8192 } = options;
  if (!Number.isInteger(Math.log2(rounds))) refuseOption(`${call}.rounds`, 'must be a power of two');
  return hasherOf(call, phpassFormats, exampleOfPhpass(rounds), (plain) => hashPhpass(plain, rounds));
}

export interface ShaCryptOptions {
  /** Default `sha512`, which begins with `$6$`. */
  digest?: 'sha256' | 'sha512';
  /** Rounds of most stored hashes: 1000 to 1,000,000, default 5000. */
  rounds?: number;
}

/**
 * Verifies the hashes `$5$` and `$6$` of Unix.
 * @throws ConfigError for an invalid or unknown option.
 */
export function shaCryptHasher(options: ShaCryptOptions = {}): PasswordHasher {
  const call = 'shaCryptHasher(…)';
  checkOptions(call, options, ['digest', 'rounds']);
  const { digest = 'sha512', rounds = 5000 } = options;
  if (!['sha256', 'sha512'].includes(digest)) refuseOption(`${call}.digest`, 'must be sha256 or sha512');
  return hasherOf(call, shaCryptFormats, exampleOfShaCrypt(digest, rounds), (plain) =>
    hashShaCrypt(digest, plain, rounds),
  );
}

/** @param example a hash with the cost of the options. */
function hasherOf(
  call: string,
  formats: readonly ForeignFormat[],
  example: string,
  hash: (plain: string) => Promise<string>,
): PasswordHasher {
  const read = (stored: string): ForeignCheck | null => {
    for (const format of formats) {
      const check = format.read(stored);
      if (check) return check;
    }
    return null;
  };
  const from = checkOf(call, () => read(example));
  return foreignHasher({ read, hash, from });
}

/** Returns the check of a hash with the cost of the options. @throws ConfigError if the cost is refused. */
export function checkOf(call: string, read: () => ForeignCheck | null): ForeignCheck {
  try {
    return read() ?? refuseOption(call, 'has a cost that is not valid');
  } catch (error) {
    if (!(error instanceof ForeignHashError)) throw error;
    const isTooCostly = error.reason === 'hash_too_costly';
    return refuseOption(call, isTooCostly ? error.message : 'has a cost that is not valid');
  }
}

function zeros(bytes: number): Buffer {
  return Buffer.alloc(bytes);
}
