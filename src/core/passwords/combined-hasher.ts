/** A hasher that also verifies the hashes of earlier ones (`previous`), at one cost for every wrong password. */
import { randomToken } from '../../crypto/random.js';
import { refuseOption } from '../../errors/options.js';
import { builtIn, builtInDecoyOf, isBuiltIn, isKnownToBuiltIn } from './built-in-hashers.js';
import { isMarked, withoutMark } from './foreign/imported-hash.js';
import type { PasswordHasher } from './password-hasher.js';

export interface OwnHasher extends Required<PasswordHasher> {
  /** Returns whether a hash without the mark of an import can only be one that this hasher has created. */
  creates(hash: string): boolean;
  /** A hash that no password matches, and that costs as much as any. */
  decoy: string;
}

/**
 * Returns a hasher that creates hashes with `own`. A wrong password costs the work of `own` and of each of `previous`, once each, for every
 * stored hash.
 */
export function combinedHasher(own: OwnHasher, previous: readonly PasswordHasher[]): PasswordHasher {
  const decoys = previous.map((hasher) => decoyFor(hasher));

  /** Which hashers verify a stored hash: all of `previous` that know the format, otherwise `own`, otherwise those that do not say. */
  const takersOf = (stored: string): PasswordHasher[] => {
    if (own.creates(stored)) return [own];
    const claimants = previous.filter((hasher) => hasher.recognizes?.(givenTo(hasher, stored)) === true);
    if (claimants.length > 0) return claimants;
    if (own.recognizes(stored)) return [own];
    return previous.filter((hasher) => !hasher.recognizes);
  };

  return builtIn(
    {
      hash(plain) {
        // The service hashes its own decoy when it starts: the first sign-in then waits for none.
        for (const decoy of decoys) void decoy();
        return own.hash(plain);
      },
      async verify(plain, stored) {
        // Before anything that depends on the hash: it is slow once.
        const decoyHashes = await Promise.all(decoys.map((decoy) => decoy()));
        const takers = takersOf(stored);
        for (const taker of takers) {
          const matches: unknown = await taker.verify(plain, taker === own ? stored : givenTo(taker, stored));
          if (matches === true) return true;
        }
        if (!takers.includes(own)) await own.verify(plain, own.decoy);
        // Also before a hash of theirs was seen: the first one would otherwise take longer than an unknown user.
        for (const [i, hasher] of previous.entries()) {
          const decoy = decoyHashes[i] ?? null;
          if (!takers.includes(hasher) && decoy !== null) await hasher.verify(plain, decoy);
        }
        return false;
      },
      needsRehash: (stored) => isMarked(stored) || !own.recognizes(stored) || own.needsRehash(stored),
      recognizes: (stored) =>
        own.recognizes(stored) ||
        previous.some((hasher) => hasher.recognizes?.(givenTo(hasher, stored)) ?? true),
    },
    own.decoy,
    (stored) =>
      own.recognizes(stored) ||
      previous.some((hasher) =>
        isBuiltIn(hasher)
          ? isKnownToBuiltIn(hasher, stored)
          : hasher.recognizes?.(withoutMark(stored)) === true,
      ),
  );
}

/** @throws ConfigError if an element is not a hasher. @param path such as `bcryptHasher(…).previous`. */
export function listOfHashers(
  path: string,
  previous: PasswordHasher | readonly PasswordHasher[] | null,
): readonly PasswordHasher[] {
  const list = previous === null ? [] : Array.isArray(previous) ? (previous as PasswordHasher[]) : [previous];
  for (const hasher of list as readonly unknown[]) {
    const { hash, verify } = (hasher ?? {}) as Partial<PasswordHasher>;
    if (typeof hash !== 'function' || typeof verify !== 'function')
      refuseOption(path, 'must be a hasher with hash(plain) and verify(plain, hash), or a list of them');
  }
  return list as readonly PasswordHasher[];
}

/** A hasher of the application gets what its system wrote. */
function givenTo(hasher: PasswordHasher, stored: string): string {
  return isBuiltIn(hasher) ? stored : withoutMark(stored);
}

/** Returns a function that returns a hash that no password matches, or null if it cannot be created now. It does not throw. */
function decoyFor(hasher: PasswordHasher): () => Promise<string | null> {
  const decoy = builtInDecoyOf(hasher);
  if (decoy !== undefined) return () => Promise.resolve(decoy);
  let pending: Promise<string | null> | undefined;
  return () => {
    pending ??= hasher.hash(randomToken()).catch(() => {
      pending = undefined;
      return null;
    });
    return pending;
  };
}
