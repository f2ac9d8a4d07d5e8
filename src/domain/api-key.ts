/** API keys: what is known of a key to everybody, and what the storage keeps in addition. */

/** A key without its secret: all that anybody sees after its creation. */
export interface PublicApiKey {
  id: string;
  name: string;
  /** The start of the key, to recognise it by. */
  prefix: string;
  /** Exactly one of `userId` and `orgId` is set: the owner. */
  userId: string | null;
  orgId: string | null;
  scopes: string[];
  metadata: Record<string, unknown>;
  createdAt: Date;
  /** To the minute: written at most once in one. */
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export interface StoredApiKey extends PublicApiKey {
  /** SHA-256 of the secret part, base64url. */
  secretHash: string;
}

export function toPublicApiKey(key: StoredApiKey): PublicApiKey {
  const { secretHash: _, ...rest } = key;
  return rest;
}
