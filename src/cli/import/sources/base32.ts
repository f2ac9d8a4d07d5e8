/** Base32 (RFC 4648, 6) without padding, in which authenticator apps take their secrets. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function base32(bytes: Uint8Array): string {
  let [text, buffer, bits] = ['', 0, 0];
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(buffer >>> bits) & 31] ?? '';
      buffer &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? text : text + (alphabet[(buffer << (5 - bits)) & 31] ?? '');
}
