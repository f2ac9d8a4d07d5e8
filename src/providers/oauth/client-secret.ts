/** How the client proves to the token endpoint who it is (RFC 6749, 2.3.1). */
import type * as OpenIdClient from 'openid-client';
import { inTime } from '../../kit/in-time.js';

/** A secret, or a function that makes one for a request: Apple's is a token that has to be signed anew. */
export type ClientSecret = string | ((clientId: string) => string | Promise<string>);

/** In the body, unless the provider announces the header and not the body. */
export function clientAuthentication(
  client: typeof OpenIdClient,
  clientSecret: ClientSecret,
): OpenIdClient.ClientAuth {
  // openid-client hands this to oauth4webapi, whose type allows a promise, and which waits for it.
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  return async (server, metadata, body, headers) => {
    const secret =
      typeof clientSecret === 'function'
        ? await inTime(clientSecret(metadata.client_id), 'clientSecret')
        : clientSecret;
    const methods = server.token_endpoint_auth_methods_supported;
    const headerOnly =
      methods?.includes('client_secret_basic') === true && !methods.includes('client_secret_post');
    const authenticate = headerOnly ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    authenticate(server, metadata, body, headers);
  };
}
