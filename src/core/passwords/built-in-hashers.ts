/** The hashers of this package, which know the mark of imported hashes, and can do the work of a wrong password without a stored hash. */
import type { PasswordHasher } from './password-hasher.js';

interface BuiltIn {
  decoy: string;
  knows(stored: string): boolean;
}

const builtIns = new WeakMap<PasswordHasher, BuiltIn>();

/**
 * @param decoy a hash that no password matches, and that costs as much as any.
 * @param knows returns whether the format of a stored hash is known for certain, and not only to a hasher that does not say.
 */
export function builtIn<T extends PasswordHasher>(
  hasher: T,
  decoy: string,
  knows: (stored: string) => boolean,
): T {
  builtIns.set(hasher, { decoy, knows });
  return hasher;
}

export function isBuiltIn(hasher: PasswordHasher): boolean {
  return builtIns.has(hasher);
}

/** Returns undefined for a hasher of the application. */
export function builtInDecoyOf(hasher: PasswordHasher): string | undefined {
  return builtIns.get(hasher)?.decoy;
}

/** Returns false for a hasher of the application. */
export function isKnownToBuiltIn(hasher: PasswordHasher, stored: string): boolean {
  return builtIns.get(hasher)?.knows(stored) === true;
}
