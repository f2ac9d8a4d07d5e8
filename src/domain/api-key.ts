/** API keys: what is known of a key to everybody, and what the storage keeps in addition. */
import { isDate } from 'node:util/types';
import { InvalidRequestError } from '../errors/catalog.js';

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

/** The stored record of an API key (specification 2.2), with the digest of its secret. Callers get a `PublicApiKey`. */
export type ApiKey = StoredApiKey;

/** Exactly one of `userId` and `orgId` is given. */
export interface ApiKeyOwner {
  userId?: string;
  orgId?: string;
}

export const scopeForm = /^[\x21-\x7e]{1,64}$/;

/** Exactly one of the two. */
export type OwnerOfKey = { userId: string; orgId: null } | { userId: null; orgId: string };

/** @throws InvalidRequestError unless there is exactly one owner. */
export function parseApiKeyOwner({ userId, orgId }: ApiKeyOwner): OwnerOfKey {
  if (typeof userId === 'string' && (orgId ?? null) === null) return { userId, orgId: null };
  if (typeof orgId === 'string' && (userId ?? null) === null) return { userId: null, orgId };
  throw new InvalidRequestError('A key has exactly one owner: userId or orgId.');
}

/** @throws InvalidRequestError */
export function parseScopes(scopes: unknown = []): string[] {
  const isScope = (scope: unknown) => typeof scope === 'string' && scopeForm.test(scope);
  // From a copy: `every` skips the holes of an array.
  if (Array.isArray(scopes) && scopes.length <= 100 && Array.from<unknown>(scopes).every(isScope))
    return [...new Set(scopes as string[])];
  throw new InvalidRequestError(
    'scopes must be at most 100 strings of 1 to 64 printable characters without spaces.',
  );
}

// ISO 8601 writes later years in a form that PostgreSQL does not read.
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** @throws InvalidRequestError unless it is a time in the future. */
export function parseExpiry(expiresAt: unknown, now: number): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  // A Date of another realm is a Date, and one whose methods were replaced still has its own time.
  const time = isDate(expiresAt) ? Date.prototype.getTime.call(expiresAt) : Number.NaN;
  if (time > now && time <= latestExpiry) return new Date(time);
  throw new InvalidRequestError('expiresAt must be a Date in the future, before the year 10000.');
}
