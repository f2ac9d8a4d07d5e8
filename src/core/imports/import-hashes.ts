/** The password hashes of an import. */
import type { ForeignHash } from '../../domain/imported-user.js';
import type { PasswordHasher } from '../passwords/password-hasher.js';
import { refused } from './record-fields.js';

export interface ImportHashes {
  /** Returns the hash in the form in which it is stored. @throws InvalidRequestError if no sign-in could verify it. */
  toStored(hash: string | ForeignHash): string;
}

/** @param hasher undefined without `providers.emailPassword`. */
export function importHashes(hasher: PasswordHasher | undefined): ImportHashes {
  return {
    toStored(hash) {
      if (!hasher)
        throw refused(
          'passwordHash',
          'provider_not_configured',
          'passwordHash needs providers.emailPassword: configure it, or leave the hashes out.',
        );
      if (typeof hash === 'string' && (hasher.recognizes?.(hash) ?? true)) return hash;
      throw refused(
        'passwordHash',
        'hash_unknown',
        'passwordHash has a format that the configured hasher does not know: no password would match it.',
      );
    },
  };
}
