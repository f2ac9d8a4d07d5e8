/** The secrets of a client: their digests in its metadata. There can be two, so that a client changes from one to the other without a break. */
import { constantTimeEqual, sha256 } from '../crypto/digest.js';
import { randomToken, uuidV7 } from '../crypto/random.js';
import type { OAuthClient } from '../domain/oauth-server.js';
import type { OAuthClientSecret } from '../domain/registered-client.js';

type Metadata = OAuthClient['metadata'];

export interface StoredSecret {
  id: string;
  digest: string;
  /** In ISO 8601. */
  createdAt: string;
}

/** One in use, and its successor. */
export const maxSecrets = 2;

/** What is stored of a client's secret. It has 256 random bits, so that a plain digest cannot be guessed. */
export function secretDigest(secret: string): string {
  return sha256(`oauth_client:${secret}`);
}

/** Returns a secret, and what is stored of it. */
export function newSecret(now: number): { value: string; stored: StoredSecret } {
  const value = randomToken();
  const createdAt = new Date(now).toISOString();
  return { value, stored: { id: uuidV7(now), digest: secretDigest(value), createdAt } };
}

export function storedSecrets(metadata: Metadata): readonly StoredSecret[] {
  return (metadata['client_secrets'] as readonly StoredSecret[] | undefined) ?? [];
}

export function withSecrets(metadata: Metadata, secrets: readonly StoredSecret[]): Metadata {
  return { ...metadata, client_secrets: secrets };
}

export function publicSecrets(metadata: Metadata): OAuthClientSecret[] {
  return storedSecrets(metadata).map(({ id, createdAt }) => ({ id, createdAt: new Date(createdAt) }));
}

/** The metadata as the engine knows them: with one secret, which consists of all digests. */
export function engineMetadata(metadata: Metadata): Metadata {
  const { client_secrets: _secrets, ...others } = metadata;
  const digests = storedSecrets(metadata).map(({ digest }) => digest);
  return { ...others, ...(digests.length > 0 && { client_secret: digests.join(' ') }) };
}

/** @param stored the digests. Every one is compared, so that the time does not show which has matched. */
export function isOneOf(stored: string, secret: string): boolean {
  const digest = secretDigest(secret);
  return stored
    .split(' ')
    .map((each) => constantTimeEqual(each, digest))
    .includes(true);
}
