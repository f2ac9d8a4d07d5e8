/** How the client authenticates at the token endpoint (RFC 6749, 2.3.1). */
import type * as OpenIdClient from 'openid-client';
import { withTimeout } from '../../core/support/timeouts.js';

/** A secret, or a function that creates one for each request: Apple's is a signed token. */
export type ClientSecret = string | ((clientId: string) => string | Promise<string>);

/** How the client authenticates at the token endpoint (OpenID Connect Core, 9). */
export type TokenEndpointAuthMethod = 'client_secret_basic' | 'client_secret_post';

/**
 * Without `method`, the secret is sent in the body, unless the provider announces only the header. An OpenID provider that announces
 * nothing means the header (OpenID Connect Discovery, 3).
 */
export function clientAuthentication(
  client: typeof OpenIdClient,
  clientSecret: ClientSecret,
  method: TokenEndpointAuthMethod | undefined,
  isOpenId: boolean,
): OpenIdClient.ClientAuth {
  // openid-client hands this to oauth4webapi, whose type allows a promise, and which waits for it.
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  return async (server, metadata, body, headers) => {
    const secret =
      typeof clientSecret === 'function'
        ? await withTimeout(clientSecret(metadata.client_id), 'clientSecret')
        : clientSecret;
    const announced =
      server.token_endpoint_auth_methods_supported ?? (isOpenId ? ['client_secret_basic'] : []);
    const headerOnly = announced.includes('client_secret_basic') && !announced.includes('client_secret_post');
    const isBasic = method === undefined ? headerOnly : method === 'client_secret_basic';
    const authenticate = isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    authenticate(server, metadata, body, headers);
  };
}
