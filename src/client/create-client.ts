/** Creates the client. */
import type { BearerOptions } from './bearer.js';
import type { ProofOptions } from './key-proofs.js';
import { AuthClientError } from './error.js';
import { createMethods } from './methods.js';
import { createTransport, trimmed, type AuthClientOptions } from './transport.js';

/**
 * The methods, grouped like the routes. Every method rejects with an `AuthClientError`, which has a
 * code.
 */
// An interface, so that the declarations of an application contain its name.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface AuthClient extends ReturnType<typeof createMethods> {}

const optionNames = {
  baseUrl: true,
  fetch: true,
  headers: true,
  credentials: true,
  bearer: true,
  timeoutMs: true,
  solveChallenge: true,
} satisfies Record<keyof AuthClientOptions, true>;

const bearerOptionNames = { storage: true, dpop: true } satisfies Record<keyof BearerOptions, true>;

const proofOptionNames = { keys: true } satisfies Record<keyof ProofOptions, true>;

/**
 * Returns a client for the service at `options.baseUrl`.
 * @throws AuthClientError with the code `config_invalid` for an unknown option.
 */
export function createClient(options: AuthClientOptions): AuthClient {
  refuseUnknown('createClient(…)', options, optionNames);
  refuseUnknown('createClient(…).bearer', options.bearer === true ? {} : options.bearer, bearerOptionNames);
  const { dpop } = typeof options.bearer === 'object' ? options.bearer : {};
  refuseUnknown('createClient(…).bearer.dpop', typeof dpop === 'object' ? dpop : {}, proofOptionNames);
  return createMethods(createTransport(options), trimmed(options.baseUrl));
}

/** An option with a misspelled name would have no effect: `timeout` would leave requests waiting. */
function refuseUnknown(path: string, options: object | undefined, names: Record<string, true>): void {
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const message = `${path}.${unknown} is not an option; the options are ${Object.keys(names).join(', ')}`;
  throw new AuthClientError('config_invalid', 0, message);
}
