/** What a new password must be: long enough, storable exactly as typed, and to the host's liking (docs/decisions/passwords.md). */
import { isStorableText } from '../domain/storable-text.js';
import { InvalidRequestError, WeakPasswordError } from '../errors/catalog.js';
import { inTime } from './in-time.js';

const maxBytes = 1024;

export interface PasswordPolicy {
  /** In Unicode code points. */
  minLength: number;
  /** False refuses a password: a list of breached ones, say. */
  checkPassword?: (password: string, context: { email: string | null }) => boolean | Promise<boolean>;
}

/**
 * @throws InvalidRequestError for what is not a string, over 1024 bytes, or holds U+0000 or a lone surrogate;
 * WeakPasswordError for what is too short or refused by `checkPassword`.
 */
export async function checkNewPassword(
  password: unknown,
  email: string | null,
  { minLength, checkPassword }: PasswordPolicy,
): Promise<void> {
  if (typeof password !== 'string') throw new InvalidRequestError('password must be a string.');
  if (!isStorablePassword(password)) {
    throw new InvalidRequestError('password must be at most 1024 bytes, without U+0000 or lone surrogates.');
  }
  if ([...password].length < minLength) throw new WeakPasswordError();
  if (!checkPassword) return;
  if ((await inTime(checkPassword(password, { email }), 'checkPassword')) !== true)
    throw new WeakPasswordError();
}

/** Two lone surrogates have one encoding and would be one password; other hashers stop at U+0000. */
export function isStorablePassword(password: string): boolean {
  return Buffer.byteLength(password) <= maxBytes && isStorableText(password);
}
