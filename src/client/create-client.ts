/** Creates the client. */
import { createMethods } from './methods.js';
import { createSend, trimmed, type AuthClientOptions } from './transport.js';

/**
 * The methods, grouped like the routes. Every method rejects with an `AuthClientError`, which has a
 * code.
 */
// An interface, so that the declarations of an application contain its name.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface AuthClient extends ReturnType<typeof createMethods> {}

/** Returns a client for the service at `options.baseUrl`. */
export function createClient(options: AuthClientOptions): AuthClient {
  return createMethods(createSend(options), trimmed(options.baseUrl));
}
