/** Every format that can be imported, and what is not verified without a key. */
import { argon2Formats } from './argon2.js';
import { bcryptFormats } from './bcrypt.js';
import { digestFormats } from './digests.js';
import { ForeignHashError, type ForeignCheck, type ForeignFormat } from './foreign-check.js';
import { pbkdf2Formats } from './pbkdf2.js';
import { phpassFormats } from './phpass.js';
import { scryptFormats } from './scrypt.js';
import { shaCryptFormats } from './sha-crypt.js';

const formats: readonly ForeignFormat[] = [
  ...bcryptFormats,
  ...argon2Formats,
  ...scryptFormats,
  ...pbkdf2Formats,
  ...shaCryptFormats,
  ...phpassFormats,
  ...digestFormats,
];

/** Longer than any known format, with 1 KiB of salt and of digest. */
const mostCharacters = 4096;

export interface KnownHash {
  format: string;
  check: ForeignCheck;
}

/** Reads a hash whose verification needs no key. @throws ForeignHashError with the reason. */
export function readForeignHash(hash: string): KnownHash {
  if (hash.length > mostCharacters) throw unknown();
  for (const { name, read } of formats) {
    const check = read(hash);
    if (check) return { format: name, check };
  }
  if (isFirebaseHash(hash)) {
    const message = 'A hash of Firebase needs the key of the project: firebaseHasher({ signerKey, … }).';
    throw new ForeignHashError('hash_needs_key', message);
  }
  throw unknown();
}

/** Returns the name of the format of a hash. Null if it is unknown, malformed or too costly. */
export function formatOf(hash: string): string | null {
  try {
    return readForeignHash(hash).format;
  } catch (error) {
    if (error instanceof ForeignHashError) return isFirebaseHash(hash) ? firebaseFormat : null;
    throw error;
  }
}

/** Reads a hash, or returns null if it is not verified. */
export function readOrNull(hash: string): KnownHash | null {
  try {
    return readForeignHash(hash);
  } catch (error) {
    if (error instanceof ForeignHashError) return null;
    throw error;
  }
}

const firebaseFormat = 'firebase-scrypt';

export function isFirebaseHash(hash: string): boolean {
  return hash.startsWith(`$${firebaseFormat}$`);
}

function unknown(): ForeignHashError {
  return new ForeignHashError('hash_unknown', 'The format of the hash is not known.');
}
