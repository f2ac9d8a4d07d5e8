/** `svc_org_memberships`: row, mapping, queries. */
import type { MembershipState, OrgMembership, OrgRole } from '../../domain/org.js';
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { MemberChange, OrgRepository, OrgWithMembership } from '../../storage/org-repository.js';
import { epochMs, readTime, asText, asTimestamp, asUuid } from './bindings.js';
import type { Database, Queryable } from './database.js';
import { oldestFirst, oldestFirstBindings } from './list-range.js';
import { lockOrg, shareUsers, type LockedUser } from './locks.js';
import { orgColumns, toOrg, type OrgRow } from './org-rows.js';

interface MembershipRow {
  org_id: string;
  user_id: string;
  role: OrgRole;
  created_at_ms: string;
}

function toMembership(row: MembershipRow): OrgMembership {
  return {
    orgId: row.org_id,
    userId: row.user_id,
    role: row.role,
    createdAt: readTime(row.created_at_ms),
  };
}

function toOrgWithMembership(row: MembershipRow & OrgRow): OrgWithMembership {
  return { org: toOrg(row), membership: toMembership(row) };
}

interface RolesRow {
  target_role: OrgRole | null;
  acting_role: OrgRole | null;
  owners: number;
}

const columns = `org_id, user_id, role, ${epochMs('created_at')} as created_at_ms`;

/** The columns of `svc_org_memberships as m`, for joins. */
const joinedColumns = `m.org_id, m.user_id, m.role, ${epochMs('m.created_at')} as created_at_ms`;

const findRole = `select role from svc_org_memberships where org_id = :orgId and user_id = :userId`;

const listMembers = `
  select ${columns} from svc_org_memberships
  where org_id = :orgId ${oldestFirst('created_at', 'user_id')}`;

const listMembersWithAddresses = `
  select ${joinedColumns}, case when u.email_verified then u.email end as email
  from svc_org_memberships m join svc_users u on u.id = m.user_id
  where m.org_id = :orgId ${oldestFirst('m.created_at', 'm.user_id')}`;

const listForUser = `
  select ${columns} from svc_org_memberships
  where user_id = :userId ${oldestFirst('created_at', 'org_id')}`;

const listForUserWithOrgs = `
  select ${joinedColumns}, ${orgColumns}
  from svc_org_memberships m join svc_orgs o on o.id = m.org_id
  where m.user_id = :userId ${oldestFirst('m.created_at', 'm.org_id')}`;

const findForMember = `
  select ${joinedColumns}, ${orgColumns}
  from svc_orgs o join svc_org_memberships m on m.org_id = o.id and m.user_id = :userId
  where o.id = :id or o.slug = :slug`;

const readRoles = `
  select
    (select role from svc_org_memberships where org_id = :orgId and user_id = :userId) as target_role,
    (select role from svc_org_memberships where org_id = :orgId and user_id = :actingUserId) as acting_role,
    (select cast(count(*) as integer) from svc_org_memberships
      where org_id = :orgId and role = 'owner') as owners`;

const put = `
  insert into svc_org_memberships (org_id, user_id, role, created_at) values (:orgId, :userId, :role, :now)
  on conflict (org_id, user_id) do update set role = excluded.role
  returning ${columns}`;

const remove = `delete from svc_org_memberships where org_id = :orgId and user_id = :userId`;

type OrgMemberships = Pick<
  OrgRepository,
  | 'roleOf'
  | 'findForMember'
  | 'listMembers'
  | 'listMembersWithAddresses'
  | 'listForUser'
  | 'listForUserWithOrgs'
  | 'changeMember'
>;

export function orgMembershipQueries(db: Database): OrgMemberships {
  return {
    roleOf: (orgId, userId) => roleOf(db, orgId, userId),
    async findForMember(idOrSlug, userId) {
      const bindings = { id: asUuid(idOrSlug), slug: asText(idOrSlug), userId: asUuid(userId) };
      const [orgWithMembership] = await db.query(findForMember, bindings, toOrgWithMembership);
      return orgWithMembership ?? null;
    },
    async listMembers(orgId, range) {
      const bindings = { orgId: asUuid(orgId), ...oldestFirstBindings(range) };
      return db.query(listMembers, bindings, toMembership);
    },
    async listMembersWithAddresses(orgId, range) {
      const bindings = { orgId: asUuid(orgId), ...oldestFirstBindings(range) };
      return db.query(
        listMembersWithAddresses,
        bindings,
        (row: MembershipRow & { email: string | null }) => ({ ...toMembership(row), email: row.email }),
      );
    },
    async listForUser(userId, range) {
      const bindings = { userId: asUuid(userId), ...oldestFirstBindings(range) };
      return db.query(listForUser, bindings, toMembership);
    },
    async listForUserWithOrgs(userId, range) {
      const bindings = { userId: asUuid(userId), ...oldestFirstBindings(range) };
      return db.query(listForUserWithOrgs, bindings, toOrgWithMembership);
    },
    changeMember: (change, decide) =>
      db.transaction(async (transaction) => {
        // Locked before the organization (locks.ts). The lock on the acting user makes a call that
        // ends their sessions wait.
        const { userId, actingUserId, by } = change;
        const lockedUser = await shareUsers(transaction, [userId, actingUserId, by?.userId]);
        by?.decide(lockedUser(by.userId)?.user ?? null);
        const member = lockedUser(change.userId);
        if (!(await lockOrg(transaction, change.orgId))) return 'no_org';
        if (!member) return 'no_user';
        const state = await stateOf(transaction, change, member, lockedUser(change.actingUserId));
        const previousRole = state.current;
        const role = decide(state);
        if (role !== null) {
          return { membership: await putMembership(transaction, { ...change, role }), previousRole };
        }
        await transaction.execute(remove, { orgId: change.orgId, userId: change.userId });
        return { membership: null, previousRole };
      }),
  };
}

/** Under the organization's lock the role does not change. */
export async function roleOf(db: Queryable, orgId: string, userId: string): Promise<OrgRole | null> {
  const bindings = { orgId: asUuid(orgId), userId: asUuid(userId) };
  const [role] = await db.query(findRole, bindings, (row: MembershipRow) => row.role);
  return role ?? null;
}

/**
 * Adds a member, or sets the role of an existing member. Requires the locks of the user and the
 * organization.
 */
export async function putMembership(
  transaction: Queryable,
  { orgId, userId, role, now }: { orgId: string; userId: string; role: OrgRole; now: Date },
): Promise<OrgMembership> {
  const [membership] = await transaction.query(
    put,
    { orgId, userId, role, now: asTimestamp(now) },
    toMembership,
  );
  return membership as OrgMembership;
}

async function stateOf(
  transaction: Queryable,
  { orgId, userId, actingUserId }: MemberChange,
  { isGuest }: LockedUser,
  acting: LockedUser | null,
): Promise<MembershipState> {
  const bindings = { orgId, userId, actingUserId: asUuid(actingUserId ?? '') };
  const [roles] = await transaction.query(readRoles, bindings, (row: RolesRow) => row);
  return {
    current: roles?.target_role ?? null,
    acting: actingUserId === undefined ? undefined : (roles?.acting_role ?? null),
    isSelf: actingUserId === userId,
    owners: roles?.owners ?? 0,
    isGuest,
    isActingUnverified: acting !== null && hasUnverifiedAddress(acting.user),
    actingEpoch: acting?.user.epoch ?? null,
  };
}
