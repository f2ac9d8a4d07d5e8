/** `svc-auth/token`: verifies session tokens without the engine, a database or Express. */
export { verifyToken, type VerifyTokenOptions } from './crypto/verify-token.js';
export type { SessionClaims } from './crypto/session-claims.js';
export { TokenInvalidError, InvalidRequestError } from './errors/catalog.js';
export { isServiceError, ServiceError, type ServiceErrorCode } from './errors/service-error.js';
