/** How another system verifies the hashes of svc-auth. */
import { createHmac } from 'node:crypto';
import bcrypt from 'bcrypt';

/** Compares a password with a hash of `bcryptHasher`, or with one of bcrypt that an import had brought. */
export function matches(password: string, stored: string): Promise<boolean> {
  // Not used since: as the system before wrote it, here PHP.
  if (stored.startsWith('imported:'))
    return bcrypt.compare(password, stored.slice('imported:'.length).replace('$2y$', '$2b$'));
  // bcrypt would ignore everything after 72 bytes.
  const isLong = Buffer.byteLength(password) > 72;
  const hmac = createHmac('sha384', 'svc-bcrypt-prehash-v1').update(password).digest('base64');
  return bcrypt.compare(isLong ? hmac : password, stored);
}
