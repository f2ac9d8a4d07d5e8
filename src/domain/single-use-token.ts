/** The stored half of a mailed token or of a passkey's challenge: what makes it single-use. */
import type { StoredUser } from './user.js';

export type TokenPurpose =
  'magic_link' | 'password_reset' | 'webauthn_registration' | 'webauthn_authentication';

/** The subject of a challenge for whoever has a passkey. */
export const anybody = '*';

/** What an account was when a reset link was mailed for it. The link is valid only for the account as it was. */
export interface AccountState {
  /** The address that the link was mailed to. */
  email: string;
  epoch: number;
  /** With the epoch, a version of the password: a first password leaves the epoch as it is, every later change raises it. */
  hasPassword: boolean;
}

export interface SingleUseToken {
  /** SHA-256 of the token's random part or of the challenge, base64url. */
  digest: string;
  purpose: TokenPurpose;
  /** Address (magic link) or user id it is bound to; a challenge may be for anybody. */
  subject: string;
  expiresAt: Date;
  /** For the user that a magic link may create. */
  metadata: Record<string, unknown>;
  /** Required for a password reset: a reset token without it is refused. */
  account?: AccountState;
}

export function accountState({ email, epoch, passwordHash }: StoredUser): AccountState | null {
  return email === null ? null : { email, epoch, hasPassword: passwordHash !== null };
}

/**
 * Returns whether a reset link that was mailed for this state is valid for the user. The user of an unverified account may not be the
 * owner of the mailbox, and could end the owner's links with every change of the password: until then only the address counts.
 */
export function hasAccountState(user: StoredUser, { email, epoch, hasPassword }: AccountState): boolean {
  if (user.email !== email) return false;
  return !user.emailVerified || (user.epoch === epoch && (user.passwordHash !== null) === hasPassword);
}

/** The id of the user whom the token is for, where its subject is one: it goes with them. */
export function userOfToken({ purpose, subject }: SingleUseToken): string | null {
  return purpose === 'magic_link' || subject === anybody ? null : subject;
}
