/** The error of the client: an error response of the service, or a failed request. */
import type { SecondFactorMethod } from '../domain/second-factor.js';
import type { FieldIssue } from '../errors/catalog.js';
import type { ServiceErrorCode } from '../errors/service-error.js';

/** The challenge of a `challenge_required` error. `type` names the kind of challenge. */
export type Challenge = Readonly<Record<string, unknown>>;

/**
 * The codes of the service, and those of the client:
 * - `network_error`: no response, because of the network, the browser or a timeout.
 * - `unexpected_response`: the response is not from the service.
 * - `passkey_cancelled`: the user or the browser canceled a passkey ceremony.
 * - `passkey_exists`: the device has a passkey for this account already.
 * - `passkey_unsupported`: the browser does not support passkeys.
 * - `passkey_failed`: a passkey ceremony failed for another reason.
 * - `challenge_failed`: `solveChallenge` failed.
 * - `package_missing`: an optional package could not be loaded. The message names it.
 */
export type AuthClientErrorCode =
  | ServiceErrorCode
  | 'network_error'
  | 'unexpected_response'
  | 'passkey_cancelled'
  | 'passkey_exists'
  | 'passkey_unsupported'
  | 'passkey_failed'
  | 'challenge_failed'
  | 'package_missing';

export class AuthClientError extends Error {
  override readonly name = 'AuthClientError';
  /** Narrows the code. Documented with each error code. */
  readonly reason?: string;
  /** The field of the request that caused the error. */
  readonly field?: string;
  /** With `invalid_request` and the reason `field_invalid`: each faulty field of `signUp.fields`, with the message of the schema. */
  readonly issues?: readonly FieldIssue[];
  /** With `fields_required` and the option `bearer`: pass its token to `signUp.complete`. */
  readonly pending?: { token: string; expiresAt: Date };
  /** With `challenge_required`: solve it, and repeat the request with `challengeSolution`. */
  readonly challenge?: Challenge;
  /** With `mfa_required` of a sign-in: how it can be completed. */
  readonly methods?: SecondFactorMethod[];
  /** With `methods`: the one to offer first. */
  readonly preferred?: SecondFactorMethod;

  constructor(
    readonly code: AuthClientErrorCode,
    /** The HTTP status; 0 if there is no response. */
    readonly status: number,
    message: string,
    /** With `rate_limit_exceeded`: milliseconds until the next attempt is allowed. */
    readonly retryAfterMs?: number,
    { cause, ...details }: ErrorDetails = {},
  ) {
    super(message, { cause });
    Object.assign(this, details);
  }
}

type ErrorDetails = { cause?: unknown } & Partial<
  Pick<AuthClientError, 'reason' | 'field' | 'issues' | 'pending' | 'challenge' | 'methods' | 'preferred'>
>;
