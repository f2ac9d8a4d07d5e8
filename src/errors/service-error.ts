/**
 * The base of every failure the service reports (specification part 7), and the code union that makes
 * a failure recognisable without knowing its class.
 */

/** Every stable code, in the order of the specification; the last five are for what it has no code for. */
export type ServiceErrorCode =
  | 'rate_limit_exceeded'
  | 'code_invalid'
  | 'code_expired'
  | 'code_not_found'
  | 'max_attempts_exceeded'
  | 'invalid_credentials'
  | 'token_invalid'
  | 'api_key_invalid'
  | 'refresh_token_invalid'
  | 'not_authorized'
  | 'user_not_found'
  | 'email_exists'
  | 'weak_password'
  | 'org_error'
  | 'encryption_required'
  | 'provider_not_configured'
  | 'license_required'
  | 'adapter_capability'
  | 'email_send_failed'
  | 'oauth_error'
  | 'invalid_request'
  | 'mfa_required'
  | 'reauth_required'
  | 'sms_send_failed'
  | 'config_invalid'
  | 'internal_error';

// A registered symbol: two copies of the package in one process (ESM and CommonJS, say) still recognise
// each other's errors, where `instanceof` would not.
const brand = Symbol.for('svc-auth.error');

/** Base class of every failure. `code` is stable; `message` is for people and may change. */
export abstract class ServiceError extends Error {
  abstract readonly code: ServiceErrorCode;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True for every error of this package, whichever copy of the package threw it. */
export function isServiceError(error: unknown): error is ServiceError {
  try {
    return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[brand] === true;
  } catch {
    // A revoked proxy cannot be asked.
    return false;
  }
}
