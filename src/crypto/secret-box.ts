/**
 * Authenticated encryption of what must be readable again: AES-256-GCM under a subkey of
 * `encryptionKey`, or of `session.secret` for cached sessions. The owner is authenticated too, so that a ciphertext copied to another user's
 * row cannot be decrypted (docs/decisions/encryption.md).
 */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { decodeBase64url } from './base64url.js';
import { sha256 } from './digest.js';
import type { EncryptionPurpose, Keyring } from './keys.js';
import { takeRandomBytes } from './random-pool.js';

const algorithm = 'aes-256-gcm';
const version = 'v1';
const tagLength = 16;

/** Encrypts a string as `v1.<key id>.<iv>.<ciphertext>.<tag>`, each part base64url. */
export function seal(keys: Keyring, purpose: EncryptionPurpose, owner: string, text: string): string {
  const [key] = keys.subkeys(purpose);
  // 96 random bits per message: NIST SP 800-38D, 8.2.2.
  const iv = takeRandomBytes(12);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagLength });
  cipher.setAAD(associatedData(purpose, owner));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [version, keyId(key), ...parts].join('.');
}

/** Returns the prefix of every ciphertext that `seal` creates with the current key. */
export function currentSealPrefix(keys: Keyring, purpose: EncryptionPurpose): string {
  return `${version}.${keyId(keys.subkeys(purpose)[0])}.`;
}

export interface Unsealed {
  text: string;
  /** False if it was encrypted with a previous key: encrypt it again. */
  isCurrent: boolean;
}

/**
 * Decrypts a ciphertext that `seal` created. Null if it was changed, is for another purpose or
 * owner, or its key is unknown.
 */
export function unseal(
  keys: Keyring,
  purpose: EncryptionPurpose,
  owner: string,
  sealed: string,
): Unsealed | null {
  const [sealedVersion, id, ...parts] = sealed.split('.');
  const [iv, ciphertext, tag] = parts.map(decodeBase64url);
  const subkeys = keys.subkeys(purpose);
  const key = subkeys.find((subkey) => keyId(subkey) === id);
  if (sealedVersion !== version || parts.length !== 3) return null;
  if (!key || !iv || !ciphertext || !tag) return null;
  try {
    const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagLength });
    decipher.setAAD(associatedData(purpose, owner)).setAuthTag(tag);
    const text = Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
    return { text, isCurrent: key === subkeys[0] };
  } catch {
    return null;
  }
}

function associatedData(purpose: EncryptionPurpose, owner: string): Buffer {
  return Buffer.from(`${purpose}|${version}|${owner}`);
}

/** Returns an identifier of the key that reveals nothing about the key itself. */
function keyId(key: KeyObject): string {
  return sha256(Buffer.concat([Buffer.from('kid'), key.export()])).slice(0, 8);
}
