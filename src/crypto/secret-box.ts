/**
 * Authenticated encryption of what the storage must be able to give back: AES-256-GCM under a subkey of `encryptionKey`. The
 * owner is part of what is authenticated, so that a ciphertext moved to somebody else's row does not open
 * (docs/decisions/encryption.md).
 */
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { decodeBase64url } from './base64url.js';
import { sha256 } from './digest.js';
import type { EncryptionPurpose, Keyring } from './keys.js';

const algorithm = 'aes-256-gcm';
const version = 'v1';
const tagLength = 16;

/** `v1.<key id>.<iv>.<ciphertext>.<tag>`, each part base64url. */
export function seal(keys: Keyring, purpose: EncryptionPurpose, owner: string, text: string): string {
  const [key] = keys.subkeys(purpose);
  // 96 random bits per message: NIST SP 800-38D, 8.2.2.
  const iv = randomBytes(12);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagLength });
  cipher.setAAD(authenticated(purpose, owner));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [version, keyId(key), ...parts].join('.');
}

/** How everything begins that `seal` makes now. */
export function currentSealPrefix(keys: Keyring, purpose: EncryptionPurpose): string {
  return `${version}.${keyId(keys.subkeys(purpose)[0])}.`;
}

export interface Unsealed {
  text: string;
  /** False where an earlier key opened it: seal it anew. */
  isCurrent: boolean;
}

/** Null for whatever is not, to the bit, what `seal` made for this purpose and owner with a key that is known. */
export function unseal(
  keys: Keyring,
  purpose: EncryptionPurpose,
  owner: string,
  sealed: string,
): Unsealed | null {
  const [sealedVersion, id, ...parts] = sealed.split('.');
  const [iv, ciphertext, tag] = parts.map(decodeBase64url);
  const known = keys.subkeys(purpose);
  const key = known.find((each) => keyId(each) === id);
  if (sealedVersion !== version || parts.length !== 3) return null;
  if (!key || !iv || !ciphertext || !tag) return null;
  try {
    const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagLength });
    decipher.setAAD(authenticated(purpose, owner)).setAuthTag(tag);
    const text = Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
    return { text, isCurrent: key === known[0] };
  } catch {
    return null;
  }
}

function authenticated(purpose: EncryptionPurpose, owner: string): Buffer {
  return Buffer.from(`${purpose}|${version}|${owner}`);
}

/** Says which key, and nothing of it. */
function keyId(key: KeyObject): string {
  return sha256(Buffer.concat([Buffer.from('kid'), key.export()])).slice(0, 8);
}
