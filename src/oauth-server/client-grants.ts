/** How a registered client gets tokens, and what it may ask for at all, as metadata of RFC 7591. */
import type { OAuthClient } from '../domain/oauth-server.js';
import { InvalidRequestError } from '../errors/catalog.js';
import type { NewOAuthClient } from './interface.js';

export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** By the names of the options. */
const grantTypes = {
  authorization_code: ['authorization_code', 'refresh_token'],
  client_credentials: ['client_credentials'],
  device_code: [deviceGrant, 'refresh_token'],
  token_exchange: [tokenExchangeGrant],
} as const;

export type ClientGrant = keyof typeof grantTypes;
export const clientGrants = Object.keys(grantTypes) as [ClientGrant, ...ClientGrant[]];

/** Only a client that proves who it is may use these. */
const confidentialGrants: readonly ClientGrant[] = ['client_credentials', 'token_exchange'];

/** @throws InvalidRequestError */
export function grantMetadata(
  client: Pick<NewOAuthClient, 'grants' | 'redirectUris' | 'scopes'>,
  isConfidential: boolean,
  knownScopes: ReadonlySet<string>,
): Record<string, unknown> {
  const { grants = ['authorization_code'], redirectUris = [], scopes } = client;
  if (grants.includes('authorization_code') && redirectUris.length === 0)
    throw new InvalidRequestError('redirectUris must have an address, for the grant authorization_code.');
  const [needsProof] = grants.filter((grant) => confidentialGrants.includes(grant));
  if (needsProof !== undefined && !isConfidential)
    throw new InvalidRequestError(`The grant ${needsProof} is for confidential clients.`);
  if (needsProof !== undefined && (scopes ?? []).length === 0)
    throw new InvalidRequestError(
      `scopes must name what the client may ask for, for the grant ${needsProof}.`,
    );
  const unknown = (scopes ?? []).filter((scope) => !knownScopes.has(scope));
  if (unknown.length > 0) throw new InvalidRequestError(`No resource has the scope ${unknown.join(', ')}.`);
  return {
    grant_types: [...new Set(grants.flatMap((grant) => grantTypes[grant]))],
    response_types: grants.includes('authorization_code') ? ['code'] : [],
    ...(scopes && { scope: [...new Set(scopes)].join(' ') }),
  };
}

/** Leaves out scopes that the options no longer have: the engine would refuse the whole client. */
export function withKnownScopes(
  metadata: OAuthClient['metadata'],
  knownScopes: ReadonlySet<string>,
): OAuthClient['metadata'] {
  const { scope, ...others } = metadata;
  if (typeof scope !== 'string') return metadata;
  const known = scope.split(' ').filter((name) => knownScopes.has(name));
  // Without the name, the client could ask for everything.
  return { ...others, scope: known.length > 0 ? known.join(' ') : noScope };
}

/** The scope of a client that may ask for nothing: `openid` alone reaches no resource. */
const noScope = 'openid';
