/** Guests: rows of `svc_users` with `is_guest`. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { mergeMetadata } from '../../domain/metadata.js';
import { isInForce } from '../../domain/user-block.js';
import type { StoredUser } from '../../domain/user.js';
import type { GuestRepository, GuestUpgrade } from '../../storage/pro-repositories.js';
import { deleteUserRows, lockOrgsOf } from './accounts.js';
import { asJsonb, asTimestamp, asUuid } from './bindings.js';
import { tableOfUniqueViolation } from './database-error.js';
import { transactionState, type Database, type Queryable } from './database.js';
import { hasStorableNames, identityBindings, insertIdentity } from './identities.js';
import { hasEpoch, lockUser } from './locks.js';
import { endEverySession, revokeSessions } from './revocations.js';
import { asRoles, newUserBindings, toUser, userColumns } from './users.js';

const insert = `
  insert into svc_users (
    id, email, email_verified, password_hash, metadata, epoch, created_at, updated_at, roles, is_guest)
  values (
    :userId, :email, :emailVerified, :passwordHash, :metadata, 0, :userCreatedAt, :userCreatedAt,
    cast(:roles as text[]), true)`;

const isGuest = `select is_guest from svc_users where id = :id`;

// Guests cannot add passkeys or second factors (credentials.ts, totp.ts). This is a second
// safeguard: another user of the guest's device must not keep a credential of the account, or a
// challenge that would create one.
const becomeUser = `
  with deleted_credentials as (delete from svc_credentials where user_id = :id),
    deleted_totp as (delete from svc_totp where user_id = :id),
    deleted_recovery_codes as (delete from svc_recovery_codes where user_id = :id),
    deleted_tokens as (delete from svc_single_use_tokens where subject = :id)
  update svc_users as u
  set is_guest = false, totp_enabled = false, email = :email, email_verified = :emailVerified, password_hash = :passwordHash,
    metadata = :metadata, roles = cast(:roles as text[]), updated_at = :now, ${endEverySession}
  where u.id = :id
  returning ${userColumns}`;

const lowestId = '00000000-0000-0000-0000-000000000000';

const listAbandoned = `
  select id from svc_users where is_guest and created_at <= :createdBefore and id > :after order by id limit :limit`;

// `skip locked` never waits, so the lock order of locks.ts allows many users in one statement.
// Members and inviters require the locks of their organizations and are deleted one by one.
const deleteAbandoned = `
  with due as materialized (
    select id from svc_users u
    where is_guest and created_at <= :createdBefore
      and not exists (select from svc_org_memberships m where m.user_id = u.id)
      and not exists (select from svc_org_invites i where i.invited_by_user_id = u.id)
    order by created_at limit :limit for update skip locked),
  deleted_tokens as (
    delete from svc_single_use_tokens where subject in (select cast(id as text) from due)),
  deleted_codes as (
    delete from svc_one_time_codes where subject in (select cast(id as text) from due))
  delete from svc_users using due where svc_users.id = due.id returning due.id`;

export function guestQueries(db: Database): GuestRepository {
  return {
    async insert(user) {
      await db.execute(insert, { ...newUserBindings(user), email: null });
    },
    async isGuest(userId) {
      const [user] = await db.query(isGuest, { id: asUuid(userId) }, (row: { is_guest: boolean }) => row);
      return user?.is_guest ?? null;
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
          if (isInForce(locked.user.blocked, upgrade.now.getTime())) return { status: 'blocked' };
          if (identity && !hasStorableNames(identity)) return { status: 'identity_taken' };
          return { status: 'upgraded', user: await upgradeLocked(transaction, locked.user, upgrade) };
        });
      } catch (error) {
        const table = tableOfUniqueViolation(error);
        if (table === 'svc_users') return { status: 'email_taken' };
        if (table === 'svc_identities') return { status: 'identity_taken' };
        throw error;
      }
    },
    async listAbandoned({ createdBefore, after = lowestId, limit }) {
      const bindings = { createdBefore: asTimestamp(createdBefore), after: asUuid(after), limit };
      return db.query(listAbandoned, bindings, (row: { id: string }) => row.id);
    },
    async deleteAbandoned({ createdBefore, limit }) {
      const bindings = { createdBefore: asTimestamp(createdBefore), limit };
      return db.query(deleteAbandoned, bindings, (row: { id: string }) => row.id);
    },
    delete: (userId, within) =>
      db.transactionWithApplication(async (transaction, knexTransaction, leave) => {
        const locked = await lockUser(transaction, userId);
        if (!locked?.isGuest) return false;
        // No check for a last owner: a guest owns no organization.
        await lockOrgsOf(transaction, locked.user);
        leave();
        await within(knexTransaction, () => transactionState(knexTransaction));
        await deleteUserRows(transaction, locked.user);
        return true;
      }),
  };
}

/**
 * Writes the address before the identity, as in `identities.insertWithUser`, so that two
 * transactions that write both cannot deadlock.
 */
async function upgradeLocked(
  transaction: Queryable,
  guest: StoredUser,
  upgrade: GuestUpgrade,
): Promise<StoredUser> {
  const { userId, identity, email, emailVerified, passwordHash, metadata = {} } = upgrade;
  const bindings = {
    id: userId,
    email,
    emailVerified,
    passwordHash,
    metadata: asJsonb(mergeMetadata(guest.metadata, metadata)),
    roles: asRoles(upgrade.roles ?? guest.roles),
    now: asTimestamp(upgrade.now),
  };
  const [user] = await transaction.query(becomeUser, bindings, toUser);
  await transaction.execute(revokeSessions, bindings);
  if (identity) await transaction.execute(insertIdentity, identityBindings({ ...identity, userId }));
  return user as StoredUser;
}
