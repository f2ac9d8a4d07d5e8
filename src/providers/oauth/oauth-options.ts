/** The options of a generic OAuth provider, and the rules between them. */
import { isSafeUrl } from '../../kit/link-targets.js';
import { absoluteUrl, functionOption, requiredText } from '../../kit/option-types.js';
import type { Zod } from '../../runtime/load.js';
import type { ClientSecret } from './client-secret.js';
import type { ConnectionOptions } from './connection.js';
import type { MapProfile } from './profile.js';
import { isProtocolParameter } from './protocol-parameters.js';
import type { FetchUserInfo } from './user-info.js';

/** Providers by the name that `service.oauth(name)`, routes and identities know them by. */
export const oauthProvidersOptions = (z: Zod) => z.record(oauthName(z), oauthProviderOptions(z));

export const oauthProviderOptions = (z: Zod) =>
  z.strictObject({
    /** The client id that the provider gave you. */
    clientId: requiredText(z),
    /** The client secret that goes with it, or a function that makes one for a request. */
    clientSecret: clientSecretOption(z),
    /** Where the provider sends the browser back to, as registered with it. */
    redirectUri: absoluteUrl(z).refine((url) => !/[?#]/.test(url), 'must have no query and no fragment'),
    /** An OpenID provider, whose endpoints are discovered. Either this or the three endpoints. Plain http only on loopback. */
    issuer: absoluteUrl(z, isSafeUrl).optional(),
    /** Its page where people sign in. */
    authorizationEndpoint: absoluteUrl(z, isSafeUrl).optional(),
    /** Where a code is exchanged. */
    tokenEndpoint: absoluteUrl(z, isSafeUrl).optional(),
    /** Says who signed in: all of the profile comes from there. */
    userInfoEndpoint: absoluteUrl(z, isSafeUrl).optional(),
    /** What to ask the provider for; with `issuer` by default `openid`, `email` and `profile`, without it nothing. */
    scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope')).optional(),
    /** Makes the profile of what the provider says; by default by the names of OpenID Connect. */
    mapProfile: functionOption<MapProfile>(z).optional(),
    /** Asks for the profile in the provider's own way, with the three endpoints. */
    fetchUserInfo: functionOption<FetchUserInfo>(z).optional(),
    /**
     * What an address does that the provider has verified and an account here has: `explicit` refuses the sign-in, `verified-email`
     * signs in to that account. See [account linking](decisions/account-linking.md).
     */
    linking: z.enum(['explicit', 'verified-email']).default('explicit'),
    /** Further parameters of every authorization request. */
    authorizationParams: authorizationParams(z).optional(),
  });

export type OAuthOptions = ReturnType<ReturnType<typeof oauthProviderOptions>['parse']>;

/** The one way to the provider that the options name. */
export function serverOf(options: OAuthOptions): ConnectionOptions['server'] {
  const { issuer, authorizationEndpoint, tokenEndpoint, userInfoEndpoint, fetchUserInfo } = options;
  if (issuer !== undefined) return { issuer };
  const explicit = { authorizationEndpoint, tokenEndpoint, userInfoEndpoint, fetchUserInfo };
  return explicit as ConnectionOptions['server'];
}

// Names of our own methods, routes and identities: a provider of that name would pass for one in logs and events.
export const reserved =
  'google idp phone guest email_code magic_link password_signup password_login phone_code passkey'.split(' ');

/** A name is a path segment of the routes and the `provider` of identities; some are taken. */
const oauthName = (z: Zod) =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{0,31}$/,
      'must be a name of 1 to 32 lower-case letters, digits, _ and -, beginning with a letter or digit',
    )
    .refine((name) => !reserved.includes(name), 'must not be the name of a method of our own');

const clientSecretOption = (z: Zod) =>
  z
    .custom<ClientSecret | undefined>(
      (value) => typeof value === 'function' || (typeof value === 'string' && value.trim() !== ''),
      'must be a string that is not empty, or a function that returns one',
    )
    .transform((value) => value as ClientSecret);

const authorizationParams = (z: Zod) =>
  z.record(
    z
      .string()
      .refine(
        (name) => name === 'response_mode' || !isProtocolParameter(name),
        'is a parameter that the protocol sets itself',
      ),
    z.string(),
  );

const endpoints = ['authorizationEndpoint', 'tokenEndpoint', 'userInfoEndpoint'] as const;

/**
 * Exactly one way to the provider: with two it would be open whose word counts. Asked of the input as it stands, so that these faults are
 * reported beside all others.
 */
export function serverFaults(options: object): { path: string; message: string }[] {
  const { issuer, fetchUserInfo, ...others } = options as Record<string, unknown>;
  const missing = endpoints.filter((name) => others[name] === undefined);
  if (issuer === undefined) {
    return missing.length === endpoints.length
      ? [{ path: 'issuer', message: `is missing; or give ${endpoints.join(', ')}` }]
      : missing.map((path) => ({ path, message: 'is missing beside the other endpoints' }));
  }
  return [
    ...(missing.length < endpoints.length
      ? [{ path: 'issuer', message: 'must not stand beside explicit endpoints' }]
      : []),
    ...(fetchUserInfo !== undefined
      ? [{ path: 'fetchUserInfo', message: 'goes with explicit endpoints, not with issuer' }]
      : []),
  ];
}
