/** Decodes base64url in its canonical form only. */

/**
 * Returns the bytes, or null if the string is not canonical base64url: Node's decoder skips unknown
 * characters, so that many strings would be valid for one token.
 */
export function decodeBase64url(text: string): Buffer<ArrayBuffer> | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
