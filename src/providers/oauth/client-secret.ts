/** How the client authenticates at the token endpoint (RFC 6749, 2.3.1). */
import type * as OpenIdClient from 'openid-client';
import { withTimeout } from '../../core/support/timeouts.js';

/** A secret, or a function that creates one for each request: Apple's is a signed token. */
export type ClientSecret = string | ((clientId: string) => string | Promise<string>);

/** The names of RFC 7591, 2. */
export const tokenEndpointAuthMethods = ['client_secret_basic', 'client_secret_post'] as const;
export type TokenEndpointAuthMethod = (typeof tokenEndpointAuthMethods)[number];

/** Returns the secret for one request. */
export async function secretFor(clientId: string, clientSecret: ClientSecret): Promise<string> {
  return typeof clientSecret === 'function'
    ? withTimeout(clientSecret(clientId), 'clientSecret')
    : clientSecret;
}

/**
 * @param method null for what a discovered provider announces: the body if it accepts it, otherwise the header, which OpenID Connect
 * Discovery, 3 makes the default of a provider that announces nothing.
 * @param onSecret receives the secret of every request, which must not be logged.
 */
export function clientAuthentication(
  client: typeof OpenIdClient,
  clientSecret: ClientSecret,
  method: TokenEndpointAuthMethod | null,
  onSecret: (secret: string) => void,
): OpenIdClient.ClientAuth {
  // openid-client hands this to oauth4webapi, whose type allows a promise, and which waits for it.
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  return async (server, metadata, body, headers) => {
    const secret = await secretFor(metadata.client_id, clientSecret);
    onSecret(secret);
    const announced = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const usesBody = announced.includes('client_secret_post') || !announced.includes('client_secret_basic');
    if ((method ?? (usesBody ? 'client_secret_post' : 'client_secret_basic')) === 'client_secret_post')
      return client.ClientSecretPost(secret)(server, metadata, body, headers);
    // openid-client also encodes `-` and `_`, which providers that do not decode the header take for another secret.
    const credentials = [metadata.client_id, secret].map(encodeURIComponent).join(':');
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}
