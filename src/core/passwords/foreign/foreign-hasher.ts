/** Verifies hashes of other systems, at one cost for every wrong password. */
import { builtIn, isKnownToBuiltIn } from '../built-in-hashers.js';
import type { PasswordHasher } from '../password-hasher.js';
import { ForeignHashError, type ForeignCheck } from './foreign-check.js';
import { readOrNull } from './formats.js';
import { isMarked, withoutMark } from './imported-hash.js';
import { SeenWork } from './seen-work.js';

export interface ForeignHasherOptions {
  /** Returns null for a hash of another format. May throw ForeignHashError. */
  read: (hash: string) => ForeignCheck | null;
  /** Creates a hash with the cost of the options. */
  hash: (plain: string) => Promise<string>;
  /** A check with the cost of the options, which every wrong password costs from the start. */
  from?: ForeignCheck;
}

export function foreignHasher({ read, hash, from }: ForeignHasherOptions): PasswordHasher {
  const work = new SeenWork(from);
  const readSafely = (stored: string): ForeignCheck | null => {
    try {
      return read(withoutMark(stored));
    } catch (error) {
      if (error instanceof ForeignHashError) return null;
      throw error;
    }
  };
  const knows = (stored: string) => readSafely(stored) !== null;
  return builtIn(
    {
      hash,
      async verify(plain, stored) {
        const check = readSafely(stored);
        if (check) {
          work.see(check);
          if (await check.matches(plain)) return true;
        }
        await work.complete(plain, check);
        return false;
      },
      // Every one is replaced at sign-in: only the configured hasher creates what stays.
      needsRehash: () => true,
      recognizes: knows,
    },
    noHash,
    knows,
  );
}

/** Has no format: its verification does all the work without a check. */
const noHash = '';

/**
 * Verifies, in front of the configured hasher, what an import has stored and the hasher does not know itself. A wrong password costs the
 * work of the configured hasher, and in addition that of each kind of foreign hash, from the first one on that this process sees.
 */
export function withImportedFormats(hasher: PasswordHasher, decoyOf: () => Promise<string>): PasswordHasher {
  const imported = foreignHasher({
    read: (hash) => readOrNull(hash)?.check ?? null,
    hash: (plain) => hasher.hash(plain),
  });
  // A hasher of the application does not know the mark. Without `recognizes`, every unmarked hash counts as its own.
  const isOwn = (stored: string) =>
    isMarked(stored) ? isKnownToBuiltIn(hasher, stored) : (hasher.recognizes?.(stored) ?? true);
  const isForeign = (stored: string) =>
    typeof stored === 'string' && !isOwn(stored) && imported.recognizes?.(stored) === true;
  return {
    hash: (plain) => hasher.hash(plain),
    async verify(plain, stored) {
      if (isForeign(stored)) {
        if (await imported.verify(plain, stored)) return true;
        await hasher.verify(plain, await decoyOf());
        return false;
      }
      const matches: unknown = await hasher.verify(plain, stored);
      if (matches === true) return true;
      await imported.verify(plain, noHash);
      return false;
    },
    needsRehash: (stored) => isMarked(stored) || isForeign(stored) || hasher.needsRehash?.(stored) === true,
    recognizes: (stored) => isOwn(stored) || isForeign(stored),
  };
}
