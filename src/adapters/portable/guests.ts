/** Guests: rows of `svc_users` with `is_guest`. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { mergeMetadata } from '../../domain/metadata.js';
import { isInForce } from '../../domain/user-block.js';
import type { GuestRepository, GuestUpgrade, GuestUpgradeOutcome } from '../../storage/pro-repositories.js';
import { asUuid } from '../shared/bindings.js';
import { deleteLocked, lockOrgsOf } from './accounts.js';
import type { Database, Queryable } from './database.js';
import { hasStorableNames, insertIdentity } from './identities.js';
import { limitOf, lowestId } from './list-range.js';
import { hasEpoch, lockUser } from './locks.js';
import { endSessions, executeAll, secondFactor } from './revocations.js';
import type { Row } from './tables.js';
import { insertUser, updateUser } from './users.js';

const isGuest = `select is_guest from svc_users where id = :id`;

const tokensOf = `delete from svc_single_use_tokens where subject = :id`;

const abandoned = `select id from svc_users where is_guest = :yes and created_at <= :createdBefore and id > :after`;

// Members and inviters require the locks of their organizations and are deleted one by one.
const deletable = `
  select u.id as id from svc_users u
  where u.is_guest = :yes and u.created_at <= :createdBefore
    and not exists (select 1 from svc_org_memberships m where m.user_id = u.id)
    and not exists (select 1 from svc_org_invites i where i.invited_by_user_id = u.id)
  order by u.created_at`;

// Never waits, so that the lock order of locks.ts allows many users in one transaction.
const lockFree = `select u.id as id from svc_users u where u.id in (:ids*) and u.is_guest = :yes {skip}`;

const findBusy = `
  select user_id as id from svc_org_memberships where user_id in (:ids*)
  union select invited_by_user_id from svc_org_invites where invited_by_user_id in (:ids*)`;

const deleteAll = [
  `delete from svc_single_use_tokens where subject in (:ids*)`,
  `delete from svc_one_time_codes where subject in (:ids*)`,
  `delete from svc_users where id in (:ids*)`,
];

const toId = (row: Row) => row['id'] as string;

export function guestQueries(db: Database): GuestRepository {
  return {
    async insert(user) {
      await insertUser(db, { ...user, email: null }, { isGuest: true });
    },
    isGuest: (userId) => db.find(isGuest, { id: asUuid(userId) }, (row) => Number(row['is_guest']) === 1),
    async upgrade(upgrade) {
      assertCanonicalEmail(upgrade.email);
      try {
        return await db.transaction((transaction) => upgradeGuest(transaction, upgrade));
      } catch (error) {
        const key = db.violatedKey(error);
        if (key === 'svc_users_email') return { status: 'email_taken' };
        if (key === 'svc_identities_provider_provider_account_id') return { status: 'identity_taken' };
        throw error;
      }
    },
    async listAbandoned({ createdBefore, after = lowestId, limit }) {
      const bindings = { yes: true, createdBefore, after: asUuid(after) };
      return db.query(`${abandoned} order by id ${limitOf(limit)}`, bindings, toId);
    },
    deleteAbandoned: ({ createdBefore, limit }) =>
      db.transaction(async (transaction) => {
        const bindings = { yes: true, createdBefore };
        const ids = await transaction.query(`${deletable} ${limitOf(limit)}`, bindings, toId);
        const locked = await transaction.query(lockFree, { ids, yes: true }, toId);
        // Read again under the lock.
        const busy = new Set(await transaction.query(findBusy, { ids: locked }, toId));
        const deleted = locked.filter((id) => !busy.has(id));
        for (const statement of deleteAll) await transaction.execute(statement, { ids: deleted });
        return deleted;
      }),
    delete: (userId, within) =>
      db.transactionWith(within, async (transaction, callWithin) => {
        const locked = await lockUser(transaction, userId);
        if (!locked?.isGuest) return false;
        // No check for a last owner: a guest owns no organization.
        await lockOrgsOf(transaction, locked.user);
        await deleteLocked(transaction, locked.user, callWithin);
        return true;
      }),
  };
}

async function upgradeGuest(
  transaction: Queryable,
  { userId, epoch, identity, email, emailVerified, passwordHash, metadata, roles, now }: GuestUpgrade,
): Promise<GuestUpgradeOutcome> {
  const locked = await lockUser(transaction, userId);
  if (!locked) return { status: 'no_user' };
  if (!locked.isGuest) return { status: 'not_a_guest' };
  if (!hasEpoch(locked, epoch)) return { status: 'epoch_moved' };
  const { user } = locked;
  if (isInForce(user.blocked, now.getTime())) return { status: 'blocked' };
  if (identity && !hasStorableNames(identity)) return { status: 'identity_taken' };
  // The address before the identity, as in `identities.insertWithUser`.
  await updateUser(transaction, userId, { isGuest: false, email });
  if (identity) await insertIdentity(transaction, { ...identity, userId });
  // Guests cannot add passkeys or second factors. This is a second safeguard: another user of the
  // guest's device must not keep a credential of the account, or a challenge that would create one.
  await executeAll(transaction, [...secondFactor, tokensOf], userId);
  const changed = await endSessions(transaction, user, now, {
    email,
    emailVerified,
    passwordHash,
    totpEnabled: false,
    metadata: mergeMetadata(user.metadata, metadata ?? {}),
    roles: [...(roles ?? user.roles)],
    updatedAt: now,
  });
  return { status: 'upgraded', user: changed };
}
