/** How many grants a user has: a client that signs its user in again each time must not fill the storage, nor the list of connected apps. */
import type { OAuthGrant } from '../domain/oauth-server.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';

const maxOfClient = 20;
const maxOfUser = 100;

/** Returns the grants beyond the limits: those that were used least recently. */
export function grantsBeyondLimits(grants: readonly OAuthGrant[]): OAuthGrant[] {
  const usedAt = ({ createdAt, lastUsedAt }: OAuthGrant) => (lastUsedAt ?? createdAt).getTime();
  const ofClient = new Map<string, number>();
  let kept = 0;
  return [...grants]
    .sort((a, b) => usedAt(b) - usedAt(a))
    .filter(({ clientId }) => {
      const count = (ofClient.get(clientId) ?? 0) + 1;
      if (count > maxOfClient || kept >= maxOfUser) return true;
      ofClient.set(clientId, count);
      kept += 1;
      return false;
    });
}

/** Removes what is beyond the limits. Of parallel calls each sees at least its own grant, so that the last leaves no more than allowed. */
export async function limitGrants(
  repository: OAuthServerRepository,
  userId: string,
  now: Date,
): Promise<void> {
  const excess = grantsBeyondLimits(await repository.listGrants(userId, now));
  for (const { id } of excess) await repository.removeGrant(id, userId);
}
