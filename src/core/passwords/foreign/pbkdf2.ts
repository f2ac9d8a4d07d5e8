/** PBKDF2 (RFC 8018), as Django, Passlib, Werkzeug and ASP.NET Identity write it. It runs on a thread of libuv. */
import { pbkdf2, randomBytes } from 'node:crypto';
import { constantTimeEqual } from '../../../crypto/digest.js';
import { promisify } from 'node:util';
import { fromBase64, fromHex, fromPasslibBase64, isKey, isSalt, toPasslibBase64 } from './decode.js';
import { assertCost, malformed, type ForeignCheck, type ForeignFormat } from './foreign-check.js';

export type Pbkdf2Digest = 'sha1' | 'sha256' | 'sha512';

export interface Pbkdf2Parts {
  digest: Pbkdf2Digest;
  iterations: number;
  salt: Buffer;
  key: Buffer;
}

export const mostPbkdf2Rounds = 5_000_000;
const digestBytes: Record<Pbkdf2Digest, number> = { sha1: 20, sha256: 32, sha512: 64 };
const derive = promisify(pbkdf2);

/** @param format for messages, such as `a hash of Django`. @throws ForeignHashError */
export function pbkdf2Check(format: string, { digest, iterations, salt, key }: Pbkdf2Parts): ForeignCheck {
  assertCost(format, 'the number of rounds', iterations, 1, mostPbkdf2Rounds);
  if (!isKey(key) || !isSalt(salt)) throw malformed(format);
  // The blocks of a longer key are derived independently of each other, each with all rounds: the first one is as hard to guess as all.
  const compared = key.subarray(0, digestBytes[digest]);
  return {
    scale: `pbkdf2-${digest}`,
    work: iterations,
    matches: async (plain) =>
      constantTimeEqual(await derive(plain, salt, iterations, compared.length, digest), compared),
    repeat: (plain) => burnPbkdf2(digest, plain, iterations),
  };
}

export async function hashPbkdf2(digest: Pbkdf2Digest, plain: string, iterations: number): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(plain, salt, iterations, digestBytes[digest], digest);
  return encodePbkdf2({ digest, iterations, salt, key });
}

/** Does the work of so many rounds. */
export async function burnPbkdf2(digest: Pbkdf2Digest, plain: string, rounds: number): Promise<void> {
  await derive(plain, 'a decoy', rounds, digestBytes[digest], digest);
}

/** `$pbkdf2-sha256$25000$salt$hash`: the form in which parts are stored. */
export function encodePbkdf2({ digest: algorithm, iterations, salt, key }: Pbkdf2Parts): string {
  const name = algorithm === 'sha1' ? 'pbkdf2' : `pbkdf2-${algorithm}`;
  return `$${name}$${iterations}$${toPasslibBase64(salt)}$${toPasslibBase64(key)}`;
}

const passlib: ForeignFormat = {
  name: 'pbkdf2',
  read(hash) {
    // The second form of the rounds is that of PHC.
    const parts =
      /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,12})(?:,l=\d{1,4})?\$([A-Za-z0-9./+]*)\$([A-Za-z0-9./+]+)$/.exec(
        hash,
      );
    if (!parts) return null;
    const [, digest = 'sha1', rounds, saltText = '', keyText = ''] = parts;
    const decode = hash.includes('+') ? fromBase64 : fromPasslibBase64;
    const salt = saltText === '' ? Buffer.alloc(0) : decode(saltText);
    const key = decode(keyText);
    if (!salt || !key) throw malformed('PBKDF2');
    return pbkdf2Check('PBKDF2', { digest: digest as Pbkdf2Digest, iterations: Number(rounds), salt, key });
  },
};

const django: ForeignFormat = {
  name: 'django-pbkdf2',
  read(hash) {
    const parts = /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,12})\$([^$]*)\$([^$]+)$/.exec(hash);
    if (!parts) return null;
    const [, digest, rounds, salt = '', keyText = ''] = parts;
    const key = fromBase64(keyText);
    if (!key) throw malformed('a hash of Django');
    return pbkdf2Check('a hash of Django', {
      digest: digest as Pbkdf2Digest,
      iterations: Number(rounds),
      // Its text is the salt.
      salt: Buffer.from(salt),
      key,
    });
  },
};

const werkzeug: ForeignFormat = {
  name: 'werkzeug-pbkdf2',
  read(hash) {
    const parts = /^pbkdf2:(sha1|sha256|sha512)(?::(\d{1,12}))?\$([^$]*)\$([^$]+)$/.exec(hash);
    if (!parts) return null;
    // Releases before 2011 wrote no number of rounds.
    const [, digest, rounds = '1000', salt = '', keyText = ''] = parts;
    const key = fromHex(keyText);
    if (!key) throw malformed('a hash of Werkzeug');
    return pbkdf2Check('a hash of Werkzeug', {
      digest: digest as Pbkdf2Digest,
      iterations: Number(rounds),
      salt: Buffer.from(salt),
      key,
    });
  },
};

const prfs: readonly Pbkdf2Digest[] = ['sha1', 'sha256', 'sha512'];

/** Base64 of a first byte with the version, and the parts after it. */
const aspNet: ForeignFormat = {
  name: 'aspnet-identity',
  read(hash) {
    if (!/^A[A-Q][A-Za-z0-9+/]{50,1000}={0,2}$/.test(hash)) return null;
    const bytes = hash.length % 4 === 0 ? fromBase64(hash) : null;
    if (bytes?.[0] === 0 && bytes.length === 49) {
      const [salt, key] = [bytes.subarray(1, 17), bytes.subarray(17)];
      return pbkdf2Check('ASP.NET Identity 2', { digest: 'sha1', iterations: 1000, salt, key });
    }
    if (bytes?.[0] !== 1) return null;
    const format = 'ASP.NET Identity 3';
    const digest = prfs[bytes.readUInt32BE(1)];
    const saltBytes = bytes.readUInt32BE(9);
    if (!digest || saltBytes < 16 || saltBytes > bytes.length - 13) throw malformed(format);
    const [salt, key] = [bytes.subarray(13, 13 + saltBytes), bytes.subarray(13 + saltBytes)];
    return pbkdf2Check(format, { digest, iterations: bytes.readUInt32BE(5), salt, key });
  },
};

export const pbkdf2Formats: readonly ForeignFormat[] = [passlib, django, werkzeug, aspNet];
