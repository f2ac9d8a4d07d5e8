/** The source of all random values: the operating system's generator. */
import { randomInt } from 'node:crypto';
import { loadOtpAuth } from '../runtime/load.js';
import { takeRandomBytes } from './random-pool.js';

/** Returns `length` uniformly random decimal digits, with leading zeros. 1 to 12 digits. */
export function randomDigits(length: number): string {
  return randomInt(10 ** length)
    .toString()
    .padStart(length, '0');
}

/** Returns `length` uniformly random characters of `alphabet`. */
export function randomCharacters(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** Returns `bytes` random bytes as base64url. */
export function randomToken(bytes = 32): string {
  return takeRandomBytes(bytes).toString('base64url');
}

/**
 * Returns `bytes` random bytes as base32 (RFC 4648, 6), which people can read and type. A multiple
 * of 5 needs no padding.
 */
export function randomBase32(bytes: number): string {
  return new (loadOtpAuth().Secret)({ size: bytes }).base32;
}

/** Returns a UUID v7 (RFC 9562, 5.7): sortable by creation time, with 74 random bits. */
export function uuidV7(now: number): string {
  const bytes = takeRandomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
