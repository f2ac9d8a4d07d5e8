/** How many grants a user has: a client that signs its user in again each time must not fill the storage, nor the list of connected apps. */
import type { Changes } from '../core/support/changes.js';
import type { OAuthGrant } from '../domain/oauth-server.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { endGrant } from './grant-ends.js';
import { unaskedOf } from './remembered.js';

const maxOfClient = 20;
const maxOfUser = 100;
/** Of a client. */
const maxPending = 5;

const usedAt = ({ createdAt, lastUsedAt }: OAuthGrant) => (lastUsedAt ?? createdAt).getTime();

/**
 * Returns the grants beyond the limits: those that were used least recently. Of those whose codes were not redeemed, only the newest count
 * as used: a site can lead a browser through many authorizations that ask nothing, and must not end the access of a client with them.
 */
export function grantsBeyondLimits(grants: readonly OAuthGrant[]): OAuthGrant[] {
  const sorted = [...grants].sort((a, b) => usedAt(b) - usedAt(a));
  const pending = new Map<string, number>();
  const isAbandoned = ({ clientId, lastUsedAt }: OAuthGrant) => {
    if (lastUsedAt !== null) return false;
    const count = (pending.get(clientId) ?? 0) + 1;
    pending.set(clientId, count);
    return count > maxPending;
  };
  const abandoned = new Set(sorted.filter(isAbandoned));
  const ofClient = new Map<string, number>();
  let kept = 0;
  return [...sorted.filter((grant) => !abandoned.has(grant)), ...abandoned].filter(({ clientId }) => {
    const count = (ofClient.get(clientId) ?? 0) + 1;
    if (count > maxOfClient || kept >= maxOfUser) return true;
    ofClient.set(clientId, count);
    kept += 1;
    return false;
  });
}

/** Removes what is beyond the limits. Of parallel calls each sees at least its own grant, so that the last leaves no more than allowed. */
export async function limitGrants(
  tools: { changes: Changes; repository: OAuthServerRepository },
  userId: string,
  now: Date,
): Promise<void> {
  const grants = await tools.repository.listGrants(userId, now);
  if (grantsBeyondLimits(grants).length === 0) return;
  // A client can get grants without a question as often as it likes: they end none that the user has decided.
  const unasked = await unaskedOf(tools, grants);
  const decided = grants.filter((grant) => !unasked.has(grant));
  const excess = [decided, [...unasked]].flatMap(grantsBeyondLimits);
  for (const { id } of excess) await endGrant(tools, id, 'limit', userId);
}
