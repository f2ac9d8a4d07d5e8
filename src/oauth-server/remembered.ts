/** What users have given a client before, so that they are not asked again. */
import type { AuthorizationRequest } from '../core/internals.js';
import type { Clock } from '../core/support/clock.js';
import type { OAuthGrant, OAuthToken } from '../domain/oauth-server.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { tokenDigest } from './records.js';

interface MemoryTools {
  clock: Clock;
  repository: OAuthServerRepository;
}

export interface RememberedRequest extends Pick<AuthorizationRequest, 'host' | 'isLocal' | 'scopes'> {
  clientId: string;
}

interface Consent {
  host: string;
  /** False if an earlier grant has decided. */
  isAsked: boolean;
}

/**
 * What is remembered of a grant: the host that its user has read on the page. It is a token of the grant, so that it ends with it. The
 * grant can last longer while it is used: then its user is asked again.
 */
function consentOf({ id, expiresAt }: OAuthGrant, data: Consent): OAuthToken {
  return {
    ...{ digest: tokenDigest('consent', id), kind: 'consent', alias: null, clientId: null },
    ...{ grantId: id, data: { ...data }, usedAt: null, expiresAt },
  };
}

/** Stores to which host the browser returns with a grant, and whether the user was asked. */
export async function rememberConsent(
  { repository }: Pick<MemoryTools, 'repository'>,
  grant: OAuthGrant,
  consent: Consent,
): Promise<void> {
  await repository.insertToken(consentOf(grant, consent));
}

/** Returns those of some grants that were given without a question. */
export async function unaskedOf(
  { repository }: Pick<MemoryTools, 'repository'>,
  grants: readonly OAuthGrant[],
): Promise<Set<OAuthGrant>> {
  const unasked = new Set<OAuthGrant>();
  for (const grant of grants) {
    const consent = await repository.findToken(tokenDigest('consent', grant.id));
    if (consent?.data['isAsked'] === false) unasked.add(grant);
  }
  return unasked;
}

/**
 * Returns the ids of the grants by which a user has given a client all that it asks for, for this host, in a way that counts without a
 * question. Null if the user must be asked. They can end at any time: `giveAccess` checks them again.
 */
export async function rememberedGrants(
  { clock, repository }: MemoryTools,
  { clientId, host, isLocal, scopes }: RememberedRequest,
  userId: string,
): Promise<string[] | null> {
  // Any program on the computer can claim to be this client (RFC 8252, 8.6).
  if (isLocal || scopes.length === 0) return null;
  const now = clock();
  const isOfHost = async ({ id }: OAuthGrant) => {
    const consent = await repository.findToken(tokenDigest('consent', id));
    return consent !== null && consent.expiresAt.getTime() > now && consent.data['host'] === host;
  };
  const found: string[] = [];
  let missing = [...scopes];
  for (const grant of await repository.listGrants(userId, new Date(now))) {
    // A scope of one resource allows nothing at another one that has a scope of this name.
    const others = missing.filter(({ resource, name }) => grant.scopes[resource]?.includes(name) !== true);
    if (grant.clientId !== clientId || others.length === missing.length) continue;
    if (!(await isOfHost(grant))) continue;
    missing = others;
    found.push(grant.id);
    if (missing.length === 0) return found;
  }
  return null;
}
