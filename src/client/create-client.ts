/** The client of one service. */
import { createMethods } from './methods.js';
import { createSend, trimmed, type AuthClientOptions } from './transport.js';

/** The methods, in the groups of the routes. Every failure is an `AuthClientError` with a code. */
export type AuthClient = ReturnType<typeof createMethods>;

export function createClient(options: AuthClientOptions): AuthClient {
  return createMethods(createSend(options), trimmed(options.baseUrl));
}
