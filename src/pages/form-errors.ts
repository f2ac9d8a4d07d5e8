/** What a refused form says: next to which field, in the language of the page. */
import type { RateLimitError } from '../errors/catalog.js';
import { isServiceError, type ServiceError } from '../errors/service-error.js';
import { refusalOf as reasonOf } from '../http/refusal.js';
import type { Entry } from './page.js';
import type { Texts } from './texts/texts.js';
import { FieldError } from '../pages-kit/attempt.js';

type Sentence = {
  [Key in keyof Texts['errors']]: Texts['errors'][Key] extends string ? Key : never;
}[keyof Texts['errors']];

/** By code, or by code and reason or field: the name of the field, and the text. */
const texts: Readonly<Record<string, readonly [field: string, text: Sentence]>> = {
  'invalid_request email': ['email', 'email'],
  'invalid_request form_token': ['', 'formExpired'],
  'invalid_request phone': ['phone', 'phone'],
  'invalid_request username_taken': ['username', 'usernameTaken'],
  'invalid_request username_invalid': ['username', 'usernameInvalid'],
  'invalid_request username_reserved': ['username', 'usernameTaken'],
  invalid_request: ['', 'invalid'],
  invalid_credentials: ['password', 'credentials'],
  weak_password: ['password', 'passwordRefused'],
  'weak_password tooShort': ['password', 'passwordShort'],
  'invalid_request tooLong': ['password', 'passwordLong'],
  'weak_password common': ['password', 'passwordCommon'],
  'weak_password breached': ['password', 'passwordBreached'],
  'weak_password containsEmail': ['password', 'passwordNames'],
  'weak_password containsName': ['password', 'passwordNames'],
  email_exists: ['email', 'emailExists'],
  code_invalid: ['code', 'codeWrong'],
  code_expired: ['code', 'codeExpired'],
  code_not_found: ['code', 'codeExpired'],
  max_attempts_exceeded: ['code', 'tooManyCodes'],
  token_invalid: ['', 'linkInvalid'],
  'invalid_request challenge_invalid': ['', 'challengeFailed'],
  sms_send_failed: ['', 'smsFailed'],
  sign_up_disabled: ['', 'signUpDisabled'],
  // Not an error of the service: the step for the fields of the application.
  sign_up_expired: ['', 'signUpExpired'],
  // The second step, after its sign-in has expired.
  sign_in_expired: ['', 'signInExpired'],
  challenge_required: ['', 'challenge'],
  email_send_failed: ['', 'sendFailed'],
  oauth_error: ['', 'provider'],
};

/** Returns the field and the sentence for a refused form. Null if the error is not about the form. */
export function refusalOf(error: unknown, visit: Entry): readonly [field: string, text: string] | null {
  if (error instanceof FieldError) return [error.field, error.message];
  if (!isServiceError(error)) return null;
  const { errors } = visit.texts;
  if (error.code === 'rate_limit_exceeded')
    return ['', errors.tooMany(Math.max(1, Math.ceil((error as RateLimitError).retryAfterMs / 60_000)))];
  const found = lookUp(error);
  return found && [found[0], errors[found[1]]];
}

/** Returns the sentence for a code that a redirect carries, or null. Of a link, if it has expired: codes are sent with a form. */
export function sentenceFor(code: string, { errors, notices }: Texts): string | null {
  if (code === 'code_expired') return notices.linkExpired;
  const found = Object.hasOwn(texts, code) ? texts[code] : undefined;
  return found ? errors[found[1]] : null;
}

function lookUp(error: ServiceError): readonly [field: string, text: Sentence] | null {
  const details = [reasonOf(error), error.reason, error.field, fieldIn(error)];
  for (const detail of details) {
    const found = texts[`${error.code} ${detail}`];
    if (found) return found;
  }
  return texts[error.code] ?? null;
}

/** The errors of `src/domain` name their field at the start of the message. */
function fieldIn({ message }: ServiceError): string {
  return message.includes('email address') ? 'email' : (/^[a-z]+/.exec(message)?.[0] ?? '');
}
