/**
 * Opens what other systems encrypt with the secret of the application: the keys of authenticator apps and recovery codes. Nothing is
 * written in these forms.
 */
import { createDecipheriv, createHash, createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../../crypto/digest.js';
import { asObject, parsedJson } from '../values.js';

/**
 * better-auth: the nonce and XChaCha20-Poly1305 in hexadecimal digits, under SHA-256 of the secret, since 1.5 after `$ba$<version>$`.
 * Null if the secret is another one.
 */
export function openBetterAuthBox(text: string, secret: string): string | null {
  const digits = text.replace(/^\$ba\$\d+\$/, '');
  if (!/^(?:[0-9a-f]{2}){40,}$/.test(digits)) return null;
  const box = Buffer.from(digits, 'hex');
  const key = hChaCha20(createHash('sha256').update(secret).digest(), box.subarray(0, 16));
  const nonce = Buffer.concat([Buffer.alloc(4), box.subarray(16, 24)]);
  try {
    const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 });
    decipher.setAuthTag(box.subarray(-16));
    return Buffer.concat([decipher.update(box.subarray(24, -16)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** The key of XChaCha20 (draft-irtf-cfrg-xchacha-03, 2.2), which Node.js has only with a short nonce. */
function hChaCha20(key: Buffer, nonce: Buffer): Buffer {
  const state = new Uint32Array(16);
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  for (let word = 0; word < 8; word++) state[4 + word] = key.readUInt32LE(4 * word);
  for (let word = 0; word < 4; word++) state[12 + word] = nonce.readUInt32LE(4 * word);
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of quarters) quarterRound(state, a, b, c, d);
  }
  const out = Buffer.alloc(32);
  for (let word = 0; word < 4; word++) {
    out.writeUInt32LE(state[word]!, 4 * word);
    out.writeUInt32LE(state[12 + word]!, 16 + 4 * word);
  }
  return out;
}

/** Columns, then diagonals. */
const quarters = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

function quarterRound(state: Uint32Array, a: number, b: number, c: number, d: number): void {
  const step = (to: number, from: number, mixed: number, bits: number) => {
    state[to] = state[to]! + state[from]!;
    const value = state[mixed]! ^ state[to];
    state[mixed] = (value << bits) | (value >>> (32 - bits));
  };
  step(a, b, d, 16);
  step(c, d, b, 12);
  step(a, b, d, 8);
  step(c, d, b, 7);
}

const laravelCiphers: Readonly<Record<number, 'aes-128' | 'aes-256'>> = { 16: 'aes-128', 32: 'aes-256' };

/** Laravel's `encrypt()`: JSON in base64, AES in CBC with HMAC-SHA256, or GCM. Null if the key is another one. @param key APP_KEY. */
export function openLaravelBox(text: string, key: string): string | null {
  const bytes = key.startsWith('base64:') ? Buffer.from(key.slice(7), 'base64') : Buffer.from(key);
  const cipher = laravelCiphers[bytes.length];
  const box = asObject(parsedJson(Buffer.from(text, 'base64').toString('utf8')));
  const { iv, mac, tag, value } = box ?? {};
  if (cipher === undefined || typeof iv !== 'string' || typeof value !== 'string') return null;
  const [nonce, sealed] = [Buffer.from(iv, 'base64'), Buffer.from(value, 'base64')];
  try {
    if (typeof tag === 'string' && tag !== '') {
      const decipher = createDecipheriv(`${cipher}-gcm`, bytes, nonce, { authTagLength: 16 });
      decipher.setAuthTag(Buffer.from(tag, 'base64'));
      return unserialized(Buffer.concat([decipher.update(sealed), decipher.final()]));
    }
    const expected = createHmac('sha256', bytes)
      .update(iv + value)
      .digest();
    const given = Buffer.from(typeof mac === 'string' ? mac : '', 'hex');
    if (!constantTimeEqual(given, expected)) return null;
    const decipher = createDecipheriv(`${cipher}-cbc`, bytes, nonce);
    return unserialized(Buffer.concat([decipher.update(sealed), decipher.final()]));
  } catch {
    return null;
  }
}

/** A string as PHP serializes it, `s:16:"…";`, or as it is. */
function unserialized(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const [, inner] = /^s:\d+:"(.*)";$/s.exec(text) ?? [];
  return inner ?? text;
}
