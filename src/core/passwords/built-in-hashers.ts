/** The hashers of this package, which know the mark of imported hashes, and can do the work of a wrong password without a stored hash. */
import type { PasswordHasher } from './password-hasher.js';

const decoys = new WeakMap<PasswordHasher, string>();

/** @param decoy a hash that no password matches, and that costs as much as any. */
export function builtIn<T extends PasswordHasher>(hasher: T, decoy: string): T {
  decoys.set(hasher, decoy);
  return hasher;
}

export function isBuiltIn(hasher: PasswordHasher): boolean {
  return decoys.has(hasher);
}

/** Returns undefined for a hasher of the application. */
export function builtInDecoyOf(hasher: PasswordHasher): string | undefined {
  return decoys.get(hasher);
}
