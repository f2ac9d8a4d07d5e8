/** All error codes, in one table, and the base class of all errors (specification part 7). */

/**
 * The HTTP status and the constant message of every stable code: those of the specification in its order, then the added ones.
 * HTTP responses send the message even if the error object has a more specific one, so it must not depend on whether an account exists.
 * Only `http/error-handler.ts` uses the status.
 */
export const errorCodes = {
  rate_limit_exceeded: { status: 429, message: 'Too many attempts. Try again later.' },
  code_invalid: { status: 401, message: 'That code is incorrect. Check it and try again.' },
  code_expired: { status: 401, message: 'That code or link has expired. Request a new one.' },
  code_not_found: { status: 401, message: 'There is no active code for this address. Request a new one.' },
  max_attempts_exceeded: { status: 401, message: 'Too many wrong codes. Request a new code.' },
  invalid_credentials: { status: 401, message: 'The email address or password is incorrect.' },
  token_invalid: {
    status: 401,
    message: 'This session or link is not valid. Sign in again or request a new link.',
  },
  api_key_invalid: { status: 401, message: 'The API key is not valid.' },
  refresh_token_invalid: { status: 401, message: 'The refresh token is not valid. Sign in again.' },
  not_authorized: { status: 403, message: 'You are not allowed to do this.' },
  user_not_found: { status: 404, message: 'User not found.' },
  email_exists: {
    status: 409,
    message: 'An account with this email address already exists. Sign in instead.',
  },
  external_id_exists: { status: 409, message: 'Another user has this external id.' },
  weak_password: { status: 400, message: 'This password is not accepted. Choose a different one.' },
  org_error: { status: 400, message: 'This is not possible in this organization.' },
  encryption_required: { status: 400, message: 'This feature requires the encryptionKey option.' },
  provider_not_configured: { status: 501, message: 'This sign-in method is not configured.' },
  license_required: { status: 501, message: 'This feature requires a license.' },
  adapter_capability: { status: 501, message: 'The storage adapter does not support this feature.' },
  email_send_failed: { status: 500, message: 'The email could not be sent. Try again in a moment.' },
  oauth_error: { status: 400, message: 'Sign-in with the identity provider failed. Try again.' },
  invalid_request: { status: 400, message: 'The request is not valid.' },
  mfa_required: { status: 403, message: 'A second factor is required to finish signing in.' },
  reauth_required: { status: 403, message: 'Sign in again to continue. Your last sign-in was too long ago.' },
  session_changed: { status: 409, message: 'You are now signed in to a different account. Reload the page.' },
  email_unverified: { status: 403, message: 'Verify your email address first.' },
  user_blocked: { status: 403, message: 'This account is blocked. Contact support.' },
  sign_up_disabled: {
    status: 403,
    message: 'Sign-up is not available. If you already have an account, sign in.',
  },
  fields_required: { status: 403, message: 'A few more details are needed to create the account.' },
  challenge_required: { status: 403, message: 'Confirm that you are not a robot, then try again.' },
  sms_send_failed: { status: 500, message: 'The text message could not be sent. Try again in a moment.' },
  import_conflict: { status: 409, message: 'A record of the import conflicts with an account.' },
  config_invalid: { status: 500, message: 'The configuration is not valid:' },
  internal_error: { status: 500, message: 'Something went wrong on our side. Try again in a moment.' },
} as const satisfies Record<string, { status: number; message: string }>;

/** Every stable code. */
export type ServiceErrorCode = keyof typeof errorCodes;

// A registered symbol, so that two copies of the package in one process (such as ESM and CommonJS)
// recognize each other's errors. `instanceof` would not.
const brand = Symbol.for('svc-auth.error');

/**
 * Where an error has why it was created: `because()` sets it, `reasonOf()` reads it (reasons.ts). A registered symbol, so that copies of
 * the package agree, and not a property: it says more than a response may.
 */
export const diagnosis = Symbol.for('svc-auth.reason');

/** Options of an error with a reason of the table. */
export interface Because {
  [diagnosis]?: string;
}

/** Details of an error. They must not depend on whether an account exists. */
export interface ServiceErrorOptions extends ErrorOptions, Because {
  /** Narrows `code`, such as `expired`. Stable, documented under its code, and sent over HTTP. */
  reason?: string;
  /** The invalid request field. Sent over HTTP. */
  field?: string;
}

/** Base class of every error. `code` is stable; `message` is for people and may change. */
export abstract class ServiceError extends Error {
  abstract readonly code: ServiceErrorCode;
  /** Narrows `code` when the failure has several causes that a caller can act on. */
  declare readonly reason?: string;
  /** The invalid request field, when several fields could be invalid. */
  declare readonly field?: string;

  constructor(message: string, { reason, field, ...options }: ServiceErrorOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    if (reason !== undefined) this.reason = reason;
    if (field !== undefined) this.field = field;
    if (options[diagnosis] !== undefined)
      Object.defineProperty(this, diagnosis, { value: options[diagnosis] });
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
