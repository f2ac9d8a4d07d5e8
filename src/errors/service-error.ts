/** The base class of all errors (specification part 7) and the union of error codes. */

/** Every stable code: those of the specification in its order, then the added ones. */
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
  | 'user_blocked'
  | 'sign_up_disabled'
  | 'challenge_required'
  | 'sms_send_failed'
  | 'config_invalid'
  | 'internal_error';

// A registered symbol, so that two copies of the package in one process (such as ESM and CommonJS)
// recognize each other's errors. `instanceof` would not.
const brand = Symbol.for('svc-auth.error');

/** Details of an error. They must not depend on whether an account exists. */
export interface ServiceErrorOptions extends ErrorOptions {
  /** Narrows `code`, such as `expired`. Stable, documented under its code, and sent over HTTP. */
  reason?: string;
  /** The invalid request field. Sent over HTTP. */
  field?: string;
}

/** Base class of every error. `code` is stable; `message` is for people and may change. */
export abstract class ServiceError extends Error {
  abstract readonly code: ServiceErrorCode;
  /** Narrows `code` when the failure has several causes that a caller can act on. */
  readonly reason?: string;
  /** The invalid request field, when several fields could be invalid. */
  readonly field?: string;

  constructor(message: string, { reason, field, ...options }: ServiceErrorOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    if (reason !== undefined) this.reason = reason;
    if (field !== undefined) this.field = field;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Returns true for every error of this package, including errors of another copy of it. */
export function isServiceError(error: unknown): error is ServiceError {
  try {
    return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[brand] === true;
  } catch {
    // Reading a property of a revoked proxy throws.
    return false;
  }
}
