/** Encrypts as `Illuminate\Encryption\Encrypter` does for `encrypt($string)`. */
import { createCipheriv, createHmac } from 'node:crypto';

/** @param key APP_KEY. */
export function sealedByLaravel(text: string, key: string): string {
  const bytes = Buffer.from(key.slice('base64:'.length), 'base64');
  const iv = Buffer.alloc(16, 3);
  const cipher = createCipheriv('aes-256-cbc', bytes, iv);
  const serialized = `s:${Buffer.byteLength(text)}:"${text}";`;
  const value = Buffer.concat([cipher.update(serialized), cipher.final()]).toString('base64');
  const ivText = iv.toString('base64');
  const mac = createHmac('sha256', bytes)
    .update(ivText + value)
    .digest('hex');
  return Buffer.from(JSON.stringify({ iv: ivText, value, mac, tag: '' })).toString('base64');
}
