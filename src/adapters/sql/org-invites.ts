/** `svc_org_invites`: row, mapping, queries. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { digestOfRevoked, revokedPrefix, type PresentedInvite } from '../../domain/org-invite.js';
import type { OrgInvite, OrgRole } from '../../domain/org.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { epochMs, readOptionalTime, readTime, asText, asTimestamp, asUuid } from './bindings.js';
import type { Database } from './database.js';
import { oldestFirst, oldestFirstBindings } from './list-range.js';
import { lockOrg, shareUser, shareUsers } from './locks.js';
import { putMembership, roleOf } from './org-memberships.js';
import { orgColumns, toOrg, type OrgRow } from './org-rows.js';

interface InviteRow {
  id: string;
  org_id: string;
  email: string;
  role: OrgRole;
  invited_by_user_id: string | null;
  created_at_ms: string;
  expires_at_ms: string;
  accepted_at_ms: string | null;
}

function toInvite(row: InviteRow): OrgInvite {
  return {
    id: row.id,
    orgId: row.org_id,
    email: row.email,
    role: row.role,
    invitedByUserId: row.invited_by_user_id,
    createdAt: readTime(row.created_at_ms),
    expiresAt: readTime(row.expires_at_ms),
    acceptedAt: readOptionalTime(row.accepted_at_ms),
  };
}

interface PresentedRow extends InviteRow {
  inviter_role: OrgRole | null;
  inviter_unverified: boolean | null;
}

interface StateRow extends PresentedRow {
  member_role: OrgRole | null;
}

type DetailsRow = PresentedRow & OrgRow & { inviter_email: string | null };

function toPresented(row: PresentedRow): PresentedInvite {
  return {
    invite: toInvite(row),
    inviterRole: row.inviter_role,
    isInviterUnverified: row.inviter_unverified ?? false,
  };
}

const columns = `
  i.id, i.org_id, i.email, i.role, i.invited_by_user_id, ${epochMs('i.created_at')} as created_at_ms,
  ${epochMs('i.expires_at')} as expires_at_ms, ${epochMs('i.accepted_at')} as accepted_at_ms`;

// An invite is stored after its mail was sent. If the mail was slow, the invite must not replace a
// newer one.
const findNewer = `
  select id from svc_org_invites
  where org_id = :orgId and email = :email and created_at > :createdAt limit 1`;

// Replaces a pending invite to the same address, whose link becomes invalid.
const put = `
  insert into svc_org_invites (
    id, digest, org_id, email, role, invited_by_user_id, created_at, expires_at, accepted_at)
  values (:id, :digest, :orgId, :email, :role, :invitedByUserId, :createdAt, :expiresAt, :acceptedAt)
  on conflict (org_id, email) where accepted_at is null do update set
    id = excluded.id, digest = excluded.digest, role = excluded.role,
    invited_by_user_id = excluded.invited_by_user_id, created_at = excluded.created_at,
    expires_at = excluded.expires_at`;

const findOrg = `select org_id from svc_org_invites where digest = :digest`;

const inviterColumns = `
  inviter.role as inviter_role, u.email is not null and not u.email_verified as inviter_unverified`;

const joinedInviter = `
    left join svc_org_memberships inviter
      on inviter.org_id = i.org_id and inviter.user_id = i.invited_by_user_id
    left join svc_users u on u.id = i.invited_by_user_id`;

const readState = `
  select ${columns}, ${inviterColumns}, member.role as member_role
  from svc_org_invites i ${joinedInviter}
    left join svc_org_memberships member on member.org_id = i.org_id and member.user_id = :userId
  where i.digest = :digest and i.accepted_at is null`;

const findDetails = `
  select ${columns}, ${inviterColumns}, ${orgColumns}, case when u.email_verified then u.email end as inviter_email
  from svc_org_invites i join svc_orgs o on o.id = i.org_id ${joinedInviter}
  where i.digest = :digest`;

const markAccepted = `update svc_org_invites set accepted_at = :now where id = :id`;

// A revoked invite may expire in the future, if the clock that revoked it was ahead.
const isOpen = `
  i.accepted_at is null and i.expires_at > :now and i.digest not like '${revokedPrefix}%'`;

const pending = `i.org_id = :orgId and ${isOpen}`;

const findAllTo = `
  select ${columns}, ${inviterColumns} from svc_org_invites i ${joinedInviter}
  where i.email = :email and ${isOpen}`;

const listPending = `
  select ${columns} from svc_org_invites i where ${pending} ${oldestFirst('i.created_at', 'i.id')}`;

const findPending = `select ${columns} from svc_org_invites i where i.id = :id and ${pending}`;

const findPendingTo = `select ${columns} from svc_org_invites i where i.email = :email and ${pending}`;

const endInvite = `update svc_org_invites set digest = :digest, expires_at = :now where id = :id`;

const listOf = `
  select ${columns} from svc_org_invites i
  where i.invited_by_user_id = :userId or i.email = :email
  order by i.created_at, i.id`;

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
  return {
    insertInvite: (invite, digest, actor) =>
      db.transaction(async (transaction) => {
        const { email, invitedByUserId } = invite;
        assertCanonicalEmail(email);
        const lockedUser = await shareUsers(transaction, [invitedByUserId ?? undefined, actor?.userId]);
        if (invitedByUserId !== null && !lockedUser(invitedByUserId)) return 'no_inviter';
        if (!(await lockOrg(transaction, invite.orgId))) return 'no_org';
        const [orgId, createdAt] = [invite.orgId, asTimestamp(invite.createdAt)];
        if (actor) {
          const [replaced] = await transaction.query(
            findPendingTo,
            { orgId, email, now: createdAt },
            toInvite,
          );
          const acting = lockedUser(actor.userId)?.user ?? null;
          actor.decide(await roleOf(transaction, orgId, actor.userId), acting, replaced ?? null);
        }
        const newer = await transaction.query(findNewer, { orgId, email, createdAt }, (row) => row);
        if (newer.length > 0) return 'superseded';
        await transaction.execute(put, {
          id: asUuid(invite.id),
          digest: asText(digest),
          orgId,
          email,
          role: invite.role,
          invitedByUserId,
          createdAt,
          expiresAt: asTimestamp(invite.expiresAt),
          acceptedAt: invite.acceptedAt && asTimestamp(invite.acceptedAt),
        });
        return 'stored';
      }),
    acceptInvite: (digest, userId, now, decide) =>
      db.transaction(async (transaction) => {
        const accepting = await shareUser(transaction, userId);
        if (!accepting) return { status: 'no_user' };
        const bindings = { digest: asText(digest), userId };
        const toOrgId = (row: { org_id: string }) => row.org_id;
        const [orgId] = await transaction.query(findOrg, { digest: asText(digest) }, toOrgId);
        if (orgId === undefined || !(await lockOrg(transaction, orgId))) return { status: 'invalid' };
        // Read under the lock: neither the invite nor any role can change.
        const [row] = await transaction.query(readState, bindings, (each: StateRow) => each);
        if (!row) return { status: 'invalid' };
        const previousRole = row.member_role;
        const role = decide({ ...toPresented(row), user: accepting.user, currentRole: previousRole });
        await transaction.execute(markAccepted, { id: row.id, now: asTimestamp(now) });
        const membership = await putMembership(transaction, { orgId, userId, role, now });
        return { status: 'accepted', membership, previousRole };
      }),
    async findInvite(digest) {
      const [details] = await db.query(findDetails, { digest: asText(digest) }, (row: DetailsRow) => ({
        ...toPresented(row),
        org: toOrg(row),
        inviterEmail: row.inviter_email,
      }));
      return details ?? null;
    },
    async findPendingInvite(orgId, email, now) {
      const bindings = { orgId: asUuid(orgId), email: asText(email), now: asTimestamp(now) };
      const [invite] = await db.query(findPendingTo, bindings, toInvite);
      return invite ?? null;
    },
    async findInvitesTo(email, now) {
      return db.query(findAllTo, { email: asText(email), now: asTimestamp(now) }, toPresented);
    },
    async listPendingInvites(orgId, now, range) {
      const bindings = { orgId: asUuid(orgId), now: asTimestamp(now), ...oldestFirstBindings(range) };
      return db.query(listPending, bindings, toInvite);
    },
    revokeInvite: ({ orgId, inviteId, now }, actor) =>
      db.transaction(async (transaction) => {
        const acting = actor && (await shareUser(transaction, actor.userId));
        await lockOrg(transaction, orgId);
        const bindings = { id: asUuid(inviteId), orgId: asUuid(orgId), now: asTimestamp(now) };
        const [invite] = await transaction.query(findPending, bindings, toInvite);
        if (actor) {
          const role = await roleOf(transaction, orgId, actor.userId);
          actor.decide(role, acting?.user ?? null, invite ?? null);
        }
        if (!invite) return false;
        const { id } = invite;
        await transaction.execute(endInvite, { id, digest: digestOfRevoked(id), now: asTimestamp(now) });
        return true;
      }),
    async listInvitesOf({ userId, email }) {
      return db.query(
        listOf,
        { userId: asUuid(userId), email: email === null ? null : asText(email) },
        toInvite,
      );
    },
  };
}
