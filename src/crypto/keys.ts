/**
 * The keys derived from `session.secret`: the secret itself for session tokens, so that any server
 * that has it can verify them, and a subkey (HKDF, RFC 5869) for every other purpose, so that no
 * token is accepted for another purpose (docs/decisions/key-separation.md).
 */
import { createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

export type KeyPurpose =
  | 'magic_link'
  | 'not_me'
  | 'password_reset'
  | 'one_time_code'
  | 'oauth_transaction'
  | 'refresh_token'
  | 'org_invite'
  | 'second_factor'
  | 'rate_limit'
  | 'known_device'
  | 'sign_up'
  | 'sign_up_fields'
  | 'challenge'
  | 'link_browser'
  | 'form'
  | 'oauth_server'
  | EncryptionPurpose;

/**
 * Purposes of encryption. All but `session_cache` and `oauth_key` are those of `encryptionKey`, whose keyring is created in the same way.
 */
export type EncryptionPurpose = 'totp' | 'recovery_code' | 'session_cache' | 'oauth_key';

/** A key for session tokens and its `kid`. */
export interface SessionKey {
  kid: string;
  key: KeyObject;
}

export interface Keyring {
  /** The signing key first, then the keys that only verify. */
  readonly sessionKeys: readonly [SessionKey, ...SessionKey[]];
  /** Returns the subkeys for a purpose, in the same order. */
  subkeys(purpose: KeyPurpose): readonly [KeyObject, ...KeyObject[]];
}

/** Creates a keyring. `secret` signs; `previousSecrets` only verify. */
export function createKeyring(secret: string, previousSecrets: readonly string[] = []): Keyring {
  const derived = new Map<KeyPurpose, readonly [KeyObject, ...KeyObject[]]>();
  const derive = (purpose: KeyPurpose) => (input: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', input, 'svc', `svc/v1/${purpose}`, 32)));
  return {
    sessionKeys: [sessionKey(secret), ...previousSecrets.map(sessionKey)],
    subkeys(purpose) {
      const cached = derived.get(purpose);
      if (cached) return cached;
      const keys = [derive(purpose)(secret), ...previousSecrets.map(derive(purpose))] as const;
      derived.set(purpose, keys);
      return keys;
    },
  };
}

/**
 * Creates the `KeyObject` once: an HMAC that receives a string creates one per call, at several
 * times the cost.
 */
export function sessionKey(secret: string): SessionKey {
  const kid = createHash('sha256').update(`kid${secret}`).digest('base64url').slice(0, 8);
  return { kid, key: createSecretKey(secret, 'utf8') };
}
