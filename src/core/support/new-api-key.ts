/** Creates an API key: its secret, which is shown once, and the record to store. */
import * as z from 'zod';
import { formatApiKey } from '../../crypto/api-key-format.js';
import { sha256 } from '../../crypto/digest.js';
import { uuidV7 } from '../../crypto/random.js';
import { parseExpiry, parseScopes, type OwnerOfKey, type StoredApiKey } from '../../domain/api-key.js';
import { parseMetadata } from '../../domain/metadata.js';
import { parseName } from '../../domain/name.js';
import { metadataInput, unchecked } from './input-types.js';
import { lazily } from '../../runtime/load.js';

export const apiKeyOwner = lazily(
  () =>
    z.object({
      userId: unchecked<string>().optional(),
      orgId: unchecked<string>().optional(),
    }) satisfies z.ZodType<ApiKeyOwner>,
);
/** Exactly one of `userId` and `orgId` is given. */
export interface ApiKeyOwner {
  userId?: string | undefined;
  orgId?: string | undefined;
}

export const newApiKeyInput = lazily(
  () =>
    apiKeyOwner().extend({
      name: z.string(),
      scopes: (z.array(z.string()) as z.ZodType<readonly string[]>).optional(),
      expiresAt: unchecked<Date>().optional(),
      metadata: metadataInput(),
    }) satisfies z.ZodType<NewApiKey>,
);
/** A key, and its owner. */
export interface NewApiKey extends ApiKeyOwner {
  name: string;
  /** Default: `[]`. */
  scopes?: readonly string[] | undefined;
  /** If absent, the key does not expire. */
  expiresAt?: Date | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface GeneratedApiKey {
  key: string;
  stored: StoredApiKey;
}

/** Returns a new API key. @throws InvalidRequestError if the name, a scope, the expiry or the metadata is invalid. */
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
