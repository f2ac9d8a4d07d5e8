/** What the grants that are not of the package have in common. It knows the package of the protocol, as engine.ts does. */
import type {
  Client,
  errors,
  Provider,
  ResourceServer,
  ResourceServerInstance,
  TokenEndpointGrantContext,
} from 'oidc-provider';
import { ProofRefusal, readProof, type Proof } from '../crypto/dpop-proof.js';
import { useProof } from './used-proofs.js';
import { endpoints } from './endpoints.js';
import type { OAuthServerSettings } from './options.js';
import type { RecordTools } from './records.js';

export type ProtocolErrors = typeof errors;

/** A request to the token endpoint, of a client that has proved who it is. */
export interface TokenRequest extends TokenEndpointGrantContext {
  body: unknown;
}

export interface GrantTools extends Pick<RecordTools, 'clock' | 'repository'> {
  engine: Provider;
  errors: ProtocolErrors;
  settings: OAuthServerSettings;
}

/** How the engine issues tokens for a resource. Undefined for an unknown one. */
export function resourceServerOf(
  { accessTtlMs, resources }: OAuthServerSettings,
  resource: string,
): ResourceServer | undefined {
  const known = resources.get(resource);
  return (
    known && {
      scope: Object.keys(known.scopes).join(' '),
      audience: resource,
      accessTokenFormat: known.accessTokens,
      jwt: { sign: { alg: 'ES256' } },
      accessTokenTTL: accessTtlMs / 1000,
    }
  );
}

/**
 * Returns the thumbprint of the key to which the token will be bound. Null without a proof, unless there must be one.
 * @throws InvalidDpopProof
 */
export async function provenKey(
  { clock, errors, repository, settings }: GrantTools,
  { oidc, req }: TokenRequest,
): Promise<string | null> {
  const { dpop: header } = req.headers;
  const mustProve = settings.dpop === 'required';
  if (header === undefined && !mustProve) return null;
  try {
    const url = settings.issuer + endpoints.token;
    const proof: Proof = readProof({ header, method: 'POST', url, now: clock() });
    if (!(await useProof(repository, proof, oidc.client.clientId)))
      throw new ProofRefusal('The proof was used before.');
    return proof.thumbprint;
  } catch (error) {
    throw error instanceof ProofRefusal ? new errors.InvalidDpopProof(error.message) : error;
  }
}

interface ResourceServers {
  ResourceServer: new (identifier: string, data: ResourceServer) => ResourceServerInstance;
}

/** Returns the one resource of a request, which it need not name if there is only one. @throws InvalidTarget */
export function targetOf(
  { engine, errors, settings }: GrantTools,
  named: readonly string[],
): ResourceServerInstance {
  const { resources } = settings;
  const [only] = resources.size === 1 ? resources.keys() : [];
  const asked = [...new Set(named.length > 0 ? named : only === undefined ? [] : [only])];
  const [resource = ''] = asked;
  const server = asked.length === 1 ? resourceServerOf(settings, resource) : undefined;
  if (!server) throw new errors.InvalidTarget('name one resource of this server');
  const { ResourceServer: Constructor } = engine as unknown as ResourceServers;
  return new Constructor(resource, server);
}

/**
 * Returns the scopes that are asked for, all of those that are possible if none is named.
 * @throws InvalidScope if one is not possible, or if nothing is left.
 */
export function scopesOf(
  { errors }: GrantTools,
  asked: string | undefined,
  possible: readonly string[],
): string[] {
  const named = (asked ?? '').split(' ').filter(Boolean);
  const refused = named.filter((scope) => !possible.includes(scope));
  if (refused.length > 0) throw new errors.InvalidScope('requested scope is not allowed', refused.join(' '));
  const scopes = named.length > 0 ? [...new Set(named)] : [...possible];
  if (scopes.length === 0) throw new errors.InvalidScope('no scope of the resource is allowed', asked ?? '');
  return scopes;
}

/** What a client may ask for at a resource. */
export function scopesOfClient({ scope = '' }: Client, { scopes }: ResourceServerInstance): string[] {
  return scope.split(' ').filter((name) => scopes.has(name));
}

export const listOf = (value: string | readonly string[] | undefined) =>
  value === undefined ? [] : typeof value === 'string' ? [value] : [...value];
