/**
 * The keys made of `session.secret`: the secret itself for session tokens, so that they can be verified anywhere
 * that holds it, and for every other purpose a subkey (HKDF, RFC 5869), so that no token of one kind can pass
 * for another (docs/decisions/key-separation.md).
 */
import { createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

export type KeyPurpose =
  | 'magic_link'
  | 'password_reset'
  | 'one_time_code'
  | 'oauth_transaction'
  | 'refresh_token'
  | 'org_invite'
  | 'second_factor'
  | 'rate_limit'
  | 'known_device'
  | EncryptionPurpose;

/** Of `encryptionKey`, whose keyring is made in the same way. */
export type EncryptionPurpose = 'totp' | 'recovery_code';

/** A key for session tokens and the `kid` that names it. */
export interface SessionKey {
  kid: string;
  key: KeyObject;
}

export interface Keyring {
  /** The signing key first, then those that only verify. */
  readonly sessionKeys: readonly [SessionKey, ...SessionKey[]];
  /** The subkeys for a purpose in the same order. */
  subkeys(purpose: KeyPurpose): readonly [KeyObject, ...KeyObject[]];
}

/** `secret` signs; `previousSecrets` verify only. */
export function createKeyring(secret: string, previousSecrets: readonly string[] = []): Keyring {
  const derived = new Map<KeyPurpose, readonly [KeyObject, ...KeyObject[]]>();
  const derive = (purpose: KeyPurpose) => (each: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', each, 'svc', `svc/v1/${purpose}`, 32)));
  return {
    sessionKeys: [sessionKey(secret), ...previousSecrets.map(sessionKey)],
    subkeys(purpose) {
      const known = derived.get(purpose);
      if (known) return known;
      const keys = [derive(purpose)(secret), ...previousSecrets.map(derive(purpose))] as const;
      derived.set(purpose, keys);
      return keys;
    },
  };
}

/** A `KeyObject` made once: an HMAC that is given a string makes one per call, at several times the cost. */
export function sessionKey(secret: string): SessionKey {
  const kid = createHash('sha256').update(`kid${secret}`).digest('base64url').slice(0, 8);
  return { kid, key: createSecretKey(secret, 'utf8') };
}
