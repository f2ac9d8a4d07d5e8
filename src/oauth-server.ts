/** `svc-auth/oauth-server`: an OAuth 2.1 authorization server inside the application. Not loaded by `svc-auth`. */
import './http/express-types.js';
export { createOAuthServer } from './oauth-server/create-oauth-server.js';
export type { OAuthClientSecret, RegisteredClient } from './domain/registered-client.js';
export type { ConnectedApp, ConnectedAppScope } from './domain/connected-app.js';
export type {
  AccessTokenInfo,
  AccessTokenVerifier,
  ClientTokenInfo,
  MetadataDocumentOptions,
  NewOAuthClient,
  OAuthClientChanges,
  OAuthClients,
  OAuthConnectedApps,
  OAuthServer,
  OAuthServerOptions,
  RequireAccessTokenOptions,
  ResourceOptions,
} from './oauth-server/interface.js';
export type { TokenActor } from './domain/oauth-server.js';
