/** `svc-auth/nestjs`: a module, a guard and decorators for NestJS on Express. Not loaded by `svc-auth`. */
import './http/express-types.js';
export { SvcAuthModule } from './nestjs/module.js';
export type { MountedRouter, SvcAuthModuleAsyncOptions, SvcAuthModuleOptions } from './nestjs/options.js';
export { InjectSvcAuth, SVC_AUTH } from './nestjs/tokens.js';
export { AuthGuard } from './nestjs/auth-guard.js';
export { ApiKeys, Public, RequireSession, Roles } from './nestjs/access.js';
export { CurrentApiKey, CurrentUser } from './nestjs/parameters.js';
export { SvcAuthExceptionFilter } from './nestjs/exception-filter.js';
export { SvcAuthGraphQLError, SvcAuthHttpException } from './nestjs/exceptions.js';
export { SvcAuthSockets, type Socket, type SocketOptions } from './nestjs/sockets.js';
