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

/** The proofs of the requests that are being served. Several guards can check one request, which has one proof. */
export class RequestProofs {
  private readonly uses = new WeakMap<object, Map<string, Promise<boolean>>>();

  constructor(private readonly repository: OAuthServerRepository) {}

  /** As `useProof`, once for each request. */
  use(request: object, proof: Proof, owner: string): Promise<boolean> {
    const uses = this.uses.get(request) ?? new Map<string, Promise<boolean>>();
    this.uses.set(request, uses);
    const name = owner + proof.id;
    const use = uses.get(name) ?? useProof(this.repository, proof, owner);
    uses.set(name, use);
    return use;
  }
}
