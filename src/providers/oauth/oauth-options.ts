/** The options of a generic OAuth provider, and the rules between them. */
import * as z from 'zod';
import { absoluteUrl, functionOption, requiredString } from '../../core/support/option-types.js';
import { clientOptions, httpFaults } from './client-options.js';
import type { ClientSecret } from './client-secret.js';
import type { ConnectionOptions } from './connection.js';
import type { MapProfile, ProfileToMetadata } from './profile.js';
import type { FetchUserInfo } from './user-info.js';
import { lazily } from '../../runtime/load.js';

// Names of our own methods, routes and identities: in logs and events, a provider with such a name would be
// indistinguishable from them.
export const reserved = [
  ...['google', 'idp', 'phone', 'guest', 'guest_upgrade'],
  ...['email_code', 'magic_link', 'phone_code', 'passkey', 'passkey_signup'],
  ...['password_signup', 'password_login', 'password_change', 'password_reset'],
  // Second steps, which follow the name of the first in the log: `google+totp`.
  ...['totp', 'email', 'recovery_code', 'trusted_browser'],
];

/** A name is a path segment of the routes and the `provider` of identities; some are reserved. */
const oauthName = lazily(() =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{0,31}$/,
      'must be a name of 1 to 32 lower-case letters, digits, _ and -, beginning with a letter or digit',
    )
    .refine((name) => !reserved.includes(name), 'must not be a reserved name'),
);

const clientSecretOption = lazily(() =>
  z
    .custom<ClientSecret | undefined>(
      (value) => typeof value === 'function' || (typeof value === 'string' && value.trim() !== ''),
      'must be a string that is not empty, or a function that returns one',
    )
    .transform((value) => value as ClientSecret),
);

/**
 * The parameters of an authorization request that the protocol sets itself (RFC 6749, 4.1.1; RFC 7636, 4.3; OpenID Connect Core,
 * 3.1.2.1; RFC 9101, 5, whose request objects would replace all others).
 */
export const protocolParameters: ReadonlySet<string> = new Set([
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

const authorizationParams = lazily(() =>
  z.record(
    z
      .string()
      .refine(
        (name) => name === 'response_mode' || !protocolParameters.has(name),
        'is a parameter that the protocol sets itself',
      ),
    z.string(),
  ),
);

export const oauthScopes = lazily(() =>
  z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope')),
);

export function profileToMetadataOption() {
  return z
    .union([z.boolean(), functionOption<ProfileToMetadata>()])
    .optional()
    .describe(
      "What the metadata of a new user keeps of the provider's profile: `true` for `name` and `picture`, or a function that returns the metadata. Existing users are not changed.",
    );
}

const oauthProviderOptions = lazily(() =>
  z.strictObject({
    clientId: requiredString().describe('The client id that the provider issued to you.'),
    clientSecret: clientSecretOption().describe(
      'The client secret that belongs to the client id, or a function that creates one for a request.',
    ),
    redirectUri: absoluteUrl()
      .refine((url) => !/[?#]/.test(url), 'must have no query and no fragment')
      .describe(
        'The URL that the provider redirects the browser to after sign-in, as registered with the provider.',
      ),
    issuer: absoluteUrl()
      .optional()
      .describe(
        'The issuer of an OpenID provider, whose endpoints are discovered. Set either this or the three endpoints. Plain http only on loopback, or with `allowHttp`.',
      ),
    authorizationEndpoint: absoluteUrl().optional().describe("The provider's page where users sign in."),
    tokenEndpoint: absoluteUrl().optional().describe('Exchanges a code for tokens.'),
    userInfoEndpoint: absoluteUrl()
      .optional()
      .describe('Returns the user who signed in: the whole profile comes from this endpoint.'),
    scopes: oauthScopes()
      .optional()
      .describe(
        'The scopes to request. Default: `openid`, `email` and `profile` with `issuer`, none without it.',
      ),
    mapProfile: functionOption<MapProfile>()
      .optional()
      .describe("Maps the provider's raw profile to ours. Default: the claim names of OpenID Connect."),
    fetchUserInfo: functionOption<FetchUserInfo>()
      .optional()
      .describe('Fetches the profile in a provider-specific way. Only with the three endpoints.'),
    linking: z
      .enum(['explicit', 'verified-email'])
      .default('explicit')
      .describe(
        'What happens if an existing account has the address that the provider has verified: `explicit` refuses the sign-in, `verified-email` signs in to that account. See [account linking](decisions/account-linking.md).',
      ),
    profileToMetadata: profileToMetadataOption(),
    ...clientOptions(),
    authorizationParams: authorizationParams()
      .optional()
      .describe('Additional parameters of every authorization request.'),
  }),
);

export const oauthProvidersOptions = lazily(() =>
  z.record(oauthName(), oauthProviderOptions()).meta({
    title: 'OAuth',
    description:
      'Additional identity providers by name: [OAuth](providers/oauth.md). `<name>` is the name of a provider.',
  }),
);

export type OAuthOptions = z.output<ReturnType<typeof oauthProviderOptions>>;

/** The endpoints that the options specify: discovered from `issuer`, or explicit. */
export function serverOf(options: OAuthOptions): ConnectionOptions['server'] {
  const { issuer, authorizationEndpoint, tokenEndpoint, userInfoEndpoint, fetchUserInfo } = options;
  if (issuer !== undefined) return { issuer };
  const explicit = { authorizationEndpoint, tokenEndpoint, userInfoEndpoint, fetchUserInfo };
  return explicit as ConnectionOptions['server'];
}

const endpoints = ['authorizationEndpoint', 'tokenEndpoint', 'userInfoEndpoint'] as const;

/**
 * Returns the faults of options that specify both or neither of `issuer` and the endpoints: with both, it would be
 * unclear which one is authoritative. Takes the raw input, so that these faults are reported together with all others.
 */
export function serverFaults(options: object): { path: string; message: string }[] {
  const { issuer, fetchUserInfo, idTokenSignedResponseAlg, ...others } = options as Record<string, unknown>;
  const missing = endpoints.filter((name) => others[name] === undefined);
  if (issuer === undefined) {
    const message = 'goes with issuer: without one, there are no ID tokens';
    return [
      ...httpFaults(options),
      ...(missing.length === endpoints.length
        ? [{ path: 'issuer', message: `is missing; or give ${endpoints.join(', ')}` }]
        : missing.map((path) => ({ path, message: 'is missing; the three endpoints go together' }))),
      ...(idTokenSignedResponseAlg !== undefined ? [{ path: 'idTokenSignedResponseAlg', message }] : []),
    ];
  }
  return [
    ...httpFaults(options),
    ...(missing.length < endpoints.length
      ? [{ path: 'issuer', message: 'must not be combined with explicit endpoints' }]
      : []),
    ...(fetchUserInfo !== undefined
      ? [{ path: 'fetchUserInfo', message: 'goes with explicit endpoints, not with issuer' }]
      : []),
  ];
}
