/** What a refused change says in its form: next to which field, in the words of an administrator. */
import type { RateLimitError } from '../errors/catalog.js';
import {
  errorCodes,
  isServiceError,
  type ServiceError,
  type ServiceErrorCode,
} from '../errors/service-error.js';
import { refusalOf as reasonOf } from '../http/refusal.js';
import { FieldError } from '../pages-kit/attempt.js';

/** By code, or by code and reason: the name of the field, and the text. */
const texts: Record<string, readonly [field: string, text: string]> = {
  email_exists: ['email', 'Another user has this address.'],
  weak_password: [
    'password',
    'This password is too short, too common, or contains the address. Choose another one.',
  ],
  'invalid_request email': ['email', 'Enter an email address, such as ada@example.com.'],
  'invalid_request name': ['name', 'Enter a name of at most 100 characters on one line.'],
  'invalid_request name_address': ['name', 'A name cannot contain an email address or a link.'],
  'invalid_request name_reserved': ['name', 'This name is reserved. Choose another one.'],
  'invalid_request picture_source': ['picture', 'Pictures from this address are not allowed.'],
  'invalid_request username_taken': ['username', 'Another user has this username.'],
  'invalid_request username_invalid': [
    'username',
    'Use 1 to 32 letters and digits of one script, with single dots, hyphens or underscores between them.',
  ],
  'invalid_request username_reserved': ['username', 'This username is reserved. Choose another one.'],
  'invalid_request email_missing': ['email', 'Enter an email address. This change requires one.'],
  'invalid_request guest': ['email', 'A guest gets an address by signing up.'],
  'invalid_request outdated': [
    '',
    'The user has changed since this page was opened. Compare your change with the current values, then save again.',
  ],
  'invalid_request last_sign_in_method': ['', 'The user could no longer sign in without this.'],
  'invalid_request metadata': [
    'metadata',
    'The metadata must be a JSON object of at most 8 KB and 8 levels, without reserved keys.',
  ],
  'invalid_request roles': [
    'roles',
    'Enter at most 20 roles of 1 to 64 lower-case letters, digits, or . _ : - with a letter or a digit at both ends.',
  ],
  'invalid_request redirect': [
    'redirectUris',
    'Enter one to twenty addresses, each on a line: all with https, or all of an app, with its own scheme or http for this computer.',
  ],
  'invalid_request client': ['uri', 'Enter an address, such as https://partner.example/.'],
  'invalid_request uri': ['uri', 'Enter an address, such as https://partner.example/.'],
  'invalid_request role': ['role', 'Enter a role as it is given to users, such as support.'],
  'invalid_request until': ['until', 'Enter a time in the future.'],
  'invalid_request reason': ['reason', 'The reason must be at most 500 characters long.'],
  org_error: ['', 'The last owner of an organization cannot leave it. Make another member an owner first.'],
  user_blocked: ['', 'This user is blocked.'],
  not_authorized: ['', 'The application does not allow this for this user.'],
  email_send_failed: ['', 'The email could not be sent. Try again in a moment.'],
  provider_not_configured: ['', 'The application is not configured for this.'],
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
export function refusalOf(error: unknown): readonly [field: string, text: string] | null {
  if (error instanceof FieldError) return [error.field, error.message];
  if (!isServiceError(error) || !refusals.has(error.code)) return null;
  // It was shown to an earlier session of this browser.
  if (reasonOf(error) === 'form_token') return null;
  if (error.code === 'rate_limit_exceeded') return ['', waitText(error as RateLimitError)];
  const narrower = [error.reason, error.field, fieldIn(error)].map((each) => texts[`${error.code} ${each}`]);
  return (
    narrower.find((text) => text !== undefined) ?? texts[error.code] ?? ['', errorCodes[error.code].message]
  );
}

/** The errors of `src/domain` name their field at the start of the message. */
function fieldIn({ message }: ServiceError): string {
  if (message.includes('email address')) return 'email';
  return /^[a-z]+/.exec(message)?.[0] ?? '';
}

function waitText({ retryAfterMs }: RateLimitError): string {
  const minutes = Math.max(1, Math.ceil(retryAfterMs / 60_000));
  return `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}
