/** Hashes that another system keeps in several columns, as one string that says what it is. */
import type { ForeignHash, HashEncoding } from '../../../domain/imported-user.js';
import { fromBase64, fromBase64Url, fromHex } from './decode.js';
import { isStorableText } from '../../../domain/storable-text.js';
import { digestCheck, encodeDigest, type DigestParts } from './digests.js';
import { encodeFirebase, fromAnyBase64 } from './firebase.js';
import { ForeignHashError, malformed } from './foreign-check.js';
import { encodePbkdf2, pbkdf2Check, type Pbkdf2Parts } from './pbkdf2.js';
import { encodeScrypt, scryptCheck, type ScryptParts } from './scrypt.js';

const names: Record<ForeignHash['format'], readonly string[]> = {
  pbkdf2: ['digest', 'iterations', 'salt', 'saltIsText', 'hash', 'encoding'],
  scrypt: ['n', 'r', 'p', 'salt', 'saltIsText', 'hash', 'encoding'],
  sha1: ['salt', 'saltIsText', 'saltPosition', 'hash', 'encoding'],
  sha256: ['salt', 'saltIsText', 'saltPosition', 'hash', 'encoding'],
  sha512: ['salt', 'saltIsText', 'saltPosition', 'hash', 'encoding'],
  'firebase-scrypt': ['salt', 'hash'],
  'svc-auth': ['hash'],
};

type OwnHash = Extract<ForeignHash, { format: 'svc-auth' }>;

/** @throws ForeignHashError if a part is missing or unknown. */
export function hashOfServiceIn(parts: OwnHash): string {
  assertNames(parts);
  if (typeof parts.hash === 'string' && isStorableText(parts.hash) && parts.hash.length <= 4096)
    return parts.hash;
  throw malformed('a hash of svc-auth');
}

/**
 * Returns the parts of a hash as one string, without its key if it needs one.
 * @throws ForeignHashError if a part is missing, malformed, unknown, or too costly.
 */
export function encodeForeignHash(parts: Exclude<ForeignHash, OwnHash>): string {
  assertNames(parts);
  switch (parts.format) {
    case 'pbkdf2': {
      const { digest, iterations } = parts;
      const read: Pbkdf2Parts = { digest: oneOf(digest, digests), iterations, ...bytesOf(parts) };
      pbkdf2Check('PBKDF2', read);
      return encodePbkdf2(read);
    }
    case 'scrypt': {
      const { n, r, p } = parts;
      const read: ScryptParts = { n, r, p, ...bytesOf(parts) };
      scryptCheck('scrypt', read);
      return encodeScrypt(read);
    }
    case 'firebase-scrypt': {
      const [salt, key] = [parts.salt, parts.hash].map((text) => decoded(text, fromAnyBase64));
      if (!salt || !key) throw malformed('a hash of Firebase');
      return encodeFirebase(salt, key);
    }
    default: {
      const saltPosition = oneOf(parts.saltPosition ?? 'after', ['before', 'after'] as const);
      const read: DigestParts = { digest: parts.format, saltPosition, ...bytesOf(parts) };
      digestCheck(read);
      return encodeDigest(read);
    }
  }
}

const digests = ['sha1', 'sha256', 'sha512'] as const;
const decoders: Record<HashEncoding, (text: string) => Buffer | null> = {
  hex: fromHex,
  base64: fromBase64,
  base64url: fromBase64Url,
};

interface SaltedParts {
  salt: string;
  saltIsText?: boolean;
  hash: string;
  encoding?: HashEncoding;
}

function bytesOf({ salt, saltIsText = false, hash, encoding = 'hex' }: SaltedParts) {
  const decode = decoders[oneOf(encoding, ['hex', 'base64', 'base64url'] as const)];
  const saltBytes =
    saltIsText || salt === '' ? decoded(salt, (text) => Buffer.from(text)) : decoded(salt, decode);
  const key = decoded(hash, decode);
  const name = saltBytes ? 'hash' : 'salt';
  if (!saltBytes || !key)
    throw new ForeignHashError(
      'hash_unknown',
      `${name} of passwordHash is not in the encoding "${encoding}".`,
    );
  return { salt: saltBytes, key };
}

/** Returns null for what is not a string, or too long to be a part of a hash. */
function decoded(text: unknown, decode: (text: string) => Buffer | null): Buffer | null {
  return typeof text === 'string' && text.length <= 4096 ? decode(text) : null;
}

function oneOf<T extends string>(value: T, values: readonly T[]): T {
  if (values.includes(value)) return value;
  throw new ForeignHashError('hash_unknown', `A part of passwordHash must be one of ${values.join(', ')}.`);
}

function assertNames(parts: ForeignHash): void {
  const known = Object.hasOwn(names, parts.format) ? names[parts.format] : undefined;
  if (!known) throw new ForeignHashError('hash_unknown', 'The format of passwordHash is not known.');
  const unknown = Object.keys(parts).find((name) => name !== 'format' && !known.includes(name));
  if (unknown !== undefined)
    throw new ForeignHashError(
      'hash_unknown',
      `passwordHash of the format ${parts.format} has an unknown part.`,
    );
}
