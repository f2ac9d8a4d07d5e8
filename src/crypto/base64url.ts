/** Base64url that is read in one spelling only. */

/**
 * The bytes, or null where the text is none or not the canonical one: Node's decoder skips what it does not know, so that many
 * texts would stand for one token.
 */
export function decodeBase64url(text: string): Buffer<ArrayBuffer> | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
