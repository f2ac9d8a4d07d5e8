/**
 * What a new password must consist of: its length, characters that can be stored, and the application's own check
 * (docs/decisions/passwords.md). Lists of common passwords: `core/passwords`.
 */
import { isStorableText } from '../../domain/storable-text.js';
import { InvalidRequestError, WeakPasswordError } from '../../errors/catalog.js';
import { withTimeout } from '../support/timeouts.js';

const maxBytes = 1024;

export interface PasswordPolicy {
  /** In Unicode code points. */
  minLength: number;
  /**
   * Returns true to accept a new password. False and 'breached' refuse it as breached; 'containsEmail' refuses it because it contains
   * the address.
   */
  checkPassword?: (
    password: string,
    context: { email: string | null },
  ) => boolean | 'breached' | 'containsEmail' | Promise<boolean | 'breached' | 'containsEmail'>;
}

/** Calls `checkPassword` of the application. @throws WeakPasswordError with its reason if it refuses the password. */
export async function checkByApplication(
  password: string,
  email: string | null,
  { checkPassword }: Pick<PasswordPolicy, 'checkPassword'>,
): Promise<void> {
  if (!checkPassword) return;
  const verdict: unknown = await withTimeout(checkPassword(password, { email }), 'checkPassword');
  if (verdict === true) return;
  // Every result except true refuses the password. Other strings do not become the reason, because they could contain the password.
  throw new WeakPasswordError({ reason: verdict === 'containsEmail' ? verdict : 'breached' });
}

/** Checks the length and the characters of a password. @throws InvalidRequestError; WeakPasswordError if it is too short. */
export function checkPasswordForm(password: string, { minLength }: Pick<PasswordPolicy, 'minLength'>): void {
  if (!isStorablePassword(password)) {
    const detail = 'password must be at most 1024 bytes, without U+0000 or lone surrogates.';
    throw new InvalidRequestError(detail, isTooLong(password) ? { reason: 'tooLong' } : {});
  }
  if ([...password].length < minLength) throw new WeakPasswordError({ reason: 'tooShort' });
}

/** Returns whether a password can be hashed as typed. Lone surrogates all have the same encoding, and some hashers stop at U+0000. */
export function isStorablePassword(password: string): boolean {
  return !isTooLong(password) && isStorableText(password);
}

function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > maxBytes;
}
