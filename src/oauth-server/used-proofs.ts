/** Proofs of keys are accepted once (RFC 9449, 11.1). */
import { sha256 } from '../crypto/digest.js';
import type { Proof } from '../crypto/dpop-proof.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { tokenDigest } from './records.js';

/**
 * Stores that a proof was used, in one statement. False if it was used before.
 * @param owner in which ids are unique: the client at the token endpoint, as in the engine, and the key at a resource.
 */
export function useProof(
  repository: OAuthServerRepository,
  { id, expiresAt }: Proof,
  owner: string,
): Promise<boolean> {
  const digest = tokenDigest('proof', sha256(owner + id));
  const nothing = { alias: null, grantId: null, clientId: null, data: {}, usedAt: null };
  return repository.insertToken({ digest, kind: 'proof', ...nothing, expiresAt });
}
