/**
 * Why a request was refused: one stable reason for every 401, 403 and 429, in one table (docs/reasons.md). The log always has it; a
 * response only outside production, because it can say more than a client should know.
 */
import { diagnosis, type Because, type ServiceErrorCode } from './service-error.js';

/** Each reason, and the codes of the errors that can have it. A test compares the table with docs/reasons.md. */
export const reasons = {
  // The session or another token of a request.
  cookie_missing: ['token_invalid'],
  token_malformed: ['token_invalid'],
  signature_invalid: ['token_invalid'],
  token_expired: ['token_invalid'],
  token_not_active: ['token_invalid'],
  issuer_mismatch: ['token_invalid'],
  session_revoked: ['token_invalid'],
  session_expired: ['token_invalid'],
  session_unproven: ['token_invalid'],
  session_proof_needed: ['not_authorized'],
  session_proof_invalid: ['token_invalid'],
  session_unknown: ['token_invalid'],
  // Bearer sessions that are bound to a key.
  dpop_proof_invalid: ['token_invalid'],
  dpop_proof_missing: ['token_invalid', 'refresh_token_invalid'],
  dpop_key_other: ['token_invalid', 'refresh_token_invalid'],
  dpop_token_unbound: ['token_invalid'],
  epoch_passed: ['token_invalid'],
  user_blocked: ['token_invalid', 'user_blocked'],
  user_deleted: ['token_invalid'],
  impersonator_signed_out: ['token_invalid'],
  impersonation_missing: ['token_invalid'],
  other_user: ['token_invalid', 'not_authorized'],
  // Links, invites and pending steps.
  link_invalid: ['token_invalid'],
  link_expired: ['code_expired'],
  invite_used: ['token_invalid'],
  invite_expired: ['token_invalid'],
  invite_withdrawn: ['token_invalid'],
  invite_other_address: ['not_authorized'],
  pending_sign_in_missing: ['token_invalid'],
  pending_sign_in_ended: ['token_invalid'],
  sign_up_ended: ['token_invalid'],
  consent_ended: ['token_invalid'],
  // Credentials and codes.
  invalid_credentials: ['invalid_credentials'],
  current_password_wrong: ['invalid_credentials'],
  code_invalid: ['code_invalid'],
  code_expired: ['code_expired'],
  code_not_found: ['code_not_found'],
  max_attempts_exceeded: ['max_attempts_exceeded'],
  proof_used: ['token_invalid'],
  factor_missing: ['code_not_found'],
  passkey_unknown: ['token_invalid'],
  passkey_invalid: ['token_invalid'],
  passkey_challenge_invalid: ['token_invalid'],
  passkey_other_user: ['token_invalid'],
  // Keys of programs, refresh tokens and access tokens of the OAuth server.
  api_key_missing: ['api_key_invalid'],
  api_key_unknown: ['api_key_invalid'],
  api_key_revoked: ['api_key_invalid'],
  api_key_expired: ['api_key_invalid'],
  refresh_token_malformed: ['refresh_token_invalid'],
  refresh_token_ended: ['refresh_token_invalid'],
  refresh_token_reused: ['refresh_token_invalid'],
  access_token: ['not_authorized'],
  client_invalid: [],
  access_token_missing: [],
  access_token_malformed: [],
  access_token_invalid: [],
  access_token_unbound: [],
  access_token_bound: [],
  access_token_of_client: [],
  scope_missing: ['not_authorized'],
  // What a valid session may do.
  origin_mismatch: ['not_authorized'],
  form_token: ['not_authorized', 'invalid_request'],
  role_missing: ['not_authorized'],
  org_role_missing: ['not_authorized'],
  organization_missing: ['not_authorized'],
  org_creation_refused: ['not_authorized'],
  permission: ['not_authorized'],
  impersonation: ['not_authorized'],
  impersonation_refused: ['not_authorized'],
  guest: ['not_authorized'],
  not_a_guest: ['not_authorized'],
  identity_taken: ['not_authorized'],
  second_factor_unavailable: ['not_authorized'],
  sign_in_too_old: ['reauth_required'],
  second_factor_skipped: ['reauth_required'],
  mfa_required: ['mfa_required'],
  second_factor_missing: ['mfa_required'],
  session_unbound: ['bound_session_required'],
  email_unverified: ['email_unverified'],
  // Sign-ups.
  sign_up_disabled: ['sign_up_disabled'],
  email_disposable: ['sign_up_disabled'],
  fields_required: ['fields_required'],
  challenge_required: ['challenge_required'],
  challenge_invalid: ['challenge_required'],
  // Limits. `limit:` and the name of the limit is a reason too.
  queue_full: ['rate_limit_exceeded'],
  // An error that the application or its adapter has thrown.
  unspecified: [
    'token_invalid',
    'not_authorized',
    'api_key_invalid',
    'refresh_token_invalid',
    'rate_limit_exceeded',
  ],
  // The checks of a request. Their errors are not one of 401, 403 and 429: these reasons are only in the log.
  path_malformed: ['invalid_request'],
  content_type: ['invalid_request'],
  body_parsed_elsewhere: ['invalid_request'],
  body_malformed: ['invalid_request'],
  body_too_large: ['invalid_request'],
  body_fields: ['invalid_request'],
} as const satisfies Record<string, readonly ServiceErrorCode[]>;

/** The name of a limit, with what it counts: `limit:login:address`. */
export type LimitReason = `limit:${string}`;

export type Reason = keyof typeof reasons | LimitReason;

/** Options for an error: `new NotAuthorizedError(because('origin_mismatch'))`. */
export function because(reason: Reason): Because {
  return { [diagnosis]: reason };
}

/** Returns the reason with which an error was created, or undefined. */
export function refusalOf(error: Error): Reason | undefined {
  return (error as Because)[diagnosis] as Reason | undefined;
}

/** An error with a code. `reason` is the public one, which responses contain. */
interface Refused extends Error {
  readonly code: ServiceErrorCode;
  readonly reason?: string;
}

/**
 * Returns why a request was refused: the reason of the error, else its public reason, else its code if that says everything. Every error
 * with the status 401, 403 or 429 has one.
 */
export function reasonOf(error: Refused): Reason | undefined {
  const { code, reason } = error;
  const named = refusalOf(error) ?? reason;
  if (named !== undefined) return named as Reason;
  if (Object.hasOwn(reasons, code)) return code as Reason;
  if (code === 'reauth_required') return 'sign_in_too_old';
  return (reasons.unspecified as readonly ServiceErrorCode[]).includes(code) ? 'unspecified' : undefined;
}
