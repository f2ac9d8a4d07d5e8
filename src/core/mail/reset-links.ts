/** What the token of a reset link says under its MAC, and what a reset code stores (docs/decisions/reset-binding.md). */
import type { KeyObject } from 'node:crypto';
import { constantTimeEqual, mac } from '../../crypto/digest.js';
import type { Keyring } from '../../crypto/keys.js';
import { accountState, isResetFor } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import type { UserRepository } from '../../storage/repositories.js';
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

/** What a page says about a link when it is opened. `isFirst`: its account has never had a password, as that of an invited user. */
export type ResetLink =
  | { status: 'valid'; email: string; isFirst: boolean }
  | { status: 'expired' | 'invalid'; email?: undefined; isFirst?: undefined };

/**
 * Returns whether a link can set a password, without using it. A malformed, forged or expired one costs no query. Who has the link learns
 * no more than by sending a password with it.
 */
export async function readResetLink(
  tokens: MailedTokens,
  users: Pick<UserRepository, 'findByEmail'>,
  token: string,
): Promise<ResetLink> {
  const { status } = tokens.openToken('password_reset', token);
  if (status === 'expired') return { status };
  const opened = openReset(tokens, token);
  if (!opened) return { status: 'invalid' };
  const { digest, email, userId } = opened;
  const [stored, user] = await Promise.all([
    tokens.findToken('password_reset', digest),
    users.findByEmail(email),
  ]);
  const isUsable =
    stored?.account !== undefined &&
    stored.subject === email &&
    user !== null &&
    isResetFor(user, userId, stored.account);
  if (!isUsable) return { status: 'invalid' };
  return { status: 'valid', email, isFirst: user.passwordHash === null && !user.emailVerified };
}

/**
 * Returns what is stored with a reset code: the token that it uses, and its user as a MAC. The token decides for which account and state
 * the code is valid, and is consumed with the password, so a link and a code of one mail end each other. The row of an unverified
 * account outlasts its deletion, and must not name the user.
 */
export function resetOfCode(keys: Keyring, { id }: StoredUser, digest: string): Record<string, unknown> {
  const [key] = keys.subkeys('one_time_code');
  return { digest, user: macOfUser(key, id, digest) };
}

/**
 * Returns null for a code that was issued for an address without an account.
 * @param owner the user who has the address now. If the code was not mailed for them, the reset names a user who does not exist: the
 * storage then refuses a verified account.
 */
export function openResetOfCode(
  keys: Keyring,
  email: string,
  { digest, user }: Record<string, unknown>,
  owner: StoredUser | null,
): OpenedReset | null {
  if (typeof digest !== 'string' || typeof user !== 'string') return null;
  const isOwner =
    owner !== null &&
    keys.subkeys('one_time_code').some((key) => constantTimeEqual(macOfUser(key, owner.id, digest), user));
  return { email, userId: isOwner ? owner.id : noUser, digest };
}

const noUser = '00000000-0000-0000-0000-000000000000';

function macOfUser(key: KeyObject, userId: string, digest: string): string {
  return mac(key, 'reset_code_user', userId, digest).toString('base64url');
}
