/** What users of the OAuth server see. Apart from its parts, so that its declarations need no types of the package that it is built on. */
import type { Router } from 'express';
import type { ConnectedApp } from '../domain/connected-app.js';
import type { RegisteredClient } from '../domain/registered-client.js';
import type { UserChangeBy } from '../core/sessions/change-by.js';
import type { TokenActor } from '../domain/oauth-server.js';
import type { ServiceUser } from '../domain/user.js';
import type { Guard } from '../http/guard.js';

/** An API, or another part of the application, that access tokens are for (RFC 8707). */
export interface ResourceOptions {
  /** What a client can ask for: the names of scopes, with what each of them allows, in words for the user. */
  scopes: Readonly<Record<string, string>>;
  /** The scopes of a request that names none. Default: all of them. */
  defaultScopes?: readonly string[] | undefined;
  /**
   * The form of its access tokens. `jwt` (RFC 9068) is for APIs on other servers, which verify tokens with the keys of this one, and so
   * accept a token that was revoked until it expires. Default: `opaque`.
   */
  accessTokens?: 'opaque' | 'jwt' | undefined;
}

/** Which clients whose id is the address of their metadata are accepted. */
export interface MetadataDocumentOptions {
  /**
   * Returns whether a client is accepted, by its id. Asked before its document is fetched and at each use of the client, perhaps several
   * times for one request. An error refuses the client, and is logged. Default: every client is accepted.
   */
  allow?: ((url: URL) => boolean | Promise<boolean>) | undefined;
}

export interface OAuthServerOptions {
  /** The origin of the application: `https://acme.example`. Every token and every answer names it. */
  issuer: string;
  /** By their addresses, such as `https://acme.example/mcp`. */
  resources: Readonly<Record<string, ResourceOptions>>;
  /** Lets clients register themselves (RFC 7591). Default: false. */
  registration?: boolean | undefined;
  /**
   * Whether tokens must be bound to a key of their client (DPoP, RFC 9449), so that a stolen one is of no use. If it is `accepted`, clients
   * choose. Default: `accepted`.
   */
  dpop?: 'accepted' | 'required' | undefined;
  /** Accepts clients whose id is the HTTPS address of their metadata, as MCP clients have. The service fetches it. Default: true. */
  metadataDocuments?: boolean | MetadataDocumentOptions | undefined;
  /** Lifetime of an access token in milliseconds. Default: one hour. */
  accessTtlMs?: number | undefined;
  /** How long a client keeps its access without using it, in milliseconds. Default: 90 days. */
  refreshTtlMs?: number | undefined;
  /** For how long a refresh token that was exchanged returns the same successor, in milliseconds. Default: one minute. */
  refreshGraceMs?: number | undefined;
}

export interface RequireAccessTokenOptions {
  /** The address of the resource, as in the options of the server. Default: the only one. */
  resource?: string;
  /** The token must have all of these scopes. Without any, it must have one of the resource. */
  scopes?: readonly string[];
  /** Accepts tokens of clients themselves too, for which `req.auth` is a `ClientTokenInfo`. Default: false. */
  allowClients?: boolean;
}

interface CheckedToken {
  token: string;
  clientId: string;
  scopes: string[];
  /** Seconds since the epoch. */
  expiresAt: number;
  resource: URL;
}

/** A checked access token of a user, as `req.auth` has it. */
export interface AccessTokenInfo extends CheckedToken {
  /** `act` is present if an agent acts for the user. */
  extra: { user: ServiceUser; grantId: string; act?: TokenActor };
}

/** A checked access token of a client itself: `req.auth` of a guard with `allowClients` can be one. */
export interface ClientTokenInfo extends CheckedToken {
  extra: { user: null; grantId: null };
}

export interface NewOAuthClient {
  /** As users read it: 1 to 100 characters on one line, without controls of direction. */
  name: string;
  /** Exact addresses. With a loopback address, every port counts (RFC 8252, 7.3). Required for the grant `authorization_code`. */
  redirectUris?: readonly string[] | undefined;
  /** Address of its page. */
  uri?: string | undefined;
  /** Whether it can prove its identity, as a program on a server does. Default: false, and true with `jwks`. */
  confidential?: boolean | undefined;
  /**
   * How it gets tokens. `client_credentials` (its own ones, RFC 6749, 4.4) and `token_exchange` (for users on whose behalf it acts, RFC 8693)
   * are for confidential clients. Default: `authorization_code`, which includes refresh tokens.
   */
  grants?:
    readonly ('authorization_code' | 'client_credentials' | 'device_code' | 'token_exchange')[] | undefined;
  /** The scopes that it may ask for at all. Required for `client_credentials` and `token_exchange`. Default: all of them. */
  scopes?: readonly string[] | undefined;
  /**
   * Its public keys (RFC 7517), 1 to 10: the client signs its requests to the token endpoint (`private_key_jwt`) and keeps no secret of the
   * server. RSA of at least 2048 bits, P-256 and Ed25519.
   */
  jwks?: { keys: readonly object[] } | undefined;
}

/** Changes of a client, each absent if it stays. */
export interface OAuthClientChanges {
  name?: string | undefined;
  redirectUris?: readonly string[] | undefined;
  /** Null removes it. */
  uri?: string | null | undefined;
}

/** Manages clients. `by` says who makes a change, as for `service.users`: by default the system. */
export interface OAuthClients {
  /**
   * Registers a client. `secret` is null for one without a secret or with `jwks`, and is never shown again.
   * @throws InvalidRequestError
   */
  create: (
    client: NewOAuthClient,
    by?: UserChangeBy,
  ) => Promise<{ client: RegisteredClient; secret: string | null }>;
  /** Oldest first. */
  list: () => Promise<RegisteredClient[]>;
  /** Null if there is no such client. */
  get: (id: string) => Promise<RegisteredClient | null>;
  /**
   * Changes a client that the application has registered. What users have given it stays. Null if there is no such client.
   * @throws InvalidRequestError
   */
  update: (id: string, changes: OAuthClientChanges, by?: UserChangeBy) => Promise<RegisteredClient | null>;
  /** Removes a client, and everything that users have given it. False if there is no such client. */
  remove: (id: string, by?: UserChangeBy) => Promise<boolean>;
  /**
   * Adds a second secret to a confidential client: both are accepted until one of them is removed. `secret` is never shown again. Null if
   * there is no such client.
   * @throws InvalidRequestError if it has two, or keeps none.
   */
  addSecret: (id: string, by?: UserChangeBy) => Promise<{ client: RegisteredClient; secret: string } | null>;
  /**
   * Removes a secret: it is refused from now on. False if there is no such secret.
   * @throws InvalidRequestError if it is the only one.
   */
  removeSecret: (id: string, secretId: string, by?: UserChangeBy) => Promise<boolean>;
}

/** What users have given clients. */
export interface OAuthConnectedApps {
  /** The clients to which a user has given access, the one that got it last first. */
  list: (userId: string) => Promise<ConnectedApp[]>;
  /** Ends the access of a client to a user's account, at the next request. False if it has none. */
  remove: (userId: string, clientId: string) => Promise<boolean>;
}

/** An `OAuthTokenVerifier` of `@modelcontextprotocol/express`. */
export interface AccessTokenVerifier {
  verifyAccessToken: (token: string) => Promise<AccessTokenInfo>;
}

export interface OAuthServer {
  /** Metadata and endpoints. Mount it at the root of the application: `app.use(oauth.router)`. */
  router: Router;
  /**
   * Returns a guard for requests with an access token of a resource; sets `req.auth`. Other requests get 401, and 403 if scopes are missing,
   * with `WWW-Authenticate` (RFC 6750, 3; RFC 9728, 5.1). One query, and one insert for a request with `Authorization: DPoP` (RFC 9449).
   * @throws InvalidRequestError for an option that is not one, and for an unknown resource or scope.
   */
  requireAccessToken: (options?: RequireAccessTokenOptions) => Guard;
  /** For `requireBearerAuth` of `@modelcontextprotocol/express`. Accepts tokens of the first resource. */
  verifier: AccessTokenVerifier;
  /**
   * As `verifier`, for one of several resources.
   * @throws InvalidRequestError for an unknown resource.
   */
  verifierFor: (resource: string) => AccessTokenVerifier;
  clients: OAuthClients;
  connectedApps: OAuthConnectedApps;
}
