/**
 * The base of every failure the service reports (specification part 7), and the code union that makes
 * a failure recognisable without knowing its class.
 */

/** Every stable code, in the order of the specification; then those that the contract adds. */
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
  | 'session_changed'
  | 'email_unverified'
  | 'sms_send_failed'
  | 'config_invalid'
  | 'internal_error';

// A registered symbol: two copies of the package in one process (ESM and CommonJS, say) still recognise
// each other's errors, where `instanceof` would not.
const brand = Symbol.for('svc-auth.error');

/** Details of a failure. None of them may depend on whether an account exists. */
export interface ServiceErrorOptions extends ErrorOptions {
  /** Narrows `code`, such as `expired`. Stable, documented under its code, and sent over HTTP. */
  reason?: string;
  /** The request field that is at fault. Sent over HTTP. */
  field?: string;
}

/** Base class of every failure. `code` is stable; `message` is for people and may change. */
export abstract class ServiceError extends Error {
  abstract readonly code: ServiceErrorCode;
  /** Narrows `code` when the failure has several causes that a caller can act on. */
  readonly reason?: string;
  /** The request field that is at fault, when the request has several that could be. */
  readonly field?: string;

  constructor(message: string, { reason, field, ...options }: ServiceErrorOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    if (reason !== undefined) this.reason = reason;
    if (field !== undefined) this.field = field;
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
