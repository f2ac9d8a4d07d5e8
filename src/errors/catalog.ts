/**
 * One class per code of specification part 7, in its order, then the codes that it does not have.
 * An error constructed without a message has the constant text that HTTP responses send.
 */
import type { SecondFactorMethod, SecondStepMethods } from '../domain/second-factor.js';
import { messages } from './messages.js';
import { withNetworkFault } from './network-fault.js';
import { ServiceError, type ServiceErrorOptions } from './service-error.js';
import type { ConfigFault } from './config-fault.js';

export type { ConfigFault };

/** Too many sends, failed sign-ins or wrong codes. HTTP 429. */
export class RateLimitError extends ServiceError {
  readonly code = 'rate_limit_exceeded';
  /** Milliseconds until the next attempt is allowed. */
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number, options?: ServiceErrorOptions) {
    super(messages.rate_limit_exceeded, options);
    this.retryAfterMs = Math.max(1, Math.ceil(retryAfterMs));
  }
}

/** Wrong one-time code. HTTP 401. */
export class CodeInvalidError extends ServiceError {
  readonly code = 'code_invalid';
  /** Wrong attempts that this code still allows; 0 after the last one. */
  readonly attemptsRemaining: number;
  constructor(attemptsRemaining: number, options?: ServiceErrorOptions) {
    super(messages.code_invalid, options);
    this.attemptsRemaining = attemptsRemaining;
  }
}

/** Expired code or link. HTTP 401. */
export class CodeExpiredError extends ServiceError {
  readonly code = 'code_expired';
  constructor() {
    super(messages.code_expired);
  }
}

/** No active code for that address: none was sent, or it was already used. HTTP 401. */
export class CodeNotFoundError extends ServiceError {
  readonly code = 'code_not_found';
  constructor() {
    super(messages.code_not_found);
  }
}

/** Too many wrong attempts. Send a new code; wait if it is an authenticator app. HTTP 401. */
export class MaxAttemptsError extends ServiceError {
  readonly code = 'max_attempts_exceeded';
  constructor() {
    super(messages.max_attempts_exceeded);
  }
}

/** Unknown address or wrong password; the two are indistinguishable. HTTP 401. */
export class InvalidCredentialsError extends ServiceError {
  readonly code = 'invalid_credentials';
  constructor(options?: ServiceErrorOptions) {
    super(messages.invalid_credentials, options);
  }
}

/** Malformed, forged, expired, used or revoked session, link or reset token. HTTP 401. */
export class TokenInvalidError extends ServiceError {
  readonly code = 'token_invalid';
  constructor(options?: ServiceErrorOptions) {
    super(messages.token_invalid, options);
  }
}

/** Unknown, malformed, expired or revoked API key. HTTP 401. */
export class ApiKeyInvalidError extends ServiceError {
  readonly code = 'api_key_invalid';
  constructor(options?: ServiceErrorOptions) {
    super(messages.api_key_invalid, options);
  }
}

/** Unknown, malformed, expired, reused or revoked refresh token. HTTP 401. */
export class RefreshTokenInvalidError extends ServiceError {
  readonly code = 'refresh_token_invalid';
  constructor() {
    super(messages.refresh_token_invalid);
  }
}

/** The caller is not allowed to do this, or sent a cross-site POST. HTTP 403. */
export class NotAuthorizedError extends ServiceError {
  readonly code = 'not_authorized';
  constructor(options?: ServiceErrorOptions) {
    super(messages.not_authorized, options);
  }
}

/** Unknown user id. HTTP 404. */
export class UserNotFoundError extends ServiceError {
  readonly code = 'user_not_found';
  constructor() {
    super(messages.user_not_found);
  }
}

/** Signup with an address that already has an account. HTTP 409. */
export class EmailExistsError extends ServiceError {
  readonly code = 'email_exists';
  constructor() {
    super(messages.email_exists);
  }
}

/**
 * Below `minLength`; over 1024 bytes; in the list of common passwords; in a list of breached ones, or
 * rejected by `checkPassword`; made of the address; made of the user name or the application's name.
 */
export type PasswordRefusal =
  'tooShort' | 'tooLong' | 'common' | 'breached' | 'containsEmail' | 'containsName';

/** Password that the policy rejects; `reason` is one of `PasswordRefusal`. HTTP 400. */
export class WeakPasswordError extends ServiceError {
  readonly code = 'weak_password';
  constructor(options?: ServiceErrorOptions & { reason?: PasswordRefusal }) {
    super(messages.weak_password, options);
  }
}

/** A change that an organization does not allow; the message says why. HTTP 400. */
export class OrgError extends ServiceError {
  readonly code = 'org_error';
  constructor(detail: string = messages.org_error, options?: ServiceErrorOptions) {
    super(detail, options);
  }
}

/** TOTP without `encryptionKey`. HTTP 400. */
export class EncryptionRequiredError extends ServiceError {
  readonly code = 'encryption_required';
  constructor() {
    super(messages.encryption_required);
  }
}

/** The provider is not enabled in the configuration. HTTP 501. */
export class ProviderNotConfiguredError extends ServiceError {
  readonly code = 'provider_not_configured';
  constructor(provider: string) {
    super(`${messages.provider_not_configured} Add providers.${provider} to the configuration.`);
  }
}

/** A Pro feature was used without a valid license. HTTP 501. */
export class LicenseRequiredError extends ServiceError {
  readonly code = 'license_required';
  constructor(feature: string) {
    super(`${messages.license_required} (${feature})`);
  }
}

/** The storage adapter lacks a repository that the provider requires. HTTP 501. */
export class AdapterCapabilityError extends ServiceError {
  readonly code = 'adapter_capability';
  constructor(capability: string) {
    super(`${messages.adapter_capability} (${capability})`);
  }
}

/**
 * The email sender failed, with the reason in `cause`. The send does not count. HTTP 500. The message names a server that could not be
 * reached.
 */
export class EmailSendError extends ServiceError {
  readonly code = 'email_send_failed';
  constructor(cause: unknown) {
    super(withNetworkFault('The email could not be sent', cause) ?? messages.email_send_failed, { cause });
  }
}

/** The identity provider refused the sign-in or returned an invalid response. HTTP 400. */
export class OAuthError extends ServiceError {
  readonly code = 'oauth_error';
  constructor(detail: string = messages.oauth_error, options?: ServiceErrorOptions) {
    super(detail, options);
  }
}

/** Malformed input. HTTP 400. The message names the field, never its value. */
export class InvalidRequestError extends ServiceError {
  readonly code = 'invalid_request';
  constructor(detail: string = messages.invalid_request, options?: ServiceErrorOptions) {
    super(detail, options);
  }
}

/** The account has a second factor that this sign-in has not yet provided. HTTP 403. */
export class MfaRequiredError extends ServiceError {
  readonly code = 'mfa_required';
  /** How the sign-in can be completed. Sent over HTTP. Absent if a guard refused a session. */
  readonly methods?: readonly SecondFactorMethod[];
  /** The one of `methods` to offer first. */
  readonly preferred?: SecondFactorMethod;
  /** The pending sign-in of a client without cookies (`session.bearer`), a secret of that client. */
  readonly pending?: { token: string; expiresAt: Date };
  constructor(secondStep?: SecondStepMethods, pending?: { token: string; expiresAt: Date }) {
    super(messages.mfa_required);
    // Not enumerable, so that a logger does not write it.
    if (pending) Object.defineProperty(this, 'pending', { value: pending });
    if (!secondStep) return;
    this.methods = secondStep.methods;
    this.preferred = secondStep.preferred;
  }
}

/** The sign-in is too old for this request: sign in again, then repeat the request. HTTP 403. */
export class ReauthRequiredError extends ServiceError {
  readonly code = 'reauth_required';
  constructor() {
    super(messages.reauth_required);
  }
}

/** The browser is now signed in as a different user than the page. HTTP 409. */
export class SessionChangedError extends ServiceError {
  readonly code = 'session_changed';
  constructor() {
    super(messages.session_changed);
  }
}

/** The account's email address must be verified before this action. HTTP 403. */
export class EmailUnverifiedError extends ServiceError {
  readonly code = 'email_unverified';
  constructor() {
    super(messages.email_unverified);
  }
}

/** The account is blocked. Thrown only after the sign-in has been proven. HTTP 403. */
export class UserBlockedError extends ServiceError {
  readonly code = 'user_blocked';
  constructor() {
    super(messages.user_blocked);
  }
}

/** The sign-up policy of the application refuses the new account. HTTP 403. */
export class SignUpDisabledError extends ServiceError {
  readonly code = 'sign_up_disabled';
  constructor(options?: ServiceErrorOptions) {
    super(messages.sign_up_disabled, options);
  }
}

/** Solve the challenge, then repeat the request with `challengeSolution`. HTTP 403. */
export class ChallengeRequiredError extends ServiceError {
  readonly code = 'challenge_required';
  /** What the client needs to solve the challenge, as JSON. Sent over HTTP. */
  readonly challenge: Readonly<Record<string, unknown>>;
  constructor(challenge: Readonly<Record<string, unknown>>, options?: ServiceErrorOptions) {
    super(messages.challenge_required, options);
    this.challenge = challenge;
  }
}

/**
 * The SMS sender failed, with the reason in `cause`. The send does not count. HTTP 500. The message names a server that could not be
 * reached.
 */
export class SmsSendError extends ServiceError {
  readonly code = 'sms_send_failed';
  constructor(cause: unknown) {
    super(withNetworkFault('The text message could not be sent', cause) ?? messages.sms_send_failed, {
      cause,
    });
  }
}

/** The configuration is invalid. Thrown at construction; lists every fault with its path. */
export class ConfigError extends ServiceError {
  readonly code = 'config_invalid';
  constructor(readonly faults: readonly ConfigFault[]) {
    super(`${messages.config_invalid}\n${faults.map((f) => `  - ${f.path}: ${f.message}`).join('\n')}`);
  }
}

/** A failure such as of the database, with the reason in `cause`. HTTP 500. */
export class InternalError extends ServiceError {
  readonly code = 'internal_error';
  constructor(cause: unknown, detail: string = messages.internal_error) {
    super(detail, { cause });
  }
}
