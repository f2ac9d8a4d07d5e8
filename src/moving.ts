/** `svc-auth/moving`: sessions of other systems, for `session.acceptSessionsFrom`. */
export { authJs } from './old-sessions/auth-js.js';
export type { AuthJsOptions } from './old-sessions/auth-js.js';
export { betterAuth } from './old-sessions/better-auth.js';
export type { BetterAuthOptions } from './old-sessions/better-auth.js';
export { cookieSession } from './old-sessions/cookie-session.js';
export type { CookieSessionOptions } from './old-sessions/cookie-session.js';
export { expressSession } from './old-sessions/express-session.js';
export type {
  ExpressSessionData,
  ExpressSessionOptions,
  ExpressSessionStore,
} from './old-sessions/express-session.js';
export { jwt } from './old-sessions/jwt.js';
export type { JwtOptions } from './old-sessions/jwt.js';
export type { SourceOptions } from './old-sessions/options.js';
export type { Queries, SessionLookup } from './old-sessions/session-table.js';
export type {
  OldCookie,
  OldSession,
  OldSessionUser,
  PresentedSession,
  SessionRequest,
  SessionSource,
} from './core/sessions/session-source.js';
