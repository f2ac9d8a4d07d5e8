/** Deletion of users with every row that names them, and lists for exports. */
import { phoneProvider } from '../../domain/identity.js';
import type { StoredUser } from '../../domain/user.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import { asTimestamp, asUuid } from './bindings.js';
import { transactionState, type Database, type Queryable } from './database.js';
import { admit, hasEpoch, lockOrgsNaming, lockUser } from './locks.js';
import { sessionColumns, toSession } from './sessions.js';

const findOrgOfLastOwner = `
  select m.org_id from svc_org_memberships m
  where m.user_id = :userId and m.role = 'owner' and not exists (
    select from svc_org_memberships other
    where other.org_id = m.org_id and other.role = 'owner' and other.user_id <> m.user_id)
  order by m.org_id limit 1`;

// Foreign keys delete with the user: sessions, identities, families, keys, passkeys, second
// factors, memberships, and the invites that the user sent.
const deleteRows = `
  with deleted_tokens as (delete from svc_single_use_tokens where subject = any(cast(:subjects as text[]))),
    deleted_codes as (
      delete from svc_one_time_codes
      where subject = any(cast(:subjects as text[])) or (purpose = 'phone_code' and subject in (
        select provider_account_id from svc_identities
        where provider = '${phoneProvider}' and user_id = :id))),
    deleted_invites as (delete from svc_org_invites where email = :email)
  delete from svc_users where id = :id`;

// With `updated_at`, for which a trigger announces the change (migrations/0008-session-changes.ts).
const setLanguage = `
  update svc_users set language = :language, updated_at = :now where id = :userId and epoch = :epoch`;

const listSessions = `
  select ${sessionColumns} from svc_sessions s where s.user_id = :userId order by s.created_at, s.id`;

export function accountQueries(db: Database): Omit<AccountRepository, 'changeEmail'> {
  return {
    deleteUser: (userId, within, epoch, by) =>
      db.transactionWithApplication(async (transaction, knexTransaction, leave) => {
        await admit(transaction, by, userId);
        const locked = await lockUser(transaction, userId);
        if (!locked) return { status: 'no_user' };
        if (!hasEpoch(locked, epoch)) return { status: 'epoch_moved' };
        await lockOrgsOf(transaction, locked.user);
        const toOrgId = (row: { org_id: string }) => row.org_id;
        const [orgId] = await transaction.query(findOrgOfLastOwner, { userId }, toOrgId);
        if (orgId !== undefined) return { status: 'last_owner', orgId };
        leave();
        await within(knexTransaction, () => transactionState(knexTransaction));
        await deleteUserRows(transaction, locked.user);
        return { status: 'deleted' };
      }),
    async setLanguage(userId, epoch, language, now) {
      const bindings = { userId: asUuid(userId), epoch, language, now: asTimestamp(now) };
      return (await db.execute(setLanguage, bindings)) === 1;
    },
    async listSessions(userId) {
      return db.query(listSessions, { userId: asUuid(userId) }, toSession);
    },
  };
}

/**
 * Locks all organizations of the user, not only those that the user owns: see locks.ts for the rows
 * that an organization's lock protects.
 */
export async function lockOrgsOf(transaction: Queryable, user: StoredUser): Promise<void> {
  await lockOrgsNaming(transaction, user.id, provenEmail(user));
}

/**
 * Deletes the user and every row that names the user's id or verified address. Requires the locks
 * of the user and the user's organizations.
 */
export async function deleteUserRows(transaction: Queryable, user: StoredUser): Promise<void> {
  const { id } = user;
  const email = provenEmail(user);
  const subjects = email === null ? [id] : [id, email];
  await transaction.execute(deleteRows, { id, email, subjects });
}

/**
 * An address that was never proven may be someone else's, and so are the codes, links and invites
 * sent to it.
 */
function provenEmail({ email, emailVerified }: StoredUser): string | null {
  return emailVerified ? email : null;
}
