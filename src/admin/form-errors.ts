/** What a refused change says in its form: next to which field, in the words of an administrator. */
import type { AdminTexts } from './texts/texts.js';
import type { RateLimitError } from '../errors/catalog.js';
import { isServiceError, type ServiceError, type ServiceErrorCode } from '../errors/service-error.js';
import { refusalOf as reasonOf } from '../http/refusal.js';
import { FieldError } from '../pages-kit/attempt.js';

type ErrorTexts = AdminTexts['errors'];
/** The sentences without values. */
type PlainError = {
  [Name in keyof ErrorTexts]: ErrorTexts[Name] extends string ? Name : never;
}[keyof ErrorTexts];

/** By code, or by code and reason: the name of the field, and the text. */
const sentences: Record<string, readonly [field: string, text: PlainError]> = {
  email_exists: ['email', 'emailExists'],
  weak_password: ['password', 'weakPassword'],
  'invalid_request email': ['email', 'email'],
  'invalid_request name': ['name', 'name'],
  'invalid_request name_address': ['name', 'nameAddress'],
  'invalid_request name_reserved': ['name', 'nameReserved'],
  'invalid_request picture_source': ['picture', 'pictureSource'],
  'invalid_request username_taken': ['username', 'usernameTaken'],
  'invalid_request username_invalid': ['username', 'usernameInvalid'],
  'invalid_request username_reserved': ['username', 'usernameReserved'],
  'invalid_request email_missing': ['email', 'emailMissing'],
  'invalid_request guest': ['email', 'guest'],
  'invalid_request outdated': ['', 'outdated'],
  'invalid_request last_sign_in_method': ['', 'lastMethod'],
  'invalid_request metadata': ['metadata', 'metadata'],
  'invalid_request roles': ['roles', 'roles'],
  'invalid_request redirect': ['redirectUris', 'redirect'],
  'invalid_request client': ['uri', 'uri'],
  'invalid_request uri': ['uri', 'uri'],
  'invalid_request secret_unused': ['', 'secretUnused'],
  'invalid_request secret_limit': ['', 'secretLimit'],
  'invalid_request secret_last': ['', 'secretLast'],
  'invalid_request role': ['role', 'role'],
  'invalid_request until': ['until', 'until'],
  'invalid_request reason': ['reason', 'reason'],
  org_error: ['', 'lastOwner'],
  user_blocked: ['', 'blocked'],
  not_authorized: ['', 'notAllowed'],
  email_send_failed: ['', 'sendFailed'],
  provider_not_configured: ['', 'notConfigured'],
};

/** Errors about the change. Every other one is about the request and gets a page. */
const refusals: ReadonlySet<ServiceErrorCode> = new Set([
  'email_exists',
  'weak_password',
  'invalid_request',
  'org_error',
  'user_blocked',
  'not_authorized',
  'email_send_failed',
  'provider_not_configured',
  'rate_limit_exceeded',
]);

/** Returns the field and the message of a refused change. Null if the error is about the request. */
export function refusalOf(
  error: unknown,
  { errors }: Pick<AdminTexts, 'errors'>,
): readonly [field: string, text: string] | null {
  if (error instanceof FieldError) return [error.field, error.message];
  if (!isServiceError(error) || !refusals.has(error.code)) return null;
  // It was shown to an earlier session of this browser.
  if (reasonOf(error) === 'form_token') return null;
  if (error.code === 'rate_limit_exceeded') {
    const { retryAfterMs } = error as RateLimitError;
    return ['', errors.tooMany(Math.max(1, Math.ceil(retryAfterMs / 60_000)))];
  }
  const narrower = [error.reason, error.field, fieldIn(error)].map(
    (each) => sentences[`${error.code} ${each}`],
  );
  const [field, text] = narrower.find((each) => each !== undefined) ??
    sentences[error.code] ?? ['', 'invalid' as const];
  return [field, errors[text]];
}

/** The errors of `src/domain` name their field at the start of the message. */
function fieldIn({ message }: ServiceError): string {
  if (message.includes('email address')) return 'email';
  return /^[a-z]+/.exec(message)?.[0] ?? '';
}
