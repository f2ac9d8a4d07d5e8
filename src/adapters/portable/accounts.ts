/** Deletion of users with every row that names them, and lists for exports. */
import { phoneProvider } from '../../domain/identity.js';
import type { StoredUser } from '../../domain/user.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import { asUuid } from '../shared/bindings.js';
import { epochOf } from '../shared/lockdown-columns.js';
import type { Database, Queryable } from './database.js';
import { admit, hasEpoch, lockOrgsNaming, lockUser } from './locks.js';
import { orgsOnlyOwnedBy } from './org-memberships.js';
import { sessionColumns, toSession } from './sessions.js';

// Foreign keys delete with the user: sessions, identities, families, keys, passkeys, second
// factors, memberships, grants to clients, and the invites that the user sent.
const deleteMentions = [
  `delete from svc_single_use_tokens where subject in (:subjects*)`,
  `delete from svc_one_time_codes where subject in (:subjects*)`,
  `delete from svc_one_time_codes where purpose = 'phone_code' and subject in (
    select i.provider_account_id from svc_identities i where i.provider = '${phoneProvider}' and i.user_id = :id)`,
  `delete from svc_org_invites where email = :email`,
  `delete from svc_oauth_tokens where grant_id in (select g.id from svc_oauth_grants g where g.user_id = :id)`,
];

const deleteUserRow = `delete from svc_users where id = :id`;

const setLanguage = `
  update svc_users set language = :language, updated_at = :now where id = :id and ${epochOf('svc_users')} = :epoch`;

const listSessions = `
  select ${sessionColumns} from svc_sessions s where s.user_id = :userId order by s.created_at, s.id`;

export function accountQueries(db: Database): Omit<AccountRepository, 'changeEmail'> {
  return {
    deleteUser: (userId, within, epoch, by) =>
      db.transactionWith(within, async (transaction, callWithin) => {
        await admit(transaction, by, userId);
        const locked = await lockUser(transaction, userId);
        if (!locked) return { status: 'no_user' };
        if (!hasEpoch(locked, epoch)) return { status: 'epoch_moved' };
        await lockOrgsOf(transaction, locked.user);
        const [orgId] = await orgsOnlyOwnedBy(transaction, userId);
        if (orgId !== undefined) return { status: 'last_owner', orgId };
        await deleteLocked(transaction, locked.user, callWithin);
        return { status: 'deleted' };
      }),
    async setLanguage(userId, epoch, language, now) {
      return (await db.execute(setLanguage, { id: asUuid(userId), epoch, language, now })) === 1;
    },
    listSessions: (userId) => db.query(listSessions, { userId: asUuid(userId) }, toSession),
  };
}

/** Locks all organizations of the user: see locks.ts for the rows that an organization's lock protects. */
export async function lockOrgsOf(transaction: Queryable, user: StoredUser): Promise<void> {
  await lockOrgsNaming(transaction, user.id, provenEmail(user));
}

/**
 * Deletes the user and every row that names the user's id or verified address, and calls the application before the user's own row.
 * After the call the transaction does not run again, so one statement is left that can conflict with others. Requires the locks
 * of the user and the user's organizations.
 */
export async function deleteLocked(
  transaction: Queryable,
  user: StoredUser,
  callWithin: () => Promise<void>,
): Promise<void> {
  const { id } = user;
  const email = provenEmail(user);
  const bindings = { id, email, subjects: email === null ? [id] : [id, email] };
  for (const statement of deleteMentions) await transaction.execute(statement, bindings);
  await callWithin();
  await transaction.execute(deleteUserRow, { id });
}

/**
 * An address that was never proven may be someone else's, and so are the codes, links and invites
 * sent to it.
 */
function provenEmail({ email, emailVerified }: StoredUser): string | null {
  return emailVerified ? email : null;
}
