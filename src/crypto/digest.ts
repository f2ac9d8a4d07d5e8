/** Digests, MACs and the comparison of them. */
import { createHash, createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** SHA-256, base64url. */
export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('base64url');
}

/** HMAC-SHA256 over length-prefixed parts, so that no two lists of parts are the same input. */
export function mac(key: KeyObject, ...parts: readonly (string | Buffer)[]): Buffer {
  return createHmac('sha256', key).update(lengthPrefixed(parts)).digest();
}

/** Each part behind its length in two bytes. */
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

/** Equality in time that does not depend on where they differ. Unequal lengths are unequal, not an error. */
export function constantTimeEqual(a: Buffer | string, b: Buffer | string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
