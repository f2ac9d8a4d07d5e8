/** What users have given a client before, so that they are not asked again. */
import type { AuthorizationRequest } from '../core/internals.js';
import type { GrantingTools } from './granting.js';

export interface RememberedRequest extends Pick<AuthorizationRequest, 'isLocal' | 'scopes'> {
  clientId: string;
}

/** Returns whether a user has given a client all that it asks for, in a way that counts without a question. */
export async function isRemembered(
  { clock, repository }: Pick<GrantingTools, 'clock' | 'repository'>,
  { clientId, isLocal, scopes }: RememberedRequest,
  userId: string,
): Promise<boolean> {
  // Any program on the computer can claim to be this client (RFC 8252, 8.6).
  if (isLocal || scopes.length === 0) return false;
  const grants = await repository.listGrants(userId, new Date(clock()));
  const given = grants.filter((grant) => grant.clientId === clientId);
  // A scope of one resource allows nothing at another one that has a scope of this name.
  return scopes.every(({ resource, name }) => given.some((grant) => grant.scopes[resource]?.includes(name)));
}
