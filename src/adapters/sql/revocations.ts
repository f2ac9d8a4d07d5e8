/**
 * Changes that end every session of a user: claim, password reset, password change, address change,
 * and revocation of all sessions. Each is a transaction that locks the user's row first (locks.ts).
 * `sessions.start` takes the same lock in share mode. A sign-in therefore either commits before the
 * lock is acquired, so that the following statements see its session, or waits and then reads
 * another epoch. The epoch also ends refresh families.
 */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { phoneProvider } from '../../domain/identity.js';
import { mailboxPurposes } from '../../domain/mailbox-purposes.js';
import { revokedPrefix } from '../../domain/org-invite.js';
import type { StoredUser } from '../../domain/user.js';
import type { AccountRepository, EmailChange, EmailChangeOutcome } from '../../storage/pro-repositories.js';
import type { PasswordReset, SessionRepository, UserRepository } from '../../storage/repositories.js';
import { asText, asTimestamp, asUuid } from './bindings.js';
import { isUniqueViolation } from './database-error.js';
import type { Database, Queryable } from './database.js';
import { admit, lockOrgsInvitedToBy, lockUser } from './locks.js';
import { toUser, userColumns } from './users.js';

// `greatest` ignores null. A process with a slow clock must not make tokens valid again that a
// faster one revoked.
export const endEverySession = `
  epoch = u.epoch + 1, sessions_valid_after = greatest(u.sessions_valid_after, cast(:now as timestamptz))`;

const pendingSecrets = `
  deleted_tokens as (
    delete from svc_single_use_tokens where subject = :id or subject = any(cast(:addresses as text[]))),
  deleted_codes as (
    delete from svc_one_time_codes
    where (subject = :id and purpose <> all(cast(:keptPurposes as text[])))
      or (purpose in ('email_code', 'magic_link', 'passkey_signup', 'password_login', 'password_reset')
        and subject = any(cast(:addresses as text[])))
      or (purpose = 'phone_code' and subject in (
        select provider_account_id from svc_identities where user_id = :id and provider = '${phoneProvider}')))`;

export const revokeSessions = `
  update svc_sessions set revoked_at = :now where user_id = :id and revoked_at is null`;

// CockroachDB refuses a statement that changes one table twice, so the row of an enrollment that was never confirmed stays, empty.
const begunEnrollment = `
  cleared_enrollments as (
    update svc_totp set pending_secret = null where user_id = :id and pending_secret is not null)`;

const endedSessions = `ended_sessions as (${revokeSessions}), ${begunEnrollment}`;

/** Removes what was set up before the owner of the mailbox proved to be one: docs/decisions/account-reclaim.md. */
export const claimUser = `
  with deleted_sessions as (delete from svc_sessions where user_id = :id),
    deleted_identities as (delete from svc_identities where user_id = :id),
    deleted_families as (delete from svc_refresh_families where user_id = :id),
    deleted_keys as (delete from svc_api_keys where user_id = :id),
    deleted_credentials as (delete from svc_credentials where user_id = :id),
    deleted_totp as (delete from svc_totp where user_id = :id),
    deleted_recovery_codes as (delete from svc_recovery_codes where user_id = :id),
    deleted_invites as (delete from svc_org_invites
      where invited_by_user_id = :id and accepted_at is null and digest not like '${revokedPrefix}%'), ${pendingSecrets}
  update svc_users as u
  set password_hash = :passwordHash, email_verified = true, totp_enabled = false, language = null,
    updated_at = :now, ${endEverySession}
  where u.id = :id
  returning ${userColumns}`;

export const resetUser = `
  with ${endedSessions}, ${pendingSecrets}
  update svc_users as u
  set password_hash = :passwordHash, updated_at = :now, ${endEverySession}
  where u.id = :id
  returning ${userColumns}`;

// Requires the lock of the user. If two users change to one address, the second waits at the unique
// index and fails.
const moveUser = `
  update svc_users as u
  set email = :email, email_verified = true, updated_at = :now, ${endEverySession}
  where u.id = :id and not exists (select from svc_users where email = :email)
  returning ${userColumns}`;

export const endWhatWaits = `with ${endedSessions}, ${pendingSecrets} select 1`;

const findIdByEmail = `select id from svc_users where email = :email`;

// `isResetFor` in SQL, of the account that is locked. A token without a state is valid for no account.
const takeResetToken = `
  delete from svc_single_use_tokens as t using svc_users as u
  where t.digest = :digest and t.purpose = 'password_reset' and t.expires_at > :now and t.account_epoch is not null
    and u.id = :id and u.email = t.subject
    and (not u.email_verified
      or (u.id = :userId and u.epoch = t.account_epoch and (u.password_hash is not null) = t.account_has_password))`;

const removeKeys = `
  with deleted_credentials as (delete from svc_credentials where user_id = :id)
  delete from svc_api_keys where user_id = :id`;

// After a reset the password proves the mailbox alone, and so does a code that is mailed to it: two
// proofs of one mailbox are one factor.
const disableEmailFactor = `update svc_totp set email_factor = false where user_id = :id and email_factor`;

const raiseEpoch = `update svc_users as u set ${endEverySession} where u.id = :id`;

// The user of a revoked session must not be able to confirm an authenticator app afterwards.
export const endAll = `with ${begunEnrollment} ${revokeSessions}`;

// A deletion and a sign-up fit between the two statements of a round, but hardly ever twice.
const mostRounds = 5;

type Revocations = Pick<UserRepository, 'claim' | 'resetPassword' | 'changePassword'> &
  Pick<SessionRepository, 'revokeAll'> &
  Pick<AccountRepository, 'changeEmail'>;

export function revocationQueries(db: Database): Revocations {
  return {
    claim: (id, now, email) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, id);
        if (!locked || locked.user.emailVerified) return null;
        if (email !== undefined && locked.user.email !== email) return null;
        return replacePassword(transaction, claimUser, locked.user, null, now);
      }),
    async resetPassword(reset) {
      // A round is lost if the account that had the address is deleted, or moves away, before it is locked: another may have it then.
      for (let round = 0; round < mostRounds; round += 1) {
        const address = { email: asText(reset.email) };
        const [id] = await db.query(findIdByEmail, address, (row: { id: string }) => row.id);
        if (id === undefined) return null;
        const outcome = await db.transaction((transaction) => resetPassword(transaction, id, reset));
        if (outcome !== 'moved') return outcome;
      }
      return null;
    },
    changePassword: ({ userId, epoch, fromHash, passwordHash, now }) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked || locked.user.passwordHash === null || locked.user.passwordHash !== fromHash)
          return { status: 'other_password' };
        if (locked.user.epoch !== epoch) return { status: 'epoch_moved' };
        const user = await replacePassword(transaction, resetUser, locked.user, passwordHash, now);
        return { status: 'changed', user };
      }),
    async changeEmail(change) {
      assertCanonicalEmail(change.email);
      try {
        return await db.transaction((transaction) => changeEmail(transaction, change));
      } catch (error) {
        if (isUniqueViolation(error)) return { status: 'email_taken' };
        throw error;
      }
    },
    revokeAll: (userId, now, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const bindings = { id: asUuid(userId), now: asTimestamp(now) };
        if ((await transaction.execute(raiseEpoch, bindings)) === 0) return false;
        await transaction.execute(endAll, bindings);
        return true;
      }),
  };
}

/** Resets the account of this id, if it still has the address of the link under its lock. */
async function resetPassword(
  transaction: Queryable,
  id: string,
  { tokenDigest, email, userId, passwordHash, revokeCredentials, now }: PasswordReset,
): Promise<{ user: StoredUser; claimed: boolean } | null | 'moved'> {
  const locked = await lockUser(transaction, id);
  if (locked?.user.email !== email) return 'moved';
  const { user } = locked;
  const token = { digest: asText(tokenDigest), id, userId: asUuid(userId), now: asTimestamp(now) };
  if ((await transaction.execute(takeResetToken, token)) === 0) return null;
  const claimed = !user.emailVerified;
  const statement = claimed ? claimUser : resetUser;
  const changed = await replacePassword(transaction, statement, user, passwordHash, now);
  if (!claimed) await transaction.execute(disableEmailFactor, { id });
  if (revokeCredentials) await transaction.execute(removeKeys, { id });
  return { user: changed, claimed };
}

/**
 * Replaces the password and ends what the statement ends. Requires the lock of the user.
 */
export async function replacePassword(
  transaction: Queryable,
  statement: string,
  user: StoredUser,
  passwordHash: string | null,
  now: Date,
): Promise<StoredUser> {
  const { id, email, emailVerified } = user;
  // An unverified address may be someone else's, and codes and links mailed to it belong to the
  // mailbox owner. Only a claim, by which the owner proves the mailbox, removes them.
  const isMailboxOwner = emailVerified || statement === claimUser;
  const addresses = email !== null && isMailboxOwner ? [email] : [];
  const keptPurposes = isMailboxOwner ? [] : mailboxPurposes;
  const bindings = { id, addresses, keptPurposes, passwordHash, now: asTimestamp(now) };
  // The user's invites may belong to several organizations (locks.ts).
  if (statement === claimUser) await lockOrgsInvitedToBy(transaction, id);
  const [changed] = await transaction.query(statement, bindings, toUser);
  // The row exists: this transaction has locked it.
  return changed as StoredUser;
}

async function changeEmail(
  transaction: Queryable,
  { userId, epoch, email, now }: EmailChange,
): Promise<EmailChangeOutcome> {
  const locked = await lockUser(transaction, userId);
  if (!locked) return { status: 'no_user' };
  if (locked.isGuest) return { status: 'guest' };
  if (locked.user.epoch !== epoch) return { status: 'epoch_moved' };
  const bindings = { id: userId, email, now: asTimestamp(now) };
  const [user] = await transaction.query(moveUser, bindings, toUser);
  if (!user) return { status: 'email_taken' };
  const { email: old, emailVerified } = locked.user;
  const addresses = old !== null && emailVerified ? [old, email] : [email];
  await transaction.execute(endWhatWaits, { ...bindings, addresses, keptPurposes: [] });
  return { status: 'changed', user };
}
