/** `svc-auth/oauth-server`: an OAuth 2.1 authorization server inside the application. Not loaded by `svc-auth`. */
import './http/express-types.js';
export { createOAuthServer, type OAuthServer } from './oauth-server/create-oauth-server.js';
export type { AccessTokenInfo, RequireAccessTokenOptions } from './oauth-server/access-tokens.js';
export type { NewOAuthClient, OAuthClients, RegisteredClient } from './oauth-server/clients.js';
export type { OAuthServerOptions, ResourceOptions } from './oauth-server/options.js';
