/**
 * Hashes that an import has stored carry a mark until their first sign-in. It says how to read them: a `$2b$` of this package and one of another
 * system look the same, and long passwords are prepared differently for them. And it keeps a hasher of the application, which may prepare
 * passwords in its own way, from being given hashes that it did not create, and other formats from being tried on hashes that it did.
 */
import type { ForeignHash } from '../../../domain/imported-user.js';
import type { PasswordHasher } from '../password-hasher.js';
import { isBuiltIn, isKnownToBuiltIn } from '../built-in-hashers.js';
import { isBcrypt } from './bcrypt.js';
import { ForeignHashError } from './foreign-check.js';
import { readForeignHash } from './formats.js';
import { encodeForeignHash, hashOfServiceIn } from './parts.js';

const mark = 'imported:';

export function isMarked(stored: string): boolean {
  // The hasher of an application may have returned anything.
  return typeof stored === 'string' && stored.startsWith(mark);
}

/** Returns the hash as the other system wrote it. */
export function withoutMark(stored: string): string {
  return isMarked(stored) ? stored.slice(mark.length) : stored;
}

/**
 * Returns what an import stores for a hash of another system.
 * @throws ForeignHashError, whose reason an import reports, if no password would ever match it, or it would cost too much to verify.
 */
export function hashToStore(passwordHash: string | ForeignHash, hasher: PasswordHasher): string {
  const given: unknown = passwordHash;
  if (typeof given !== 'string' && (typeof given !== 'object' || given === null))
    throw new ForeignHashError('hash_unknown', 'passwordHash must be a string, or the parts of a hash.');
  if (typeof passwordHash === 'string') return assertImportable(withoutMark(passwordHash), hasher);
  if (passwordHash.format === 'svc-auth') return ownHashToStore(hashOfServiceIn(passwordHash), hasher);
  return assertImportable(encodeForeignHash(passwordHash), hasher);
}

/** A hash that another svc-auth has stored, and that prepares passwords as the configured hasher does. @throws ForeignHashError */
function ownHashToStore(hash: string, hasher: PasswordHasher): string {
  if (isMarked(hash)) return assertImportable(withoutMark(hash), hasher);
  const isOwn = hasher.recognizes?.(hash) ?? !isBuiltIn(hasher);
  if (isOwn) return withinCost(hash);
  // As one of another system, its long passwords would be wrong.
  if (!isBcrypt(hash)) return assertImportable(hash, hasher);
  throw new ForeignHashError(
    'hash_unknown',
    'passwordHash is one of bcryptHasher, which is neither `hasher` nor one of its `previous`.',
  );
}

/** @throws ForeignHashError for a known format whose verification would cost too much. */
function withinCost(hash: string): string {
  try {
    readForeignHash(hash);
  } catch (error) {
    const isKnown = error instanceof ForeignHashError && error.reason === 'hash_too_costly';
    if (isKnown || !(error instanceof ForeignHashError)) throw error;
  }
  return hash;
}

/** Returns the form in which a hash is stored. @throws ForeignHashError */
export function assertImportable(hash: string, hasher: PasswordHasher): string {
  const marked = mark + hash;
  try {
    readForeignHash(hash);
    return hasTaken(hasher, hash) ? hash : marked;
  } catch (error) {
    if (!(error instanceof ForeignHashError) || error.reason === 'hash_too_costly') throw error;
    // A hasher of the options knows the key, or the format is one of the application.
    if (isKnownToBuiltIn(hasher, marked)) return marked;
    if (hasTaken(hasher, hash)) return hash;
    throw error;
  }
}

/** A hasher of the application that knows the format verifies it. Its `verify` may do more than the format says. */
function hasTaken(hasher: PasswordHasher, hash: string): boolean {
  return !isBuiltIn(hasher) && hasher.recognizes?.(hash) === true;
}
