/** Names the formats of hashes, for summaries and for finding the column of passwords. Which of them are accepted is decided by the import. */
// cspell:ignore abxy
import type { ForeignHash } from '../../domain/imported-user.js';

const formats: readonly (readonly [name: string, form: RegExp])[] = [
  ['bcrypt', /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/],
  ['bcrypt of WordPress', /^\$wp\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/],
  ['Argon2', /^(?:argon2)?\$argon2(?:id|i|d)\$/],
  ['PBKDF2 of Django', /^pbkdf2_sha(?:1|256|512)\$\d+\$/],
  ['bcrypt of Django', /^bcrypt(?:_sha256)?\$/],
  ['scrypt of Django', /^scrypt\$/],
  ['salted digest of Django', /^(?:sha1|md5)\$/],
  ['scrypt', /^\$(?:scrypt|s0|7)\$/],
  ['PBKDF2', /^\$pbkdf2(?:-sha\d+)?\$/],
  ['scrypt of Werkzeug', /^scrypt:\d+:\d+:\d+\$/],
  ['PBKDF2 of Werkzeug', /^pbkdf2:sha\d+(?::\d+)?\$/],
  ['scrypt of Lucia', /^s2:[^:]+:[0-9a-f]+$/],
  ['SHA-crypt', /^\$[56]\$/],
  ['MD5-crypt', /^\$(?:1|apr1)\$/],
  ['phpass', /^\$[PH]\$[./A-Za-z0-9]{31}$/],
  ['LDAP digest', /^\{[A-Z0-9-]+\}/],
  ['ASP.NET Identity', /^A[A-Q][A-Za-z0-9+/]{58,}={0,2}$/],
  ['scrypt of better-auth', /^[0-9a-f]{32}:[0-9a-f]{128}$/],
  ['salt and hash', /^(?:[\w+/=-]{8,}[.:][\w+/=-]{32,}|[\w+/=-]{32,}[.:][\w+/=-]{8,})$/],
  ['hexadecimal digest', /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}|[0-9a-f]{1024})$/i],
];

/** Returns the name of the format of a hash, or null if it looks like none. Never a part of the hash: it may be a password. */
export function formatOf(hash: unknown): string | null {
  if (Buffer.isBuffer(hash)) return [20, 32, 64, 512].includes(hash.length) ? 'binary digest' : null;
  if (typeof hash === 'string') return formats.find(([, form]) => form.test(hash))?.[0] ?? null;
  return null;
}

const unnamed = ['hexadecimal digest', 'binary digest', 'salt and hash'];

/** Whether a hash needs no --hash. */
export function namesItsFormat(hash: unknown): boolean {
  const format = formatOf(hash);
  return format !== null && !unnamed.includes(format);
}

const names: Readonly<Record<ForeignHash['format'], string>> = {
  pbkdf2: 'PBKDF2',
  scrypt: 'scrypt',
  sha1: 'salted SHA-1',
  sha256: 'salted SHA-256',
  sha512: 'salted SHA-512',
  'firebase-scrypt': 'scrypt of Firebase',
  'svc-auth': 'hashes of svc-auth',
};

/** Returns how a summary calls the format of a hash that is imported. */
export function nameOfFormat(hash: string | ForeignHash): string {
  if (typeof hash === 'string') return formatOf(hash) ?? 'unknown';
  return 'iterations' in hash
    ? `${names[hash.format]}, ${hash.digest}, ${hash.iterations} rounds`
    : names[hash.format];
}
