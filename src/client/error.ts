/** What the client rejects with: a failure of the service by its code, or one of the way to it. */
import type { ServiceErrorCode } from '../errors/service-error.js';

/**
 * The codes of the service, and those of the client: the network or the browser let no answer through, the answer is none of the
 * service's, the person or the browser ended a passkey ceremony, this device has a passkey already, no passkeys here.
 */
export type AuthClientErrorCode =
  | ServiceErrorCode
  | 'network_error'
  | 'unexpected_answer'
  | 'passkey_cancelled'
  | 'passkey_exists'
  | 'passkey_unsupported'
  | 'passkey_failed';

export class AuthClientError extends Error {
  override readonly name = 'AuthClientError';
  /** Narrows the code, as the documentation of the error codes lists. */
  readonly reason?: string;
  /** The field of the request that is at fault. */
  readonly field?: string;

  constructor(
    readonly code: AuthClientErrorCode,
    /** Of the answer; 0 where there is none. */
    readonly status: number,
    message: string,
    /** With `rate_limit_exceeded`: how long to wait. */
    readonly retryAfterMs?: number,
    options: { cause?: unknown; reason?: string; field?: string } = {},
  ) {
    super(message, { cause: options.cause });
    if (options.reason !== undefined) this.reason = options.reason;
    if (options.field !== undefined) this.field = options.field;
  }
}
