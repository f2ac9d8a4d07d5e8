/**
 * One class per code of specification part 7, in its order, then the codes that it does not have.
 * An error constructed without a message has the constant text that HTTP responses send.
 */
import type { ImportFault, ImportReport } from '../domain/import-report.js';
import type { SecondFactorMethod, SecondStepMethods } from '../domain/second-factor.js';
import { withNetworkFault } from './network-fault.js';
import { because } from './reasons.js';
import {
  errorCodes,
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorOptions,
} from './service-error.js';

/** Returns the base class of the errors with a code. */
function errorWith<Code extends ServiceErrorCode>(code: Code): CodedError<Code> {
  return class extends ServiceError {
    readonly code = code;
    constructor({ message = errorCodes[code].message, ...options }: CodedErrorOptions = {}) {
      super(message, options);
    }
  };
}

interface CodedErrorOptions extends ServiceErrorOptions {
  /** A more specific message, for developers. HTTP responses send the constant one. */
  message?: string;
}

type CodedError<Code extends ServiceErrorCode> = new (
  options?: CodedErrorOptions,
) => ServiceError & { readonly code: Code };

/** Too many sends, failed sign-ins or wrong codes. HTTP 429. */
export class RateLimitError extends errorWith('rate_limit_exceeded') {
  /** Milliseconds until the next attempt is allowed. */
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number, options?: ServiceErrorOptions) {
    super(options);
    this.retryAfterMs = Math.max(1, Math.ceil(retryAfterMs));
  }
}

/** Wrong one-time code. HTTP 401. */
export class CodeInvalidError extends errorWith('code_invalid') {
  /** Wrong attempts that this code still allows; 0 after the last one. */
  readonly attemptsRemaining: number;
  constructor(attemptsRemaining: number, options?: ServiceErrorOptions) {
    super(options);
    this.attemptsRemaining = attemptsRemaining;
  }
}

/** Expired code or link. HTTP 401. */
export class CodeExpiredError extends errorWith('code_expired') {}

/** No active code for that address: none was sent, or it was already used. HTTP 401. */
export class CodeNotFoundError extends errorWith('code_not_found') {}

/** Too many wrong attempts. Send a new code; wait if it is an authenticator app. HTTP 401. */
export class MaxAttemptsError extends errorWith('max_attempts_exceeded') {}

/** Unknown address or wrong password; the two are indistinguishable. HTTP 401. */
export class InvalidCredentialsError extends errorWith('invalid_credentials') {}

/** Malformed, forged, expired, used or revoked session, link or reset token. HTTP 401. */
export class TokenInvalidError extends errorWith('token_invalid') {
  /** In seconds, if the proof of a key is of another time (`session.bearer`): the clock of the client may be wrong. */
  declare readonly serverTime?: number;
  constructor({ serverTime, ...options }: CodedErrorOptions & { serverTime?: number } = {}) {
    super(options);
    if (serverTime !== undefined) this.serverTime = serverTime;
  }
}

/** Unknown, malformed, expired or revoked API key. HTTP 401. */
export class ApiKeyInvalidError extends errorWith('api_key_invalid') {}

/** Unknown, malformed, expired, reused or revoked refresh token. HTTP 401. */
export class RefreshTokenInvalidError extends errorWith('refresh_token_invalid') {}

/** The caller is not allowed to do this, or sent a cross-site POST. HTTP 403. */
export class NotAuthorizedError extends errorWith('not_authorized') {}

/** Unknown user id. HTTP 404. */
export class UserNotFoundError extends errorWith('user_not_found') {}

/** Signup with an address that already has an account. HTTP 409. */
export class EmailExistsError extends errorWith('email_exists') {}

/** External id that another user has. HTTP 409. */
export class ExternalIdExistsError extends errorWith('external_id_exists') {}

/**
 * Below `minLength`; over 1024 bytes; in the list of common passwords; in a list of breached ones, or
 * rejected by `checkPassword`; made of the address; made of the user name or the application's name.
 */
export type PasswordRefusal =
  'tooShort' | 'tooLong' | 'common' | 'breached' | 'containsEmail' | 'containsName';

/** Password that the policy rejects; `reason` is one of `PasswordRefusal`. HTTP 400. */
export class WeakPasswordError extends errorWith('weak_password') {
  constructor(options?: ServiceErrorOptions & { reason?: PasswordRefusal }) {
    super(options);
  }
}

/** A change that an organization does not allow; the message says why. HTTP 400. */
export class OrgError extends errorWith('org_error') {
  constructor(detail?: string, options?: ServiceErrorOptions) {
    super({ ...options, message: detail });
  }
}

/** TOTP without `encryptionKey`. HTTP 400. */
export class EncryptionRequiredError extends errorWith('encryption_required') {}

/** The provider is not enabled in the configuration. HTTP 501. */
export class ProviderNotConfiguredError extends errorWith('provider_not_configured') {
  constructor(provider: string, advice = `Add providers.${provider} to the configuration.`) {
    super({ message: `${errorCodes.provider_not_configured.message} ${advice}` });
  }
}

/** A Pro feature was used without a valid license. HTTP 501. */
export class LicenseRequiredError extends errorWith('license_required') {
  constructor(feature: string) {
    super({ message: `${errorCodes.license_required.message} (${feature})` });
  }
}

/** The storage adapter lacks a repository that the provider requires. HTTP 501. */
export class AdapterCapabilityError extends errorWith('adapter_capability') {
  constructor(capability: string) {
    super({ message: `${errorCodes.adapter_capability.message} (${capability})` });
  }
}

/**
 * The email sender failed, with the reason in `cause`. The send does not count. HTTP 500. The message names a server that could not be
 * reached.
 */
export class EmailSendError extends errorWith('email_send_failed') {
  constructor(cause: unknown) {
    super({ message: withNetworkFault('The email could not be sent', cause), cause });
  }
}

/** The identity provider refused the sign-in or returned an invalid response. HTTP 400. */
export class OAuthError extends errorWith('oauth_error') {
  constructor(detail?: string, options?: ServiceErrorOptions) {
    super({ ...options, message: detail });
  }
}

/** Malformed input. HTTP 400. The message names the field, never its value. */
export class InvalidRequestError extends errorWith('invalid_request') {
  /** With the reason `field_invalid`: each faulty field of `signUp.fields`, with the message of the schema. Sent over HTTP. */
  declare readonly issues?: readonly FieldIssue[];
  constructor(detail?: string, { issues, ...options }: InvalidRequestOptions = {}) {
    super({ ...options, message: detail });
    if (issues) this.issues = issues;
  }
}

interface InvalidRequestOptions extends ServiceErrorOptions {
  issues?: readonly FieldIssue[];
}

/** What is wrong with a field of a sign-up. */
export interface FieldIssue {
  /** As `field` of the error: `fields.company`, for example. */
  field: string;
  /** From the schema of the application. */
  message: string;
}

/** The account has a second factor that this sign-in has not yet provided. HTTP 403. */
export class MfaRequiredError extends errorWith('mfa_required') {
  /** How the sign-in can be completed. Sent over HTTP. Absent if a guard refused a session. */
  declare readonly methods?: readonly SecondFactorMethod[];
  /** The one of `methods` to offer first. */
  declare readonly preferred?: SecondFactorMethod;
  /** The pending sign-in of a client without cookies (`session.bearer`), a secret of that client. */
  declare readonly pending?: { token: string; expiresAt: Date };
  constructor(secondStep?: SecondStepMethods, pending?: { token: string; expiresAt: Date }) {
    super(secondStep ? {} : because('second_factor_missing'));
    // Not enumerable, so that a logger does not write it; `declare`, because a field would be enumerable.
    if (pending) Object.defineProperty(this, 'pending', { value: pending });
    if (!secondStep) return;
    this.methods = secondStep.methods;
    this.preferred = secondStep.preferred;
  }
}

/** The sign-in is too old for this request: sign in again, then repeat the request. HTTP 403. */
export class ReauthRequiredError extends errorWith('reauth_required') {}

/** The browser is now signed in as a different user than the page. HTTP 409. */
export class SessionChangedError extends errorWith('session_changed') {}

/** The session is not bound to a key of the browser, as `bound` of a guard requires. HTTP 403. */
export class BoundSessionRequiredError extends errorWith('bound_session_required') {}

/** The account's email address must be verified before this action. HTTP 403. */
export class EmailUnverifiedError extends errorWith('email_unverified') {}

/** The account is blocked. Thrown only after the sign-in has been proven. HTTP 403. */
export class UserBlockedError extends errorWith('user_blocked') {}

/** The sign-up policy of the application refuses the new account. HTTP 403. */
export class SignUpDisabledError extends errorWith('sign_up_disabled') {}

/**
 * The sign-in is proven, and would create an account without fields that `signUp.fields` requires. Nothing was created:
 * `service.completeSignUp` creates the account. HTTP 403.
 */
export class FieldsRequiredError extends errorWith('fields_required') {
  /** The sign-up that waits for its fields, a secret of the client. Sent over HTTP to a client without cookies (`session.bearer`). */
  declare readonly pending?: { token: string; expiresAt: Date };
  /** `state` of the sign-in at an identity provider that led here. */
  declare readonly appState?: string;
  constructor(pending?: { token: string; expiresAt: Date }, appState?: string) {
    super();
    // Not enumerable, so that a logger does not write it.
    if (pending) Object.defineProperty(this, 'pending', { value: pending });
    if (appState !== undefined) Object.defineProperty(this, 'appState', { value: appState });
  }
}

/** Solve the challenge, then repeat the request with `challengeSolution`. HTTP 403. */
export class ChallengeRequiredError extends errorWith('challenge_required') {
  /** What the client needs to solve the challenge, as JSON. Sent over HTTP. */
  readonly challenge: Readonly<Record<string, unknown>>;
  constructor(challenge: Readonly<Record<string, unknown>>, options?: ServiceErrorOptions) {
    super(options);
    this.challenge = challenge;
  }
}

/**
 * The SMS sender failed, with the reason in `cause`. The send does not count. HTTP 500. The message names a server that could not be
 * reached.
 */
export class SmsSendError extends errorWith('sms_send_failed') {
  constructor(cause: unknown) {
    super({ message: withNetworkFault('The text message could not be sent', cause), cause });
  }
}

/** `users.import` ended before a batch with a conflict (`onConflict: 'fail'`), of which nothing was stored. HTTP 409. */
export class ImportConflictError extends errorWith('import_conflict') {
  /** The conflicts of this batch. */
  readonly faults: readonly ImportFault[];
  /** What the batches before it have stored. */
  readonly report: ImportReport;
  constructor(faults: readonly ImportFault[], report: ImportReport) {
    const [first] = faults;
    const which = first ? ` Record ${first.index}: ${first.message}` : '';
    super({ message: errorCodes.import_conflict.message + which, ...(first && { reason: first.reason }) });
    this.faults = faults;
    this.report = report;
  }
}

/** One fault of a configuration: its path and how to fix it. */
export interface ConfigFault {
  /** Dotted path of the option, such as `providers.magicLink.baseUrl`. */
  path: string;
  message: string;
}

/** The configuration is invalid. Thrown at construction; lists every fault with its path. */
export class ConfigError extends errorWith('config_invalid') {
  constructor(readonly faults: readonly ConfigFault[]) {
    const list = faults.map(({ path, message }) => `  - ${path}: ${message}`);
    super({ message: [errorCodes.config_invalid.message, ...list].join('\n') });
  }
}

/** A failure such as of the database, with the reason in `cause`. HTTP 500. */
export class InternalError extends errorWith('internal_error') {
  constructor(cause: unknown, detail?: string) {
    super({ message: detail, cause });
  }
}
