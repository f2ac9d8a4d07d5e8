/** `svc_org_invites`: row, mapping, queries. */
import type { OrgInvite, OrgRole } from '../../domain/org.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { digestOfRevoked, higherRole, inviteRefusal, revokedPrefix } from '../invite-rules.js';
import { label, text, time, uuid } from './bindings.js';
import type { Database } from './database.js';
import { lockOrg, shareUser } from './locks.js';
import { putMembership, roleOf } from './org-memberships.js';

interface InviteRow {
  id: string;
  org_id: string;
  email: string;
  role: OrgRole;
  invited_by_user_id: string | null;
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
}

function toInvite(row: InviteRow): OrgInvite {
  return {
    id: row.id,
    orgId: row.org_id,
    email: row.email,
    role: row.role,
    invitedByUserId: row.invited_by_user_id,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    acceptedAt: row.accepted_at && new Date(row.accepted_at),
  };
}

interface PresentedRow extends InviteRow {
  inviter_role: OrgRole | null;
  member_role: OrgRole | null;
}

const columns = `i.id, i.org_id, i.email, i.role, i.invited_by_user_id, i.created_at, i.expires_at, i.accepted_at`;

// An invite is stored after its mail has left: a slow mail must not bring back what somebody has replaced since.
const findNewer = `
  select id from svc_org_invites
  where org_id = :orgId and email = :email and created_at > :createdAt limit 1`;

// A pending invite to the same address becomes this one: its own link is dead from then on.
const put = `
  insert into svc_org_invites (
    id, digest, org_id, email, role, invited_by_user_id, created_at, expires_at, accepted_at)
  values (:id, :digest, :orgId, :email, :role, :invitedByUserId, :createdAt, :expiresAt, :acceptedAt)
  on conflict (org_id, email) where accepted_at is null do update set
    id = excluded.id, digest = excluded.digest, role = excluded.role,
    invited_by_user_id = excluded.invited_by_user_id, created_at = excluded.created_at,
    expires_at = excluded.expires_at`;

const findOrg = `select org_id from svc_org_invites where digest = :digest`;

const present = `
  select ${columns}, inviter.role as inviter_role, member.role as member_role
  from svc_org_invites i
    left join svc_org_memberships inviter
      on inviter.org_id = i.org_id and inviter.user_id = i.invited_by_user_id
    left join svc_org_memberships member on member.org_id = i.org_id and member.user_id = :userId
  where i.digest = :digest`;

const markAccepted = `update svc_org_invites set accepted_at = :now where id = :id and accepted_at is null`;

// The clock that ended a withdrawn one may have been ahead.
const pending = `
  i.org_id = :orgId and i.accepted_at is null and i.expires_at > :now and i.digest not like '${revokedPrefix}%'`;

const listPending = `select ${columns} from svc_org_invites i where ${pending} order by i.created_at, i.id`;

const findPending = `select ${columns} from svc_org_invites i where i.id = :id and ${pending}`;

const findPendingTo = `select ${columns} from svc_org_invites i where i.email = :email and ${pending}`;

const end = `update svc_org_invites set digest = :digest, expires_at = :now where id = :id`;

const listOf = `
  select ${columns} from svc_org_invites i
  where i.invited_by_user_id = :userId or i.email = :email
  order by i.created_at, i.id`;

type OrgInvites = Pick<
  OrgRepository,
  'insertInvite' | 'acceptInvite' | 'listPendingInvites' | 'revokeInvite' | 'listInvitesOf'
>;

export function orgInviteQueries(db: Database): OrgInvites {
  return {
    insertInvite: (invite, digest, actor) =>
      db.transaction(async (transaction) => {
        const { invitedByUserId } = invite;
        if (invitedByUserId !== null && !(await shareUser(transaction, invitedByUserId))) return 'no_inviter';
        if (!(await lockOrg(transaction, invite.orgId))) return 'no_org';
        // An address that no column can hold is nobody's, and so is what is kept of it.
        const email = label(invite.email);
        const [orgId, createdAt] = [invite.orgId, time(invite.createdAt)];
        if (actor) {
          const [replaced] = await transaction.query(
            findPendingTo,
            { orgId, email, now: createdAt },
            toInvite,
          );
          actor.decide(await roleOf(transaction, orgId, actor.userId), replaced ?? null);
        }
        const newer = await transaction.query(findNewer, { orgId, email, createdAt }, (row) => row);
        if (newer.length > 0) return 'superseded';
        await transaction.execute(put, {
          id: uuid(invite.id),
          digest: text(digest),
          orgId,
          email,
          role: invite.role,
          invitedByUserId,
          createdAt,
          expiresAt: time(invite.expiresAt),
          acceptedAt: invite.acceptedAt && time(invite.acceptedAt),
        });
        return 'stored';
      }),
    acceptInvite: (digest, userId, now) =>
      db.transaction(async (transaction) => {
        const accepting = await shareUser(transaction, userId);
        if (!accepting) return { status: 'no_user' };
        const toOrgId = (row: { org_id: string }) => row.org_id;
        const [orgId] = await transaction.query(findOrg, { digest: text(digest) }, toOrgId);
        if (orgId === undefined || !(await lockOrg(transaction, orgId))) return { status: 'invalid' };
        // Read again, now that nobody else can accept it or change a role.
        const [row] = await transaction.query(present, { digest, userId }, (found: PresentedRow) => found);
        if (!row) return { status: 'invalid' };
        const refusal = inviteRefusal(toInvite(row), row.inviter_role, accepting.user, now);
        if (refusal) return { status: refusal };
        if ((await transaction.execute(markAccepted, { id: row.id, now: time(now) })) === 0) {
          return { status: 'invalid' };
        }
        const role = higherRole(row.member_role, row.role);
        const membership = await putMembership(transaction, { orgId, userId, role, now });
        return { status: 'accepted', membership, previousRole: row.member_role };
      }),
    async listPendingInvites(orgId, now) {
      return db.query(listPending, { orgId: uuid(orgId), now: time(now) }, toInvite);
    },
    revokeInvite: ({ orgId, inviteId, now }, actor) =>
      db.transaction(async (transaction) => {
        await lockOrg(transaction, orgId);
        const bindings = { id: uuid(inviteId), orgId: uuid(orgId), now: time(now) };
        const [invite] = await transaction.query(findPending, bindings, toInvite);
        actor?.decide(await roleOf(transaction, orgId, actor.userId), invite ?? null);
        if (!invite) return false;
        const { id } = invite;
        await transaction.execute(end, { id, digest: digestOfRevoked(id), now: time(now) });
        return true;
      }),
    async listInvitesOf({ userId, email }) {
      return db.query(listOf, { userId: uuid(userId), email: email === null ? null : text(email) }, toInvite);
    },
  };
}
