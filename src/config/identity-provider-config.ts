/** The options of identity providers. */
import type { ClientSecret } from '../providers/oauth/client-secret.js';
import type { MapProfile, ProfileToMetadata } from '../providers/oauth/profile.js';
import type { FetchUserInfo } from '../providers/oauth/user-info.js';

export interface GoogleConfig {
  /** The client id that the provider issued to you. */
  clientId: string | undefined;
  /** The client secret that belongs to the client id. */
  clientSecret: string | undefined;
  /** Your router's `/google/callback` (or `/idp/callback`), as registered with the provider. */
  redirectUri: string | undefined;
  /**
   * What the metadata of a new user keeps of the provider's profile: `true` for `name` and `picture`, or a
   * function that returns the metadata. Existing users are not changed.
   */
  profileToMetadata?: boolean | ProfileToMetadata | undefined;
  /**
   * How the client secret is sent to the token endpoint: in the `Authorization` header
   * (`client_secret_basic`) or in the body (`client_secret_post`). Default: what discovery announces,
   * preferably the body; the body without discovery.
   */
  tokenEndpointAuthMethod?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /**
   * `HS256` if the provider signs ID tokens with the client secret. Every other algorithm is then refused.
   * Anyone with the secret can issue ID tokens. Default: the provider's public keys.
   */
  idTokenSignedResponseAlg?: 'HS256' | undefined;
  /**
   * `false` omits PKCE, for a provider that refuses its parameters. A code that is stolen from a redirect can
   * then be used. Default: `true`.
   */
  pkce?: boolean | undefined;
  /**
   * `false` omits the nonce, for a provider whose ID tokens do not contain it. Without it and without `pkce`,
   * a stolen code can be injected into another sign-in. Default: `true`.
   */
  nonce?: boolean | undefined;
  /**
   * Additional parameters of every token request, for a provider that needs more than the protocol, such as
   * `client_key` of TikTok.
   */
  tokenParams?: Record<string, string> | undefined;
  /**
   * Allows plain http to hosts other than loopback, for a provider in a private network such as that of
   * docker compose. Anyone on this network can read its tokens and sign in as any of its users. Default:
   * `false`.
   */
  allowHttp?: boolean | undefined;
  /** The scopes to request from the provider. Default: `["openid","email","profile"]`. */
  scopes?: string[] | undefined;
  /**
   * The issuer of another OpenID provider, to be used instead of Google. Plain http only on loopback, or with
   * `allowHttp`. Default: `https://accounts.google.com`.
   */
  issuer?: string | undefined;
}

export interface OAuthConfig {
  /** The client id that the provider issued to you. */
  clientId: string | undefined;
  /** The client secret that belongs to the client id, or a function that creates one for a request. */
  clientSecret: ClientSecret | undefined;
  /** The URL that the provider redirects the browser to after sign-in, as registered with the provider. */
  redirectUri: string | undefined;
  /** Additional parameters of every authorization request. */
  authorizationParams?: Record<string, string> | undefined;
  /**
   * How the client secret is sent to the token endpoint: in the `Authorization` header
   * (`client_secret_basic`) or in the body (`client_secret_post`). Default: what discovery announces,
   * preferably the body; the body without discovery.
   */
  tokenEndpointAuthMethod?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /**
   * `HS256` if the provider signs ID tokens with the client secret. Every other algorithm is then refused.
   * Anyone with the secret can issue ID tokens. Default: the provider's public keys.
   */
  idTokenSignedResponseAlg?: 'HS256' | undefined;
  /**
   * `false` omits PKCE, for a provider that refuses its parameters. A code that is stolen from a redirect can
   * then be used. Default: `true`.
   */
  pkce?: boolean | undefined;
  /**
   * `false` omits the nonce, for a provider whose ID tokens do not contain it. Without it and without `pkce`,
   * a stolen code can be injected into another sign-in. Default: `true`.
   */
  nonce?: boolean | undefined;
  /**
   * Additional parameters of every token request, for a provider that needs more than the protocol, such as
   * `client_key` of TikTok.
   */
  tokenParams?: Record<string, string> | undefined;
  /**
   * Allows plain http to hosts other than loopback, for a provider in a private network such as that of
   * docker compose. Anyone on this network can read its tokens and sign in as any of its users. Default:
   * `false`.
   */
  allowHttp?: boolean | undefined;
  /**
   * The issuer of an OpenID provider, whose endpoints are discovered. Set either this or the three endpoints.
   * Plain http only on loopback, or with `allowHttp`.
   */
  issuer?: string | undefined;
  /** The provider's page where users sign in. */
  authorizationEndpoint?: string | undefined;
  /** Exchanges a code for tokens. */
  tokenEndpoint?: string | undefined;
  /** Returns the user who signed in: the whole profile comes from this endpoint. */
  userInfoEndpoint?: string | undefined;
  /** The scopes to request. Default: `openid`, `email` and `profile` with `issuer`, none without it. */
  scopes?: string[] | undefined;
  /** Maps the provider's raw profile to ours. Default: the claim names of OpenID Connect. */
  mapProfile?: MapProfile | undefined;
  /** Fetches the profile in a provider-specific way. Only with the three endpoints. */
  fetchUserInfo?: FetchUserInfo | undefined;
  /**
   * What happens if an existing account has the address that the provider has verified: `explicit` refuses
   * the sign-in, `verified-email` signs in to that account. See account linking. Default: `explicit`.
   */
  linking?: 'explicit' | 'verified-email' | undefined;
  /**
   * What the metadata of a new user keeps of the provider's profile: `true` for `name` and `picture`, or a
   * function that returns the metadata. Existing users are not changed.
   */
  profileToMetadata?: boolean | ProfileToMetadata | undefined;
}
