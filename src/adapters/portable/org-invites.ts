/** `svc_org_invites`: row, mapping, queries. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { digestOfRevoked, revokedPrefix, type PresentedInvite } from '../../domain/org-invite.js';
import type { OrgInvite, OrgRole } from '../../domain/org.js';
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { asText, asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { oldestFirst } from './list-range.js';
import { lockOrg, shareUser, shareUsers } from './locks.js';
import { putMembership, roleOf } from './org-memberships.js';
import { orgColumns, toOrg } from './org-rows.js';
import { invites } from './records.js';
import { columnsOf, readerOf, valuesOf, type Row } from './tables.js';
import { toOptionalUser, userColumns } from './users.js';

const columns = columnsOf(invites, 'i');
const readInvite = readerOf(invites, 'i');

function toInvite(row: Row): OrgInvite {
  const { digest: _, ...invite } = readInvite(row);
  return invite;
}

// The inviter's membership and user, which may not exist.
const inviterColumns = `inviter.role as inviter_role, ${userColumns}`;

const joinedInviter = `
  left join svc_org_memberships inviter on inviter.org_id = i.org_id and inviter.user_id = i.invited_by_user_id
  left join svc_users u on u.id = i.invited_by_user_id`;

function toPresented(row: Row): PresentedInvite {
  const inviter = toOptionalUser(row);
  return {
    invite: toInvite(row),
    inviterRole: row['inviter_role'] as OrgRole | null,
    isInviterUnverified: inviter !== null && hasUnverifiedAddress(inviter),
  };
}

const findPresented = `
  select ${columns}, ${inviterColumns} from svc_org_invites i ${joinedInviter}
  where i.digest = :digest and i.accepted_at is null`;

const findDetails = `
  select ${columns}, ${inviterColumns}, ${orgColumns}
  from svc_org_invites i join svc_orgs o on o.id = i.org_id ${joinedInviter} where i.digest = :digest`;

const findOrg = `select org_id from svc_org_invites where digest = :digest`;

const ofAddress = `i.org_id = :orgId and i.email = :email`;

// A revoked invite may expire in the future, if the clock that revoked it was ahead.
const isOpen = `i.accepted_at is null and i.expires_at > :now and i.digest not like '${revokedPrefix}%'`;

const findPendingTo = `select ${columns} from svc_org_invites i where ${ofAddress} and ${isOpen}`;

const findPending = `select ${columns} from svc_org_invites i where i.id = :id and i.org_id = :orgId and ${isOpen}`;

const listPending = `select ${columns} from svc_org_invites i where i.org_id = :orgId and ${isOpen}`;

const listTo = `
  select ${columns}, ${inviterColumns} from svc_org_invites i ${joinedInviter} where i.email = :email and ${isOpen}`;

// An invite is stored after its mail was sent. If the mail was slow, the invite must not replace a
// newer one.
const findNewer = `select 1 as newer from svc_org_invites i where ${ofAddress} and i.created_at > :createdAt`;

const removeReplaced = `
  delete from svc_org_invites where org_id = :orgId and email = :email and accepted_at is null`;

const markAccepted = `update svc_org_invites set accepted_at = :now where id = :id`;

const endInvite = `update svc_org_invites set digest = :digest, expires_at = :now where id = :id`;

const listOf = `
  select ${columns} from svc_org_invites i
  where i.invited_by_user_id = :userId or i.email = :email order by i.created_at, i.id`;

type OrgInvites = Pick<
  OrgRepository,
  | 'insertInvite'
  | 'acceptInvite'
  | 'findInvite'
  | 'findPendingInvite'
  | 'findInvitesTo'
  | 'listPendingInvites'
  | 'revokeInvite'
  | 'listInvitesOf'
>;

export function orgInviteQueries(db: Database): OrgInvites {
  const pendingTo = (on: Queryable, orgId: string, email: string, now: Date) =>
    on.find(findPendingTo, { orgId: asUuid(orgId), email: asText(email), now }, toInvite);
  return {
    insertInvite: (invite, digest, actor) =>
      db.transaction(async (transaction) => {
        const { orgId, email, invitedByUserId, createdAt } = invite;
        assertCanonicalEmail(email);
        const locked = await shareUsers(transaction, [invitedByUserId, actor?.userId]);
        if (invitedByUserId !== null && !locked(invitedByUserId)) return 'no_inviter';
        if (!(await lockOrg(transaction, orgId))) return 'no_org';
        if (actor) {
          const pending = await pendingTo(transaction, orgId, email, createdAt);
          const role = await roleOf(transaction, orgId, actor.userId);
          actor.decide(role, locked(actor.userId)?.user ?? null, pending);
        }
        const address = { orgId, email };
        if (await transaction.find(findNewer, { ...address, createdAt }, () => true)) return 'superseded';
        await transaction.execute(removeReplaced, address);
        const values = valuesOf(invites, { ...invite, digest });
        await transaction.execute(invites.insertion, {
          ...values,
          id: asUuid(invite.id),
          digest: asText(digest),
        });
        return 'stored';
      }),
    acceptInvite: (digest, userId, now, decide) =>
      db.transaction(async (transaction) => {
        const accepting = await shareUser(transaction, userId);
        if (!accepting) return { status: 'no_user' };
        const key = { digest: asText(digest) };
        const orgId = await transaction.find(findOrg, key, (row) => row['org_id'] as string);
        if (orgId === null || !(await lockOrg(transaction, orgId))) return { status: 'invalid' };
        // Read under the lock: neither the invite nor any role can change.
        const presented = await transaction.find(findPresented, key, toPresented);
        if (!presented) return { status: 'invalid' };
        const previousRole = await roleOf(transaction, orgId, userId);
        const role = decide({ ...presented, user: accepting.user, currentRole: previousRole });
        await transaction.execute(markAccepted, { id: presented.invite.id, now });
        const membership = await putMembership(transaction, { orgId, userId, role, now });
        return { status: 'accepted', membership, previousRole };
      }),
    findInvite: (digest) =>
      db.find(findDetails, { digest: asText(digest) }, (row) => {
        const inviter = toOptionalUser(row);
        const inviterEmail = inviter?.emailVerified ? inviter.email : null;
        return { ...toPresented(row), org: toOrg(row), inviterEmail };
      }),
    findPendingInvite: (orgId, email, now) => pendingTo(db, orgId, email, now),
    findInvitesTo: (email, now) => db.query(listTo, { email: asText(email), now }, toPresented),
    async listPendingInvites(orgId, now, range) {
      const { sql, bindings } = oldestFirst('i.created_at', 'i.id', range);
      return db.query(`${listPending} ${sql}`, { orgId: asUuid(orgId), now, ...bindings }, toInvite);
    },
    revokeInvite: ({ orgId, inviteId, now }, actor) =>
      db.transaction(async (transaction) => {
        const acting = actor && (await shareUser(transaction, actor.userId));
        await lockOrg(transaction, orgId);
        const key = { id: asUuid(inviteId), orgId: asUuid(orgId), now };
        const invite = await transaction.find(findPending, key, toInvite);
        actor?.decide(await roleOf(transaction, orgId, actor.userId), acting?.user ?? null, invite);
        if (!invite) return false;
        const { id } = invite;
        await transaction.execute(endInvite, { id, digest: digestOfRevoked(id), now });
        return true;
      }),
    listInvitesOf: ({ userId, email }) =>
      db.query(listOf, { userId: asUuid(userId), email: email === null ? null : asText(email) }, toInvite),
  };
}
