/** What a new password must be: long enough, storable exactly as typed, and to the host's liking (docs/decisions/passwords.md). */
import { isStorableText } from '../domain/storable-text.js';
import { InvalidRequestError, WeakPasswordError } from '../errors/catalog.js';
import { inTime } from './in-time.js';

const maxBytes = 1024;

export interface PasswordPolicy {
  /** In Unicode code points. */
  minLength: number;
  /** Accepts a new password by true. False and 'breached' refuse it as breached, 'containsEmail' because of the address in it. */
  checkPassword?: (
    password: string,
    context: { email: string | null },
  ) => boolean | 'breached' | 'containsEmail' | Promise<boolean | 'breached' | 'containsEmail'>;
}

/**
 * @throws InvalidRequestError if the password is not a string, is over 1024 bytes (reason `tooLong`), or contains U+0000 or a lone
 * surrogate; WeakPasswordError if it is too short or refused by `checkPassword`, with that reason.
 */
export async function checkNewPassword(
  password: unknown,
  email: string | null,
  policy: PasswordPolicy,
): Promise<void> {
  checkPasswordForm(password, policy);
  await checkByApplication(password, email, policy);
}

/** What the application says of a password whose form is checked. @throws WeakPasswordError with its reason. */
export async function checkByApplication(
  password: string,
  email: string | null,
  { checkPassword }: Pick<PasswordPolicy, 'checkPassword'>,
): Promise<void> {
  if (!checkPassword) return;
  const verdict: unknown = await inTime(checkPassword(password, { email }), 'checkPassword');
  if (verdict === true) return;
  // Anything but true refuses, and no text of the application's own becomes a reason: it could quote the password.
  throw new WeakPasswordError({ reason: verdict === 'containsEmail' ? verdict : 'breached' });
}

/** What of it costs nothing. @throws InvalidRequestError; WeakPasswordError if it is too short. */
export function checkPasswordForm(
  password: unknown,
  { minLength }: Pick<PasswordPolicy, 'minLength'>,
): asserts password is string {
  if (typeof password !== 'string') throw new InvalidRequestError('password must be a string.');
  if (!isStorablePassword(password)) {
    const detail = 'password must be at most 1024 bytes, without U+0000 or lone surrogates.';
    throw new InvalidRequestError(detail, isTooLong(password) ? { reason: 'tooLong' } : {});
  }
  if ([...password].length < minLength) throw new WeakPasswordError({ reason: 'tooShort' });
}

/** Two lone surrogates have one encoding and would be one password; other hashers stop at U+0000. */
export function isStorablePassword(password: string): boolean {
  return !isTooLong(password) && isStorableText(password);
}

function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > maxBytes;
}
