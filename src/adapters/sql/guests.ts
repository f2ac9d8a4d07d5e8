/** Guests: rows of `svc_users` with `is_guest`. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import type { StoredUser } from '../../domain/user.js';
import type { GuestRepository, GuestUpgrade } from '../../storage/pro-repositories.js';
import { deleteUserRows, lockOrgsOf } from './accounts.js';
import { time, uuid } from './bindings.js';
import { tableOfUniqueViolation } from './database-error.js';
import { transactionState, type Database, type Queryable } from './database.js';
import { hasStorableNames, identityBindings, insertIdentity } from './identities.js';
import { hasEpoch, lockUser } from './locks.js';
import { endEverySession, revokeSessions } from './revocations.js';
import { newUserBindings, toUser, userColumns } from './users.js';

const insert = `
  insert into svc_users (
    id, email, email_verified, password_hash, metadata, epoch, created_at, updated_at, is_guest)
  values (
    :userId, :email, :emailVerified, :passwordHash, :metadata, 0, :userCreatedAt, :userCreatedAt, true)`;

const isGuest = `select is_guest from svc_users where id = :id`;

// A guest gets no passkey and no second factor (credentials.ts, totp.ts). This is the second lock on that: who held the guest's
// session on a shared screen must not keep a way into the account, nor a challenge that would become one.
const becomeUser = `
  with gone_credentials as (delete from svc_credentials where user_id = :id),
    gone_totp as (delete from svc_totp where user_id = :id),
    gone_recovery_codes as (delete from svc_recovery_codes where user_id = :id),
    gone_tokens as (delete from svc_single_use_tokens where subject = :id)
  update svc_users as u
  set is_guest = false, totp_enabled = false, email = :email, email_verified = :emailVerified, password_hash = :passwordHash,
    updated_at = :now, ${endEverySession}
  where u.id = :id
  returning ${userColumns}`;

const lowestId = '00000000-0000-0000-0000-000000000000';

const listAbandoned = `
  select id from svc_users where is_guest and created_at <= :createdBefore and id > :after order by id limit :limit`;

// `skip locked` never waits, so the lock order of locks.ts allows many users in one statement. Members and inviters need the locks
// of their organizations, and go one by one.
const deleteAbandoned = `
  with due as materialized (
    select id from svc_users u
    where is_guest and created_at <= :createdBefore
      and not exists (select from svc_org_memberships m where m.user_id = u.id)
      and not exists (select from svc_org_invites i where i.invited_by_user_id = u.id)
    order by created_at limit :limit for update skip locked),
  gone_tokens as (
    delete from svc_single_use_tokens where subject in (select cast(id as text) from due)),
  gone_codes as (
    delete from svc_one_time_codes where subject in (select cast(id as text) from due))
  delete from svc_users using due where svc_users.id = due.id returning due.id`;

export function guestQueries(db: Database): GuestRepository {
  return {
    async insert(user) {
      await db.execute(insert, { ...newUserBindings(user), email: null });
    },
    async isGuest(userId) {
      const [answer] = await db.query(isGuest, { id: uuid(userId) }, (row: { is_guest: boolean }) => row);
      return answer?.is_guest ?? null;
    },
    async upgrade(upgrade) {
      assertCanonicalEmail(upgrade.email);
      try {
        return await db.transaction(async (transaction) => {
          const locked = await lockUser(transaction, upgrade.userId);
          if (!locked) return { status: 'no_user' };
          if (!locked.isGuest) return { status: 'not_a_guest' };
          const { epoch, identity } = upgrade;
          if (!hasEpoch(locked, epoch)) return { status: 'epoch_moved' };
          if (identity && !hasStorableNames(identity)) return { status: 'identity_taken' };
          return { status: 'upgraded', user: await upgradeLocked(transaction, upgrade) };
        });
      } catch (error) {
        const table = tableOfUniqueViolation(error);
        if (table === 'svc_users') return { status: 'email_taken' };
        if (table === 'svc_identities') return { status: 'identity_taken' };
        throw error;
      }
    },
    async listAbandoned({ createdBefore, after = lowestId, limit }) {
      const bindings = { createdBefore: time(createdBefore), after: uuid(after), limit };
      return db.query(listAbandoned, bindings, (row: { id: string }) => row.id);
    },
    async deleteAbandoned({ createdBefore, limit }) {
      const bindings = { createdBefore: time(createdBefore), limit };
      return db.query(deleteAbandoned, bindings, (row: { id: string }) => row.id);
    },
    delete: (userId, within) =>
      db.transactionOnce(async (transaction, knexTransaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked?.isGuest) return false;
        // A guest owns no organisation: nobody is the last owner of one.
        await lockOrgsOf(transaction, locked.user);
        await within(knexTransaction, () => transactionState(knexTransaction));
        await deleteUserRows(transaction, locked.user);
        return true;
      }),
  };
}

/** The address before the identity, as in `identities.insertWithUser`: two that want both then cannot block each other. */
async function upgradeLocked(transaction: Queryable, upgrade: GuestUpgrade): Promise<StoredUser> {
  const { userId, identity, email, emailVerified, passwordHash } = upgrade;
  const bindings = { id: userId, email, emailVerified, passwordHash, now: time(upgrade.now) };
  const [user] = await transaction.query(becomeUser, bindings, toUser);
  await transaction.execute(revokeSessions, bindings);
  if (identity) await transaction.execute(insertIdentity, identityBindings({ ...identity, userId }));
  return user as StoredUser;
}
