/** scrypt (RFC 7914) of other systems. It runs on a thread of libuv. */
import { scrypt } from 'node:crypto';
import { constantTimeEqual } from '../../../crypto/digest.js';
import { hashMemory } from '../memory-budget.js';
import { fromBase64, fromHex, isKey, isSalt } from './decode.js';
import {
  assertCost,
  ForeignHashError,
  malformed,
  type ForeignCheck,
  type ForeignFormat,
} from './foreign-check.js';

export interface ScryptCost {
  n: number;
  r: number;
  p: number;
}

export interface ScryptParts extends ScryptCost {
  salt: Buffer;
  key: Buffer;
  /** better-auth and Lucia normalize the password: its composed and its decomposed form are the same. */
  normalizes?: boolean;
}

const mostMemoryBytes = 256 * 1024 * 1024;
/** Of n · r · p: the work, some seconds at most. */
export const mostScryptWork = 2 ** 22;

/** @throws ForeignHashError */
export function scryptCheck(format: string, parts: ScryptParts): ForeignCheck {
  const { n, r, p, salt, key, normalizes = false } = parts;
  assertScryptCost(format, parts);
  if (!isKey(key) || !isSalt(salt)) throw malformed(format);
  return {
    scale: 'scrypt',
    work: n * r * p,
    matches: async (plain) =>
      constantTimeEqual(
        await deriveScrypt(normalizes ? plain.normalize('NFKC') : plain, salt, key.length, { n, r, p }),
        key,
      ),
    repeat: (plain) => deriveScrypt(plain, Buffer.from('a decoy'), 64, { n, r, p }),
  };
}

/** @throws ForeignHashError */
export function assertScryptCost(format: string, { n, r, p }: ScryptCost): void {
  assertCost(format, 'n', n, 2, 2 ** 30);
  assertCost(format, 'r', r, 1, 1024);
  assertCost(format, 'p', p, 1, 64);
  if (!Number.isInteger(Math.log2(n))) throw malformed(format);
  if (128 * n * r > mostMemoryBytes)
    throw new ForeignHashError('hash_too_costly', `${format} may take at most 256 MiB to verify.`);
  assertCost(format, 'the product of n, r and p', n * r * p, 1, mostScryptWork);
}

export function deriveScrypt(
  plain: string,
  salt: Buffer,
  bytes: number,
  { n, r, p }: ScryptCost,
): Promise<Buffer> {
  // Node counts some more than n · r.
  const maxmem = 128 * r * (n + p + 4) + 1024;
  const derive = () =>
    new Promise<Buffer>((resolve, reject) => {
      scrypt(plain, salt, bytes, { N: n, r, p, maxmem }, (error, key) =>
        error ? reject(error) : resolve(key),
      );
    });
  return hashMemory.run(maxmem, derive);
}

/** Does an amount of work, in little memory if it is little. */
export async function burnScrypt(plain: string, work: number): Promise<void> {
  // Blocks of 1 KiB, as most systems use. The rest goes into p, which needs no power of two and hardly any memory.
  const blocks = Math.max(2, Math.floor(work / 8));
  const n = 2 ** Math.min(15, Math.floor(Math.log2(blocks)));
  await deriveScrypt(plain, Buffer.from('a decoy'), 64, { n, r: 8, p: Math.max(1, Math.round(blocks / n)) });
}

/** `$scrypt$ln=15,r=8,p=1$salt$hash`: the form in which parts are stored. */
export function encodeScrypt({ n, r, p, salt, key }: ScryptParts): string {
  const [saltText, keyText] = [salt, key].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$scrypt$ln=${Math.log2(n)},r=${r},p=${p}$${saltText}$${keyText}`;
}

const phc: ForeignFormat = {
  name: 'scrypt',
  read(hash) {
    const parts =
      /^\$scrypt\$(ln|n)=(\d{1,12}),r=(\d{1,12}),p=(\d{1,12})\$([A-Za-z0-9+/]*={0,2})\$([A-Za-z0-9+/]+={0,2})$/.exec(
        hash,
      );
    if (!parts) return null;
    const [, name, exponent, r, p, saltText = '', keyText = ''] = parts;
    if (name === 'ln') assertCost('scrypt', 'ln', Number(exponent), 1, 30);
    const n = name === 'ln' ? 2 ** Number(exponent) : Number(exponent);
    const salt = saltText === '' ? Buffer.alloc(0) : fromBase64(saltText);
    const key = fromBase64(keyText);
    if (!salt || !key) throw malformed('scrypt');
    return scryptCheck('scrypt', { n, r: Number(r), p: Number(p), salt, key });
  },
};

const betterAuth: ForeignFormat = {
  // better-auth and Lucia 3: 16384, 16, 1.
  name: 'better-auth',
  read: (hash) => readTextSalt(/^([0-9a-f]{32}):([0-9a-f]{128})$/, hash, 'a hash of better-auth', 16),
};

const lucia: ForeignFormat = {
  name: 'lucia',
  read: (hash) =>
    readTextSalt(/^s2:([A-Za-z0-9]{8,64}):([0-9a-f]{128})$/, hash, 'a hash of Lucia', 16) ??
    // Its first release, with a salt of 16 characters.
    readTextSalt(/^([a-z0-9]{16}):([0-9a-f]{128})$/, hash, 'a hash of Lucia 1', 8),
};

/** The salt is the text itself, not what its digits encode. */
function readTextSalt(form: RegExp, hash: string, format: string, r: number): ForeignCheck | null {
  const [, salt, keyText] = form.exec(hash) ?? [];
  if (salt === undefined || keyText === undefined) return null;
  const key = Buffer.from(keyText, 'hex');
  return scryptCheck(format, { n: 16_384, r, p: 1, salt: Buffer.from(salt), key, normalizes: true });
}

const werkzeug: ForeignFormat = {
  name: 'werkzeug-scrypt',
  read(hash) {
    const parts = /^scrypt:(\d{1,12}):(\d{1,12}):(\d{1,12})\$([^$]+)\$([^$]+)$/.exec(hash);
    if (!parts) return null;
    const [n = 0, r = 0, p = 0] = parts.slice(1, 4).map(Number);
    const key = fromHex(parts[5] ?? '');
    if (!key) throw malformed('a hash of Werkzeug');
    return scryptCheck('a hash of Werkzeug', { n, r, p, salt: Buffer.from(parts[4] ?? ''), key });
  },
};

const django: ForeignFormat = {
  name: 'django-scrypt',
  read(hash) {
    const parts = /^scrypt\$(\d{1,12})\$([^$]+)\$(\d{1,12})\$(\d{1,12})\$([^$]+)$/.exec(hash);
    if (!parts) return null;
    const key = fromBase64(parts[5] ?? '');
    if (!key) throw malformed('a hash of Django');
    const [n, r, p] = [Number(parts[1]), Number(parts[3]), Number(parts[4])];
    return scryptCheck('a hash of Django', { n, r, p, salt: Buffer.from(parts[2] ?? ''), key });
  },
};

export const scryptFormats: readonly ForeignFormat[] = [phc, betterAuth, lucia, werkzeug, django];
