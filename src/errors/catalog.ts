/**
 * One class per code of specification part 7, in its order, then those that it has no code for.
 * A message without an argument is the constant text that HTTP answers with.
 */
import { messages } from './messages.js';
import { ServiceError, type ServiceErrorOptions } from './service-error.js';

/** Too many sends, failed sign-ins or wrong codes. HTTP 429. */
export class RateLimitError extends ServiceError {
  readonly code = 'rate_limit_exceeded';
  /** Milliseconds until the next try is allowed. */
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super(messages.rate_limit_exceeded);
    this.retryAfterMs = Math.max(1, Math.ceil(retryAfterMs));
  }
}

/** Wrong one-time code. HTTP 401. */
export class CodeInvalidError extends ServiceError {
  readonly code = 'code_invalid';
  /** Wrong tries left on this code, 0 after the last one. */
  readonly attemptsRemaining: number;
  constructor(attemptsRemaining: number, options?: ServiceErrorOptions) {
    super(messages.code_invalid, options);
    this.attemptsRemaining = attemptsRemaining;
  }
}

/** Code or link older than its lifetime. HTTP 401. */
export class CodeExpiredError extends ServiceError {
  readonly code = 'code_expired';
  constructor() {
    super(messages.code_expired);
  }
}

/** No active code for that address: none sent, or already used. HTTP 401. */
export class CodeNotFoundError extends ServiceError {
  readonly code = 'code_not_found';
  constructor() {
    super(messages.code_not_found);
  }
}

/** The allowed wrong tries are used up: a sent code must be replaced, that of an app waited for. HTTP 401. */
export class MaxAttemptsError extends ServiceError {
  readonly code = 'max_attempts_exceeded';
  constructor() {
    super(messages.max_attempts_exceeded);
  }
}

/** Unknown address or wrong password, indistinguishably. HTTP 401. */
export class InvalidCredentialsError extends ServiceError {
  readonly code = 'invalid_credentials';
  constructor(options?: ServiceErrorOptions) {
    super(messages.invalid_credentials, options);
  }
}

/** A session, link or reset token that is malformed, forged, expired, used or revoked. HTTP 401. */
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

/** The caller may not do this; over HTTP also a cross-site POST. HTTP 403. */
export class NotAuthorizedError extends ServiceError {
  readonly code = 'not_authorized';
  constructor(options?: ServiceErrorOptions) {
    super(messages.not_authorized, options);
  }
}

/** A user id that names nobody. HTTP 404. */
export class UserNotFoundError extends ServiceError {
  readonly code = 'user_not_found';
  constructor() {
    super(messages.user_not_found);
  }
}

/** Signup with an address that has an account. HTTP 409. */
export class EmailExistsError extends ServiceError {
  readonly code = 'email_exists';
  constructor() {
    super(messages.email_exists);
  }
}

/** Why a new password is refused: under `minLength`, over 1024 bytes, or by `checkPassword`. */
export type PasswordRefusal = 'tooShort' | 'tooLong' | 'breached' | 'containsEmail';

/** Password that the policy refuses; `reason` is one of `PasswordRefusal`. HTTP 400. */
export class WeakPasswordError extends ServiceError {
  readonly code = 'weak_password';
  constructor(options?: ServiceErrorOptions & { reason?: PasswordRefusal }) {
    super(messages.weak_password, options);
  }
}

/** Something that cannot be in an organisation; the message says what. HTTP 400. */
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

/** Accessor of a provider that the configuration does not enable. HTTP 501. */
export class ProviderNotConfiguredError extends ServiceError {
  readonly code = 'provider_not_configured';
  constructor(provider: string) {
    super(`${messages.provider_not_configured} Add providers.${provider} to the configuration.`);
  }
}

/** A Pro feature without a verified licence. HTTP 501. */
export class LicenseRequiredError extends ServiceError {
  readonly code = 'license_required';
  constructor(feature: string) {
    super(`${messages.license_required} (${feature})`);
  }
}

/** The storage adapter lacks the records that a provider needs. HTTP 501. */
export class AdapterCapabilityError extends ServiceError {
  readonly code = 'adapter_capability';
  constructor(capability: string) {
    super(`${messages.adapter_capability} (${capability})`);
  }
}

/** The configured sender failed; the send was not charged. The reason is in `cause`. HTTP 500. */
export class EmailSendError extends ServiceError {
  readonly code = 'email_send_failed';
  constructor(cause: unknown) {
    super(messages.email_send_failed, { cause });
  }
}

/** The identity provider refused, or answered something that does not hold. HTTP 400. */
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

/** The account has a second factor, and this sign-in has not shown it yet. HTTP 403. */
export class MfaRequiredError extends ServiceError {
  readonly code = 'mfa_required';
  constructor() {
    super(messages.mfa_required);
  }
}

/** The sign-in is too old for what is asked: sign in again, then repeat it. HTTP 403. */
export class ReauthRequiredError extends ServiceError {
  readonly code = 'reauth_required';
  constructor() {
    super(messages.reauth_required);
  }
}

/** The browser is signed in as another user than the page that sent the request shows. HTTP 409. */
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

/** The configured SMS sender failed; the send was not charged. The reason is in `cause`. HTTP 500. */
export class SmsSendError extends ServiceError {
  readonly code = 'sms_send_failed';
  constructor(cause: unknown) {
    super(messages.sms_send_failed, { cause });
  }
}

/** The configuration is wrong; thrown at construction. Lists every fault with its path. */
export class ConfigError extends ServiceError {
  readonly code = 'config_invalid';
  readonly faults: readonly ConfigFault[];
  constructor(faults: readonly ConfigFault[]) {
    super(`${messages.config_invalid}\n${faults.map((f) => `  - ${f.path}: ${f.message}`).join('\n')}`);
    this.faults = faults;
  }
}

/** One fault of a configuration: where it is and what to do about it. */
export interface ConfigFault {
  /** Dotted path of the option, such as `providers.magicLink.baseUrl`. */
  path: string;
  message: string;
}

/** Something failed that the caller cannot mend, such as the database. The reason is in `cause`. HTTP 500. */
export class InternalError extends ServiceError {
  readonly code = 'internal_error';
  constructor(cause: unknown, detail: string = messages.internal_error) {
    super(detail, { cause });
  }
}
