/** bcrypt of other systems, which ignores everything after byte 72 and has four names. */
import { createHash, createHmac } from 'node:crypto';
import { loadBcrypt } from '../../../runtime/load.js';
import { assertCost, type ForeignCheck, type ForeignFormat } from './foreign-check.js';

const maxBytes = 72;
export const mostBcryptCost = 16;
const form = /^\$2([abxy])\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/**
 * Compares a password with a hash that was made from its first 72 bytes, as everywhere but here. It cannot be confused with the input of
 * `bcryptHasher` for a long password: that has 64 characters and a final zero, and this one has 72 bytes without a zero.
 */
export async function matchesForeignBcrypt(plain: string | Buffer, hash: string): Promise<boolean> {
  const bytes = Buffer.from(plain).subarray(0, maxBytes);
  const input = hash.startsWith('$2x$') ? withSignBug(bytes) : bytes;
  // PHP writes `$2y$` for what others call `$2b$`; the package refuses both `$2x$` and `$2y$` without a word.
  return loadBcrypt().compare(input, hash.replace(/^\$2[xy]\$/, '$$2b$$'));
}

/**
 * Returns the key as crypt_blowfish computed it before 2011 (CVE-2011-2483): a byte of 128 or more sets all bits of those before it in
 * its group of four. The key repeats, with a final zero, until it has 72 bytes.
 */
function withSignBug(bytes: Buffer): Buffer {
  if (bytes.every((byte) => byte < 128)) return bytes;
  const cycle = Buffer.concat([bytes, Buffer.alloc(1)]);
  const key = Buffer.alloc(maxBytes, cycle);
  for (let i = 0; i < maxBytes; i += 1) if (key[i]! >= 128) key.fill(255, i - (i % 4), i);
  return key;
}

/** @param inputOf returns what the system hashes instead of the password. @throws ForeignHashError */
export function bcryptCheck(
  format: string,
  hash: string,
  inputOf: (plain: string) => string = (plain) => plain,
): ForeignCheck {
  const cost = Number(form.exec(hash)?.[2]);
  assertCost(format, 'the cost', cost, 4, mostBcryptCost);
  return {
    scale: 'bcrypt',
    work: 2 ** cost,
    matches: (plain) => matchesForeignBcrypt(inputOf(plain), hash),
    repeat: (plain) => burnBcrypt(plain, 2 ** cost),
  };
}

/** Does so many rounds, to the precision of the lowest cost. */
export async function burnBcrypt(plain: string, rounds: number): Promise<void> {
  const bytes = Buffer.from(plain).subarray(0, maxBytes);
  let rest = Math.max(2 ** 4, Math.round(rounds));
  for (let cost = mostBcryptCost; cost >= 4; cost -= 1)
    for (; rest >= 2 ** cost; rest -= 2 ** cost)
      await loadBcrypt().compare(bytes, `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`);
}

/** One check for all names: what looks like bcrypt and is not exactly that is refused at import. */
const bcrypt: ForeignFormat = {
  name: 'bcrypt',
  read: (hash) => (isBcrypt(hash) ? bcryptCheck('bcrypt', hash) : null),
};

export function isBcrypt(hash: string): boolean {
  return /^\$2[a-z]?\$/.test(hash);
}

/** WordPress 6.8. */
const wordPress: ForeignFormat = {
  name: 'wordpress-bcrypt',
  read: (hash) =>
    hash.startsWith('$wp$')
      ? bcryptCheck('a hash of WordPress', hash.slice('$wp'.length), (plain) =>
          createHmac('sha384', 'wp-sha384').update(plain).digest('base64'),
        )
      : null,
};

const django: ForeignFormat = {
  name: 'django-bcrypt',
  read(hash) {
    const [, digest, bcryptHash] = /^bcrypt(_sha256)?\$(\$2.+)$/.exec(hash) ?? [];
    if (bcryptHash === undefined) return null;
    const inputOf = digest && ((plain: string) => createHash('sha256').update(plain).digest('hex'));
    return bcryptCheck('a hash of Django', bcryptHash, inputOf || undefined);
  },
};

/** Laravel's and Devise's without a pepper are plain bcrypt, and so are those of Auth0, Clerk and Supabase. */
export const bcryptFormats: readonly ForeignFormat[] = [bcrypt, wordPress, django];
