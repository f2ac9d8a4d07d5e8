/**
 * Changes that end every session of a user: claim, password reset, password change, address change,
 * and revocation of all sessions. Each is a transaction that locks the user's row first (locks.ts),
 * as the start of a session does. The epoch also ends refresh families.
 */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { phoneProvider } from '../../domain/identity.js';
import { mailboxPurposes } from '../../domain/mailbox-purposes.js';
import { revokedPrefix } from '../../domain/org-invite.js';
import { isResetFor } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import type { PasswordReset, SessionRepository, UserRepository } from '../../storage/repositories.js';
import { asText } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { admit, lockOrgsInvitedToBy, lockUser } from './locks.js';
import { tokens, type UserFields } from './records.js';
import { columnsOf, readerOf, valuesOf } from './tables.js';
import { readUserByEmail, updateUser } from './users.js';

/** Returns the changes of a user that make every session token invalid. */
export function endedSessions(
  { epoch, sessionsValidAfter }: StoredUser,
  now: Date,
): { epoch: number; sessionsValidAfter: Date } {
  // Never earlier: a slow clock must not make tokens valid again that a faster one revoked.
  const isLater = sessionsValidAfter !== null && sessionsValidAfter > now;
  return { epoch: epoch + 1, sessionsValidAfter: isLater ? sessionsValidAfter : now };
}

const revokeRows = `update svc_sessions set revoked_at = :now where user_id = :id and revoked_at is null`;

/** Revokes every session of the locked user and changes the user. Returns the user. */
export async function endSessions(
  transaction: Queryable,
  user: StoredUser,
  now: Date,
  changes: Partial<Omit<UserFields, 'epoch' | 'sessionsValidAfter' | keyof BlockFields>> = {},
): Promise<StoredUser> {
  await transaction.execute(revokeRows, { id: user.id, now });
  const allChanges = { ...changes, ...endedSessions(user, now) };
  await updateUser(transaction, user.id, allChanges);
  return { ...user, ...allChanges };
}

type BlockFields = Pick<
  UserFields,
  'blockedAt' | 'blockedUntil' | 'blockedReason' | 'isGuest' | 'username' | 'usernameKey' | 'lastSignInAt'
>;

const begunEnrollment = [
  `update svc_totp set pending_secret = null where user_id = :id and pending_secret is not null`,
  `delete from svc_totp where user_id = :id and {hasNoApp}`,
];

/** The user of a revoked session must not be able to confirm an authenticator app afterwards. */
export async function removeBegunEnrollment(transaction: Queryable, id: string): Promise<void> {
  for (const statement of begunEnrollment) await transaction.execute(statement, { id });
}

const phoneCodes = `
  delete from svc_one_time_codes where purpose = 'phone_code' and subject in (
    select i.provider_account_id from svc_identities i where i.user_id = :id and i.provider = '${phoneProvider}')`;

const ownTokens = `delete from svc_single_use_tokens where subject in (:subjects*)`;

const ownCodes = `delete from svc_one_time_codes where subject = :id and purpose not in (:kept*)`;

const mailedCodes = `
  delete from svc_one_time_codes
  where subject in (:addresses*)
    and purpose in ('email_code', 'magic_link', 'passkey_signup', 'password_login', 'password_reset')`;

/**
 * Removes the pending tokens, codes and enrollments of the user, and what was mailed to the addresses.
 * @param isMailboxOwner whether this includes the codes of the user that prove the mailbox.
 */
export async function removePending(
  transaction: Queryable,
  id: string,
  addresses: readonly string[],
  isMailboxOwner: boolean,
): Promise<void> {
  // A list must not be empty: null would leave out every row.
  const kept = isMailboxOwner ? [''] : mailboxPurposes;
  await transaction.execute(ownTokens, { subjects: [id, ...addresses] });
  await transaction.execute(ownCodes, { id, kept });
  if (addresses.length > 0) await transaction.execute(mailedCodes, { addresses });
  await transaction.execute(phoneCodes, { id });
  await removeBegunEnrollment(transaction, id);
}

const ofUser = (table: string) => `delete from ${table} where user_id = :id`;

const keys = ['svc_credentials', 'svc_api_keys'].map(ofUser);

/** Passkeys and the second factor. */
export const secondFactor = ['svc_credentials', 'svc_totp_apps', 'svc_totp', 'svc_recovery_codes'].map(
  ofUser,
);

const claimed = [
  ...['svc_sessions', 'svc_identities', 'svc_refresh_families', 'svc_api_keys'].map(ofUser),
  ...secondFactor,
  `delete from svc_org_invites
    where invited_by_user_id = :id and accepted_at is null and digest not like '${revokedPrefix}%'`,
];

export async function executeAll(
  transaction: Queryable,
  statements: readonly string[],
  id: string,
): Promise<void> {
  for (const statement of statements) await transaction.execute(statement, { id });
}

/** Removes what was set up before the owner of the mailbox proved to be one: docs/decisions/account-reclaim.md. */
export async function claimUser(
  transaction: Queryable,
  user: StoredUser,
  passwordHash: string | null,
  now: Date,
): Promise<StoredUser> {
  const { id, email } = user;
  // The user's invites may belong to several organizations (locks.ts).
  await lockOrgsInvitedToBy(transaction, id);
  await removePending(transaction, id, email === null ? [] : [email], true);
  await executeAll(transaction, claimed, id);
  return endSessions(transaction, user, now, {
    passwordHash,
    ...{ emailVerified: true, totpEnabled: false, language: null, updatedAt: now },
  });
}

/** Replaces the password of the locked user and ends what was begun with the old one. */
export async function replacePassword(
  transaction: Queryable,
  user: StoredUser,
  passwordHash: string,
  now: Date,
): Promise<StoredUser> {
  const { id, email, emailVerified } = user;
  // An unverified address may be someone else's, and codes and links mailed to it belong to the
  // mailbox owner. Only a claim, by which the owner proves the mailbox, removes them.
  await removePending(transaction, id, email !== null && emailVerified ? [email] : [], emailVerified);
  return endSessions(transaction, user, now, { passwordHash, updatedAt: now });
}

const findResetToken = `
  select ${columnsOf(tokens, 't')} from svc_single_use_tokens t
  where t.digest = :digest and t.purpose = 'password_reset' and t.subject = :email and t.expires_at > :now {lock}`;

const findDigest = `select ${columnsOf(tokens, 't')} from svc_single_use_tokens t where t.digest = :digest`;

const removeToken = `delete from svc_single_use_tokens where digest = :digest`;

// After a reset the password proves the mailbox alone, and so does a code that is mailed to it: two
// proofs of one mailbox are one factor.
const disableEmailFactor = `update svc_totp set email_factor = :off where user_id = :id`;

const toToken = readerOf(tokens, 't');

// A deletion and a sign-up fit between the two reads of a round, but hardly ever twice.
const mostRounds = 5;

type Revocations = Pick<UserRepository, 'claim' | 'resetPassword' | 'changePassword'> &
  Pick<SessionRepository, 'revokeAll' | 'revokeAllOnce'> &
  Pick<AccountRepository, 'changeEmail'>;

export function revocationQueries(db: Database): Revocations {
  return {
    claim: (id, now, email) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, id);
        if (!locked || locked.user.emailVerified) return null;
        if (email !== undefined && locked.user.email !== email) return null;
        return claimUser(transaction, locked.user, null, now);
      }),
    async resetPassword(reset) {
      // A round is lost if the account that had the address is deleted, or moves away, before it is locked.
      for (let round = 0; round < mostRounds; round += 1) {
        const user = await readUserByEmail(db, reset.email);
        if (!user) return null;
        const outcome = await db.transaction((transaction) => resetPassword(transaction, user.id, reset));
        if (outcome !== 'moved') return outcome;
      }
      return null;
    },
    changePassword: ({ userId, epoch, fromHash, passwordHash, now }) =>
      db.transaction(async (transaction) => {
        const { user } = (await lockUser(transaction, userId)) ?? {};
        if (!user || user.passwordHash === null || user.passwordHash !== fromHash)
          return { status: 'other_password' };
        if (user.epoch !== epoch) return { status: 'epoch_moved' };
        return { status: 'changed', user: await replacePassword(transaction, user, passwordHash, now) };
      }),
    async changeEmail({ userId, epoch, email, now }) {
      assertCanonicalEmail(email);
      try {
        return await db.transaction(async (transaction) => {
          const locked = await lockUser(transaction, userId);
          if (!locked) return { status: 'no_user' };
          if (locked.isGuest) return { status: 'guest' };
          const { user } = locked;
          if (user.epoch !== epoch) return { status: 'epoch_moved' };
          if (await readUserByEmail(transaction, email)) return { status: 'email_taken' };
          const old = user.email !== null && user.emailVerified ? [user.email] : [];
          await removePending(transaction, user.id, [...old, email], true);
          const changes = { email, emailVerified: true, updatedAt: now };
          return { status: 'changed', user: await endSessions(transaction, user, now, changes) };
        });
      } catch (error) {
        // Two users change to one address at the same time.
        if (db.violatedKey(error) === 'svc_users_email') return { status: 'email_taken' };
        throw error;
      }
    },
    revokeAll: (userId, now, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const locked = await lockUser(transaction, userId);
        if (!locked) return false;
        await endSessions(transaction, locked.user, now);
        await removeBegunEnrollment(transaction, locked.user.id);
        return true;
      }),
    revokeAllOnce: (userId, used, now) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        // Every call for this digest is about this user, and waits for the lock.
        if (!locked || (await transaction.find(findDigest, { digest: asText(used.digest) }, toToken)))
          return null;
        const { account: _, ...fields } = used;
        const row = { ...fields, accountEpoch: null, accountHasPassword: null };
        await transaction.execute(tokens.insertion, valuesOf(tokens, row));
        const user = await endSessions(transaction, locked.user, now);
        await removeBegunEnrollment(transaction, user.id);
        return user;
      }),
  };
}

/** Resets the account of this id, if it still has the address of the link under its lock. */
async function resetPassword(
  transaction: Queryable,
  id: string,
  { tokenDigest, email, userId, passwordHash, revokeCredentials, now }: PasswordReset,
): Promise<{ user: StoredUser; claimed: boolean } | null | 'moved'> {
  const { user } = (await lockUser(transaction, id)) ?? {};
  if (user?.email !== email) return 'moved';
  const digest = asText(tokenDigest);
  const token = await transaction.find(findResetToken, { digest, email, now }, toToken);
  if (!token || token.accountEpoch === null) return null;
  const state = { epoch: token.accountEpoch, hasPassword: token.accountHasPassword === true };
  if (!isResetFor(user, userId, state)) return null;
  await transaction.execute(removeToken, { digest });
  if (!user.emailVerified)
    return { user: await claimUser(transaction, user, passwordHash, now), claimed: true };
  const changed = await replacePassword(transaction, user, passwordHash, now);
  await transaction.execute(disableEmailFactor, { id, off: false });
  if (revokeCredentials) await executeAll(transaction, keys, id);
  return { user: changed, claimed: false };
}
