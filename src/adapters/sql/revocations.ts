/**
 * What ends every session of a user: claim, reset and change of the password, change of the address, revocation of all. Each is a transaction that locks
 * the user's row first (locks.ts). `sessions.start` takes a share of that lock, so a sign-in either commits before the
 * lock is held, and the statements after it see its session, or waits and then finds another epoch. Refresh families
 * end by the epoch as well.
 */
import { phoneProvider } from '../../domain/identity.js';
import type { StoredUser } from '../../domain/user.js';
import type { AccountRepository, EmailChange, EmailChangeOutcome } from '../../storage/pro-repositories.js';
import type { SessionRepository, UserRepository } from '../../storage/repositories.js';
import { isStorable, text, time, uuid } from './bindings.js';
import { isUniqueViolation } from './database-error.js';
import type { Database, Queryable } from './database.js';
import { lockUser } from './locks.js';
import { toUser, userColumns } from './users.js';

// `greatest` ignores null. A process with a slow clock must not give life back to what a faster one ended.
export const endEverySession = `
  epoch = u.epoch + 1, sessions_valid_after = greatest(u.sessions_valid_after, cast(:now as timestamptz))`;

const pendingSecrets = `
  gone_tokens as (
    delete from svc_single_use_tokens where subject = :id or subject = any(cast(:addresses as text[]))),
  gone_codes as (
    delete from svc_one_time_codes
    where subject = :id or (purpose = 'email_code' and subject = any(cast(:addresses as text[])))
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
    gone_recovery_codes as (delete from svc_recovery_codes where user_id = :id), ${pendingSecrets}
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
  delete from svc_single_use_tokens
  where digest = :digest and purpose = 'password_reset' and subject = :userId and expires_at > :now`;

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
    resetPassword: ({ tokenDigest, userId, passwordHash, now }) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked) return null;
        const { user } = locked;
        const token = { digest: text(tokenDigest), userId, now: time(now) };
        if ((await transaction.execute(takeResetToken, token)) === 0) return null;
        const claimed = !user.emailVerified;
        const statement = claimed ? claimUser : resetUser;
        const changed = await replacePassword(transaction, statement, user, passwordHash, now);
        return changed && { user: changed, claimed };
      }),
    changePassword: ({ userId, fromHash, passwordHash, now }) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked || locked.user.passwordHash === null || locked.user.passwordHash !== fromHash)
          return null;
        return replacePassword(transaction, resetUser, locked.user, passwordHash, now);
      }),
    async changeEmail(change) {
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
): Promise<StoredUser | null> {
  const addresses = user.email === null ? [] : [user.email];
  const bindings = { id: user.id, addresses, passwordHash, now: time(now) };
  const [changed] = await transaction.query(statement, bindings, toUser);
  return changed ?? null;
}

async function changeEmail(
  transaction: Queryable,
  { userId, epoch, email, now }: EmailChange,
): Promise<EmailChangeOutcome> {
  const locked = await lockUser(transaction, userId);
  if (!locked) return { status: 'no_user' };
  if (locked.isGuest) return { status: 'guest' };
  if (locked.user.epoch !== epoch) return { status: 'epoch_moved' };
  if (!isStorable(email)) return { status: 'email_taken' };
  const bindings = { id: userId, email, now: time(now) };
  const [user] = await transaction.query(moveUser, bindings, toUser);
  if (!user) return { status: 'email_taken' };
  const addresses = locked.user.email === null ? [email] : [locked.user.email, email];
  await transaction.execute(endWhatWaits, { ...bindings, addresses });
  return { status: 'changed', user };
}
