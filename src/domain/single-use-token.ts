/** The stored record of a mailed token, a passkey challenge or a session of another system, which makes it single-use. */
import type { StoredUser } from './user.js';

export type TokenPurpose =
  | 'dpop_proof'
  | 'magic_link'
  | 'not_me'
  | 'old_session'
  | 'password_reset'
  | 'session_binding'
  | 'sign_up_fields'
  | 'webauthn_registration'
  | 'webauthn_authentication'
  | 'webauthn_signup'
  | 'webauthn_second_factor';

/** The subject of a challenge that any user with a passkey may answer, and of what is about a user who does not exist yet. */
export const anybody = '*';

/**
 * The state of an account when a reset link was mailed. If the account is verified when the link is
 * used, the link is valid only for this state.
 */
export interface AccountState {
  epoch: number;
  /**
   * With the epoch, a version of the password: a first password leaves the epoch as it is, every
   * later change raises it.
   */
  hasPassword: boolean;
}

export interface SingleUseToken {
  /** SHA-256 of the token's random part or of the challenge, base64url. */
  digest: string;
  purpose: TokenPurpose;
  /**
   * For a mailed link, the address it was mailed to. For a challenge, the user's id, or `anybody`.
   */
  subject: string;
  expiresAt: Date;
  /**
   * Metadata of the user whom a magic link may create, what a challenge is bound to, the sign-up that waits for its fields, or the session
   * that has replaced the one of another system.
   */
  metadata: Record<string, unknown>;
  /** Required for a password reset: a reset token without it is refused. */
  account?: AccountState;
}

export function accountState({ epoch, passwordHash }: StoredUser): AccountState {
  return { epoch, hasPassword: passwordHash !== null };
}

/**
 * Returns whether a reset link that was mailed for the user `userId` in this state is valid for the
 * account that has its address now. The user of an unverified account may not be the owner of the
 * mailbox, and could invalidate the owner's links by changing the password or by deleting the
 * account and signing up again. Until the address is verified, only the address is compared.
 */
export function isResetFor(
  account: StoredUser,
  userId: string,
  { epoch, hasPassword }: AccountState,
): boolean {
  if (!account.emailVerified) return true;
  return account.id === userId && account.epoch === epoch && (account.passwordHash !== null) === hasPassword;
}

/**
 * Returns the user's id if the token's subject is one, otherwise null. Such a token is deleted with
 * its user.
 */
export function userOfToken({ purpose, subject }: SingleUseToken): string | null {
  const isMailed = purpose === 'magic_link' || purpose === 'password_reset';
  return isMailed || subject === anybody ? null : subject;
}
