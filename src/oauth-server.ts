/** `svc-auth/oauth-server`: an OAuth 2.1 authorization server inside the application. Not loaded by `svc-auth`. */
import './http/express-types.js';
export { createOAuthServer } from './oauth-server/create-oauth-server.js';
export type {
  AccessTokenInfo,
  ClientTokenInfo,
  NewOAuthClient,
  OAuthClients,
  OAuthServer,
  OAuthServerOptions,
  RegisteredClient,
  RequireAccessTokenOptions,
  ResourceOptions,
} from './oauth-server/interface.js';
export type { TokenActor } from './domain/oauth-server.js';
