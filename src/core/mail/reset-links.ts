/** What the token of a reset link says under its MAC, and what a reset code stores (docs/decisions/reset-binding.md). */
import { accountState } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import type { MailedTokens, TokenDetails } from './mailed-tokens.js';

/** The address that a link or a code was mailed to, and the user who had it then. */
export interface OpenedReset {
  email: string;
  userId: string;
  /** Of the stored token. */
  digest: string;
}

/**
 * Returns what a link is bound to: the account as read by this address, so that a change that commits in between makes the link
 * invalid. The user's id is in the token and not in the row: the row of an unverified account outlasts its deletion, which leaves no
 * row with the id of the user.
 */
export function resetBinding(user: StoredUser, email: string): TokenDetails {
  return { account: accountState(user), content: `${user.id} ${email}` };
}

/** Returns null if the token is malformed, forged or expired. No storage is asked. */
export function openReset(tokens: MailedTokens, token: string): OpenedReset | null {
  const opened = tokens.openToken('password_reset', token);
  if (opened.status !== 'valid') return null;
  const [userId, email] = opened.subject.split(' ');
  // Tokens of an earlier release say the user's id alone.
  return userId === undefined || email === undefined ? null : { userId, email, digest: opened.digest };
}

/**
 * Returns what is stored with a reset code: the token that it uses. The token decides for which account and state the code is valid, and is
 * consumed with the password, so a link and a code of one mail end each other.
 */
export function resetOfCode(userId: string, digest: string): Record<string, unknown> {
  return { userId, digest };
}

/** Returns null for a code that was issued for an address without an account. */
export function openResetOfCode(
  email: string,
  { userId, digest }: Record<string, unknown>,
): OpenedReset | null {
  return typeof userId === 'string' && typeof digest === 'string' ? { email, userId, digest } : null;
}
