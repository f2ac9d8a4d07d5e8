/** Digests, MACs and their comparison. */
import crypto, { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Returns the SHA-256 digest as base64url. */
export function sha256(data: string | Buffer): string {
  // In one call, which takes less than half the time. Node.js has it since 20.12.
  const { hash } = crypto as Partial<typeof crypto>;
  return hash
    ? hash('sha256', data, 'base64url')
    : crypto.createHash('sha256').update(data).digest('base64url');
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
  let length = 0;
  for (const part of parts) length += 2 + Buffer.byteLength(part);
  const all = Buffer.allocUnsafe(length);
  let end = 0;
  for (const part of parts) {
    end = all.writeUInt16BE(Buffer.byteLength(part), end);
    end += typeof part === 'string' ? all.write(part, end) : part.copy(all, end);
  }
  return all;
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
