/** The password hashes of an import. */
import type { ForeignHash } from '../../domain/imported-user.js';
import { hashToStore } from '../passwords/foreign/imported-hash.js';
import type { PasswordHasher } from '../passwords/password-hasher.js';
import { refused } from './record-fields.js';

/** @param hasher undefined without `providers.emailPassword`. @throws InvalidRequestError if no sign-in could verify the hash. */
export function storedHash(hash: string | ForeignHash, hasher: PasswordHasher | undefined): string {
  if (hasher) return hashToStore(hash, hasher);
  throw refused(
    'passwordHash',
    'provider_not_configured',
    'passwordHash needs providers.emailPassword: configure it, or leave the hashes out.',
  );
}
