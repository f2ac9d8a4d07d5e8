/** API keys: the public record, and what the storage keeps in addition. */
import { isDate } from 'node:util/types';
import { InvalidRequestError } from '../errors/catalog.js';
import type { UserBlock } from './user-block.js';

/** A key without its secret. The secret is shown once, when the key is created. */
export interface PublicApiKey {
  id: string;
  name: string;
  /** The first characters of the key, by which its owner recognizes it. */
  prefix: string;
  /** Exactly one of `userId` and `orgId` is set: the owner. */
  userId: string | null;
  orgId: string | null;
  scopes: string[];
  metadata: Record<string, unknown>;
  createdAt: Date;
  /** Updated at most once a minute. */
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export interface StoredApiKey extends PublicApiKey {
  /** SHA-256 of the secret part, base64url. */
  secretHash: string;
  /** The block of the user who owns the key, also if it has ended. It is read with the key, not stored in it. */
  ownerBlock?: UserBlock;
}

export function toPublicApiKey(key: StoredApiKey): PublicApiKey {
  const { secretHash: _, ownerBlock: __, ...rest } = key;
  return rest;
}

/**
 * The stored record of an API key (specification 2.2), with the digest of its secret. Callers get a
 * `PublicApiKey`.
 */
export type ApiKey = StoredApiKey;

export const scopeForm = /^[\x21-\x7e]{1,64}$/;

/** The owner of a key: a user or an org. */
export type OwnerOfKey = { userId: string; orgId: null } | { userId: null; orgId: string };

/** Parses the owner of a key. @throws InvalidRequestError unless there is exactly one owner. */
export function parseApiKeyOwner({ userId, orgId }: { userId?: unknown; orgId?: unknown }): OwnerOfKey {
  if (typeof userId === 'string' && (orgId ?? null) === null) return { userId, orgId: null };
  if (typeof orgId === 'string' && (userId ?? null) === null) return { userId: null, orgId };
  throw new InvalidRequestError('An API key must have exactly one owner: userId or orgId.');
}

/** Returns the scopes without duplicates. @throws InvalidRequestError if they are malformed. */
export function parseScopes(scopes: unknown = []): string[] {
  const isScope = (scope: unknown) => typeof scope === 'string' && scopeForm.test(scope);
  // A copy, because `every` skips the holes of an array.
  if (Array.isArray(scopes) && scopes.length <= 100 && Array.from<unknown>(scopes).every(isScope))
    return [...new Set(scopes as string[])];
  throw new InvalidRequestError(
    'scopes must be at most 100 strings of 1 to 64 printable characters without spaces.',
  );
}

// ISO 8601 writes later years in a format that PostgreSQL cannot read.
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns the expiry, or null if none is given. @throws InvalidRequestError unless it is in the
 * future.
 */
export function parseExpiry(expiresAt: unknown, now: number): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  // Accepts a Date of another realm, and ignores replaced methods.
  const time = isDate(expiresAt) ? Date.prototype.getTime.call(expiresAt) : Number.NaN;
  if (time > now && time <= latestExpiry) return new Date(time);
  throw new InvalidRequestError('expiresAt must be a Date in the future, before the year 10000.');
}
