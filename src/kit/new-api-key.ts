/** A new API key: its secret, which is shown once, and the record that is stored. */
import { formatApiKey } from '../crypto/api-key-format.js';
import { sha256 } from '../crypto/digest.js';
import { uuidV7 } from '../crypto/random.js';
import {
  parseExpiry,
  parseScopes,
  type ApiKeyOwner,
  type OwnerOfKey,
  type StoredApiKey,
} from '../domain/api-key.js';
import { parseMetadata } from '../domain/metadata.js';
import { parseName } from '../domain/name.js';

export interface NewApiKey extends ApiKeyOwner {
  name: string;
  scopes?: readonly string[];
  expiresAt?: Date;
  metadata?: Record<string, unknown>;
}

export interface GeneratedApiKey {
  key: string;
  stored: StoredApiKey;
}

/** @throws InvalidRequestError for an invalid name, scope, end or metadata. */
export function newApiKey(owner: OwnerOfKey, input: NewApiKey, now: number): GeneratedApiKey {
  const id = uuidV7(now);
  const { key, prefix, secret } = formatApiKey(id);
  const stored: StoredApiKey = {
    id,
    name: parseName(input.name),
    prefix,
    ...owner,
    scopes: parseScopes(input.scopes),
    metadata: parseMetadata(input.metadata),
    createdAt: new Date(now),
    lastUsedAt: null,
    expiresAt: parseExpiry(input.expiresAt, now),
    revokedAt: null,
    secretHash: sha256(secret),
  };
  return { key, stored };
}
