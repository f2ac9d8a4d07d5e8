/** How the client authenticates at the token endpoint (RFC 6749, 2.3.1). */
import type * as OpenIdClient from 'openid-client';
import { withTimeout } from '../../core/support/timeouts.js';

/** A secret, or a function that creates one for each request: Apple's is a signed token. */
export type ClientSecret = string | ((clientId: string) => string | Promise<string>);

/** Sent in the body, unless the provider announces only the header. */
export function clientAuthentication(
  client: typeof OpenIdClient,
  clientSecret: ClientSecret,
): OpenIdClient.ClientAuth {
  // openid-client hands this to oauth4webapi, whose type allows a promise, and which waits for it.
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  return async (server, metadata, body, headers) => {
    const secret =
      typeof clientSecret === 'function'
        ? await withTimeout(clientSecret(metadata.client_id), 'clientSecret')
        : clientSecret;
    const methods = server.token_endpoint_auth_methods_supported;
    const headerOnly =
      methods?.includes('client_secret_basic') === true && !methods.includes('client_secret_post');
    const authenticate = headerOnly ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    authenticate(server, metadata, body, headers);
  };
}
