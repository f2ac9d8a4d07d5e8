/**
 * What ends every session of a user: claim, reset and change of the password, change of the address, revocation of all. Each is a transaction that locks
 * the user's row first (locks.ts). `sessions.start` takes a share of that lock, so a sign-in either commits before the
 * lock is held, and the statements after it see its session, or waits and then finds another epoch. Refresh families
 * end by the epoch as well.
 */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { phoneProvider } from '../../domain/identity.js';
import { mailboxPurposes } from '../../domain/mailbox-purposes.js';
import { revokedPrefix } from '../../domain/org-invite.js';
import type { StoredUser } from '../../domain/user.js';
import type { AccountRepository, EmailChange, EmailChangeOutcome } from '../../storage/pro-repositories.js';
import type { SessionRepository, UserRepository } from '../../storage/repositories.js';
import { text, time, uuid } from './bindings.js';
import { isUniqueViolation } from './database-error.js';
import type { Database, Queryable } from './database.js';
import { lockOrgsInvitedToBy, lockUser } from './locks.js';
import { accountHasState } from './single-use-tokens.js';
import { toUser, userColumns } from './users.js';

// `greatest` ignores null. A process with a slow clock must not give life back to what a faster one ended.
export const endEverySession = `
  epoch = u.epoch + 1, sessions_valid_after = greatest(u.sessions_valid_after, cast(:now as timestamptz))`;

const isOfUser = `(subject = :id and purpose <> all(cast(:keptPurposes as text[])))`;

const pendingSecrets = `
  gone_tokens as (
    delete from svc_single_use_tokens where ${isOfUser} or subject = any(cast(:addresses as text[]))),
  gone_codes as (
    delete from svc_one_time_codes
    where ${isOfUser} or (purpose = 'email_code' and subject = any(cast(:addresses as text[])))
      or (purpose = 'phone_code' and subject in (
        select provider_account_id from svc_identities where user_id = :id and provider = '${phoneProvider}')))`;

export const revokeSessions = `
  update svc_sessions set revoked_at = :now where user_id = :id and revoked_at is null`;

const begunEnrollment = `
  undone_enrollments as (update svc_totp set pending_secret = null where user_id = :id and secret is not null),
  gone_enrollments as (delete from svc_totp where user_id = :id and secret is null)`;

const endedSessions = `ended_sessions as (${revokeSessions}), ${begunEnrollment}`;

const claimUser = `
  with gone_sessions as (delete from svc_sessions where user_id = :id),
    gone_identities as (delete from svc_identities where user_id = :id),
    gone_families as (delete from svc_refresh_families where user_id = :id),
    gone_keys as (delete from svc_api_keys where user_id = :id),
    gone_credentials as (delete from svc_credentials where user_id = :id),
    gone_totp as (delete from svc_totp where user_id = :id),
    gone_recovery_codes as (delete from svc_recovery_codes where user_id = :id),
    gone_invites as (delete from svc_org_invites
      where invited_by_user_id = :id and accepted_at is null and digest not like '${revokedPrefix}%'), ${pendingSecrets}
  update svc_users as u
  set password_hash = :passwordHash, email_verified = true, totp_enabled = false, updated_at = :now, ${endEverySession}
  where u.id = :id
  returning ${userColumns}`;

const resetUser = `
  with ${endedSessions}, ${pendingSecrets}
  update svc_users as u
  set password_hash = :passwordHash, updated_at = :now, ${endEverySession}
  where u.id = :id
  returning ${userColumns}`;

// Under the lock of the user: of two that want one address the other waits at the unique index, and fails.
const moveUser = `
  update svc_users as u
  set email = :email, email_verified = true, updated_at = :now, ${endEverySession}
  where u.id = :id and not exists (select from svc_users where email = :email)
  returning ${userColumns}`;

const endWhatWaits = `with ${endedSessions}, ${pendingSecrets} select 1`;

const takeResetToken = `
  delete from svc_single_use_tokens as t using svc_users as u
  where t.digest = :digest and t.purpose = 'password_reset' and t.subject = :userId and t.expires_at > :now
    and u.id = :userId
    and ${accountHasState('t.account_email', 't.account_epoch', 't.account_has_password')}`;

const removeKeys = `
  with gone_credentials as (delete from svc_credentials where user_id = :id)
  delete from svc_api_keys where user_id = :id`;

const raiseEpoch = `update svc_users as u set ${endEverySession} where u.id = :id`;

// Whoever was in the session that is ended must not confirm an app of theirs afterwards.
const endAll = `with ${begunEnrollment} ${revokeSessions}`;

type Revocations = Pick<UserRepository, 'claim' | 'resetPassword' | 'changePassword'> &
  Pick<SessionRepository, 'revokeAll'> &
  Pick<AccountRepository, 'changeEmail'>;

export function revocationQueries(db: Database): Revocations {
  return {
    claim: (id, now) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, id);
        if (!locked || locked.user.emailVerified) return null;
        return replacePassword(transaction, claimUser, locked.user, null, now);
      }),
    resetPassword: ({ tokenDigest, userId, passwordHash, revokeCredentials, now }) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked) return null;
        const { user } = locked;
        const token = { digest: text(tokenDigest), userId, now: time(now) };
        if ((await transaction.execute(takeResetToken, token)) === 0) return null;
        const claimed = !user.emailVerified;
        const statement = claimed ? claimUser : resetUser;
        const changed = await replacePassword(transaction, statement, user, passwordHash, now);
        if (revokeCredentials) await transaction.execute(removeKeys, { id: user.id });
        return { user: changed, claimed };
      }),
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
    revokeAll: (userId, now) =>
      db.transaction(async (transaction) => {
        const bindings = { id: uuid(userId), now: time(now) };
        if ((await transaction.execute(raiseEpoch, bindings)) === 0) return false;
        await transaction.execute(endAll, bindings);
        return true;
      }),
  };
}

async function replacePassword(
  transaction: Queryable,
  statement: string,
  user: StoredUser,
  passwordHash: string | null,
  now: Date,
): Promise<StoredUser> {
  const { id, email, emailVerified } = user;
  // An address that was never proven may be someone else's, and what was mailed to it is the mailbox owner's: only a claim, which is
  // that owner's proof, removes it.
  const isMailboxOwner = emailVerified || statement === claimUser;
  const addresses = email !== null && isMailboxOwner ? [email] : [];
  const keptPurposes = isMailboxOwner ? [] : mailboxPurposes;
  const bindings = { id, addresses, keptPurposes, passwordHash, now: time(now) };
  // Its invites may be of several organizations (locks.ts).
  if (statement === claimUser) await lockOrgsInvitedToBy(transaction, id);
  const [changed] = await transaction.query(statement, bindings, toUser);
  // The row is locked by this transaction.
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
  const bindings = { id: userId, email, now: time(now) };
  const [user] = await transaction.query(moveUser, bindings, toUser);
  if (!user) return { status: 'email_taken' };
  const { email: old, emailVerified } = locked.user;
  const addresses = old !== null && emailVerified ? [old, email] : [email];
  await transaction.execute(endWhatWaits, { ...bindings, addresses, keptPurposes: [] });
  return { status: 'changed', user };
}
