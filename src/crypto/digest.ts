/** Digests, MACs and their comparison. */
import { createHash, createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Returns the SHA-256 digest as base64url. */
export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('base64url');
}

/**
 * Returns the HMAC-SHA256 of the length-prefixed parts, so that no two lists of parts have the same
 * input.
 */
export function mac(key: KeyObject, ...parts: readonly (string | Buffer)[]): Buffer {
  return createHmac('sha256', key).update(lengthPrefixed(parts)).digest();
}

/** Concatenates the parts, each preceded by its length in two bytes. */
export function lengthPrefixed(parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/**
 * Compares in a time that does not depend on where the values differ. Different lengths are
 * unequal, not an error.
 */
export function constantTimeEqual(a: Buffer | string, b: Buffer | string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
