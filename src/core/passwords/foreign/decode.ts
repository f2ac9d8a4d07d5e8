/** Strict decoding of the parts of a hash: a byte more or less would make every password wrong without a word. */

/** The shortest digest that is accepted: a shorter one matches other passwords, too. */
export const leastKeyBytes = 16;
/** passport-local-mongoose stores 512 bytes. */
export const mostKeyBytes = 1024;
export const mostSaltBytes = 1024;

/** Returns the bytes of base64 in its standard alphabet, with or without padding. Null if the string is not exactly their encoding. */
export function fromBase64(text: string): Buffer | null {
  return reencodes(text, 'base64', text.replace(/={1,2}$/, ''), text.endsWith('='));
}

export function fromBase64Url(text: string): Buffer | null {
  return reencodes(text, 'base64url', text.replace(/={1,2}$/, ''), text.endsWith('='));
}

/** Passlib's base64: `.` for `+`, never padded. */
export function fromPasslibBase64(text: string): Buffer | null {
  return /[+=]/.test(text) ? null : fromBase64(text.replaceAll('.', '+'));
}

export function toPasslibBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '').replaceAll('+', '.');
}

export function fromHex(text: string): Buffer | null {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null;
}

function reencodes(text: string, encoding: 'base64' | 'base64url', bare: string, padded: boolean) {
  if (bare === '') return null;
  const bytes = Buffer.from(bare, encoding);
  const again = bytes.toString(encoding).replace(/=+$/, '');
  // With padding, the length must be a multiple of four.
  return again === bare && (!padded || text.length % 4 === 0) ? bytes : null;
}

export function isKey(bytes: Buffer | null): bytes is Buffer {
  return bytes !== null && bytes.length >= leastKeyBytes && bytes.length <= mostKeyBytes;
}

export function isSalt(bytes: Buffer | null): bytes is Buffer {
  return bytes !== null && bytes.length <= mostSaltBytes;
}
