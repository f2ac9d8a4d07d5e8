/** Parameters of the authorization request that the protocol sets itself. */
import { InvalidRequestError } from '../../errors/catalog.js';

/** RFC 6749, 4.1.1; RFC 7636, 4.3; OpenID Connect Core, 3.1.2.1; RFC 9101, 5, whose request objects would replace all others. */
const protocolParameters: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
]);

export function isProtocolParameter(name: string): boolean {
  return protocolParameters.has(name);
}

/** @throws InvalidRequestError for what is no record of texts, or would override the protocol. */
export function parseParams(params: unknown): Record<string, string> {
  if (params === undefined) return {};
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new InvalidRequestError('params must be an object.');
  }
  const entries = Object.entries(params);
  for (const [name, value] of entries) {
    if (isProtocolParameter(name)) throw new InvalidRequestError('params must not set protocol parameters.');
    if (typeof value !== 'string') throw new InvalidRequestError('params must hold strings.');
  }
  return Object.fromEntries(entries);
}

/** @throws InvalidRequestError for what is no list of scopes (RFC 6749, 3.3). */
export function parseScopes(scopes: unknown): readonly string[] {
  const isScope = (scope: unknown) => typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
  if (Array.isArray(scopes) && scopes.every(isScope)) return scopes as string[];
  throw new InvalidRequestError('scopes must be an array of scopes.');
}
