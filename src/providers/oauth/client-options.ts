/** The options for providers that support less than the usual, which `google` and every provider of `oauth` have. */
import * as z from 'zod';
import { isSafeUrl, isWebUrl } from '../../core/support/link-targets.js';
import { lazily } from '../../runtime/load.js';
import { tokenEndpointAuthMethods } from './client-secret.js';

/** The parameters of a token request that the protocol sets itself (RFC 6749, 4.1.3 and 2.3.1; RFC 7636, 4.5). */
const tokenParameters = [
  ...['grant_type', 'code', 'redirect_uri', 'code_verifier'],
  ...['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'],
];

/** The names of the first two are those of client metadata (RFC 7591, 2; OpenID Connect Registration, 2). */
export const clientOptions = lazily(() => ({
  tokenEndpointAuthMethod: z
    .enum(tokenEndpointAuthMethods)
    .optional()
    .describe(
      'How the client secret is sent to the token endpoint: in the `Authorization` header (`client_secret_basic`) or in the body (`client_secret_post`). Default: what discovery announces, preferably the body; the body without discovery.',
    ),
  idTokenSignedResponseAlg: z
    .enum(['HS256'])
    .optional()
    .describe(
      "`HS256` if the provider signs ID tokens with the client secret. Every other algorithm is then refused. Anyone with the secret can issue ID tokens. Default: the provider's public keys.",
    ),
  pkce: z
    .boolean()
    .default(true)
    .describe(
      '`false` omits PKCE, for a provider that refuses its parameters. A code that is stolen from a redirect can then be used.',
    ),
  nonce: z
    .boolean()
    .default(true)
    .describe(
      '`false` omits the nonce, for a provider whose ID tokens do not contain it. Without it and without `pkce`, a stolen code can be injected into another sign-in.',
    ),
  tokenParams: z
    .record(
      z
        .string()
        .refine((name) => !tokenParameters.includes(name), 'is a parameter that the protocol sets itself'),
      z.string(),
    )
    .optional()
    .describe(
      'Additional parameters of every token request, for a provider that needs more than the protocol, such as `client_key` of TikTok.',
    ),
  allowHttp: z
    .boolean()
    .default(false)
    .describe(
      'Allows plain http to hosts other than loopback, for a provider in a private network such as that of docker compose. Anyone on this network can read its tokens and sign in as any of its users.',
    ),
}));

export interface ClientOptions {
  tokenEndpointAuthMethod?: (typeof tokenEndpointAuthMethods)[number] | undefined;
  idTokenSignedResponseAlg?: 'HS256' | undefined;
  pkce: boolean;
  nonce: boolean;
  tokenParams?: Record<string, string> | undefined;
  allowHttp: boolean;
}

export function clientOptionsOf(options: ClientOptions): ClientOptions {
  const { tokenEndpointAuthMethod, idTokenSignedResponseAlg, pkce, nonce, tokenParams, allowHttp } = options;
  return { tokenEndpointAuthMethod, idTokenSignedResponseAlg, pkce, nonce, tokenParams, allowHttp };
}

const endpoints = ['issuer', 'authorizationEndpoint', 'tokenEndpoint', 'userInfoEndpoint'];

/** Returns the names and URLs of the endpoints that use plain http to a host other than loopback. Takes the raw options. */
export function insecureEndpoints(options: object): [string, string][] {
  const isInsecure = (url: unknown): url is string =>
    typeof url === 'string' && URL.canParse(url) && isWebUrl(new URL(url)) && !isSafeUrl(new URL(url));
  return endpoints.flatMap((name): [string, string][] => {
    const url = (options as Record<string, unknown>)[name];
    return isInsecure(url) ? [[name, url]] : [];
  });
}

/** Returns the faults of options that use plain http without `allowHttp`. Takes the raw options. */
export function httpFaults(options: object): { path: string; message: string }[] {
  if ((options as { allowHttp?: unknown }).allowHttp === true) return [];
  const message =
    'must be an absolute https URL (http only on localhost); in a private network, `allowHttp: true` allows http';
  return insecureEndpoints(options).map(([path]) => ({ path, message }));
}
