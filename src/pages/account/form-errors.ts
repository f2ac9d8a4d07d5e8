/** What a refused form of the account says. Errors that the forms of the sign-in have too are in `../form-errors.ts`. */
import { isServiceError } from '../../errors/service-error.js';
import type { Reason } from '../../errors/reasons.js';
import { refusalOf as reasonOf } from '../../http/refusal.js';
import { refusalOf } from '../form-errors.js';
import type { AccountVisit } from './page.js';

type Sentence = keyof AccountVisit['words']['errors'];

/** By code, or by code and reason or field: the name of the field, and the text. */
const sentences: Readonly<Record<string, readonly [field: string, text: Sentence]>> = {
  invalid_credentials: ['current', 'currentPassword'],
  email_exists: ['email', 'addressTaken'],
  email_unverified: ['', 'unverified'],
  not_authorized: ['', 'notAllowed'],
  org_error: ['', 'changed'],
  sms_send_failed: ['', 'textFailed'],
  'invalid_request last_sign_in_method': ['', 'lastMethod'],
  'invalid_request phone_taken': ['', 'phoneTaken'],
  'invalid_request too_many_apps': ['', 'tooManyApps'],
  'invalid_request name_address': ['name', 'nameAddress'],
  'invalid_request name_reserved': ['name', 'nameReserved'],
  'invalid_request picture_source': ['picture', 'pictureSource'],
  'invalid_request name': ['name', 'nameInvalid'],
  // The name of an organization that its slug is derived from.
  'invalid_request slug': ['name', 'nameInvalid'],
};

/** Reasons that are about the request, and not about what its form says. */
const ofRequests: ReadonlySet<Reason | undefined> = new Set<Reason>([
  'origin_mismatch',
  'path_malformed',
  'content_type',
  'body_parsed_elsewhere',
  'body_malformed',
  'body_too_large',
  'body_fields',
  'impersonation',
  'permission',
  'form_token',
]);

/** Returns the field and the sentence for a refused form. Null if the error is about the session or the request. */
export function accountRefusalOf(
  error: unknown,
  visit: AccountVisit,
): readonly [field: string, text: string] | null {
  if (!isServiceError(error)) return refusalOf(error, visit);
  // The session has ended, is too old, or is another one: the page asks to sign in.
  if (['token_invalid', 'reauth_required'].includes(error.code) || ofRequests.has(reasonOf(error)))
    return null;
  if (error.code === 'org_error' && /\bowner\b/i.test(error.message))
    return ['', visit.words.errors.lastOwner];
  const field = error.field ?? /^[a-zA-Z]+/.exec(error.message)?.[0];
  const found = [error.reason, field].map((detail) => sentences[`${error.code} ${detail}`]).find(Boolean);
  const sentence = found ?? sentences[error.code];
  if (sentence) return [sentence[0], visit.words.errors[sentence[1]]];
  const general = refusalOf(error, visit);
  // Of two codes, the error names the wrong one.
  return general?.[0] === 'code' && error.field === 'currentCode' ? ['currentCode', general[1]] : general;
}
