/** Deletion of users with everything that names them, and what only an export asks for. */
import { phoneProvider } from '../../domain/identity.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import { time, uuid } from './bindings.js';
import type { Database } from './database.js';
import { lockOrgsNaming, lockUser } from './locks.js';
import { sessionColumns, toSession } from './sessions.js';

const findOrgOfLastOwner = `
  select m.org_id from svc_org_memberships m
  where m.user_id = :userId and m.role = 'owner' and not exists (
    select from svc_org_memberships other
    where other.org_id = m.org_id and other.role = 'owner' and other.user_id <> m.user_id)
  order by m.org_id limit 1`;

// By foreign key the user takes along: sessions, identities, families, keys, passkeys, second factors, memberships, invites that
// they sent.
const deleteRows = `
  with gone_tokens as (delete from svc_single_use_tokens where subject = any(cast(:subjects as text[]))),
    gone_codes as (
      delete from svc_one_time_codes
      where subject = any(cast(:subjects as text[])) or (purpose = 'phone_code' and subject in (
        select provider_account_id from svc_identities
        where provider = '${phoneProvider}' and user_id = any(cast(:ids as uuid[]))))),
    gone_invites as (delete from svc_org_invites where email = any(cast(:emails as text[])))
  delete from svc_users where id = any(cast(:ids as uuid[]))`;

const abandonedGuests = `
  select id from svc_users where is_guest and created_at <= :createdBefore
  limit :batch for update skip locked`;

const listSessions = `
  select ${sessionColumns} from svc_sessions s where s.user_id = :userId order by s.created_at, s.id`;

export function accountQueries(db: Database): AccountRepository {
  return {
    deleteUser: (userId, within) =>
      db.transaction(async (transaction, knexTransaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked) return { status: 'no_user' };
        const ids = [locked.user.id];
        const { email, emailVerified } = locked.user;
        // An address that was never proven may be somebody else's, and so are the invites to it.
        const emails = email !== null && emailVerified ? [email] : [];
        // All of them, not only those that the user owns: see locks.ts on what is written under an organisation's lock.
        await lockOrgsNaming(transaction, ids, emails);
        const toOrgId = (row: { org_id: string }) => row.org_id;
        const [orgId] = await transaction.query(findOrgOfLastOwner, { userId }, toOrgId);
        if (orgId !== undefined) return { status: 'last_owner', orgId };
        await within(knexTransaction);
        await transaction.execute(deleteRows, {
          ids,
          emails,
          subjects: email === null ? ids : [...ids, email],
        });
        return { status: 'deleted' };
      }),
    async listSessions(userId) {
      return db.query(listSessions, { userId: uuid(userId) }, toSession);
    },
  };
}

/** Deletes at most `batch` guests that were made then or earlier; their number. A guest owns no organisation. */
export function deleteGuests(db: Database, createdBefore: Date, batch: number): Promise<number> {
  return db.transaction(async (transaction) => {
    const bindings = { createdBefore: time(createdBefore), batch };
    const ids = await transaction.query(abandonedGuests, bindings, (row: { id: string }) => row.id);
    if (ids.length === 0) return 0;
    await lockOrgsNaming(transaction, ids, []);
    return transaction.execute(deleteRows, { ids, emails: [], subjects: ids });
  });
}
