/** `svc_org_memberships`: row, mapping, queries. */
import type { MembershipState, OrgMembership, OrgRole } from '../../domain/org.js';
import type { MemberChange, OrgRepository } from '../../storage/org-repository.js';
import { time, uuid } from './bindings.js';
import type { Database, Queryable } from './database.js';
import { lockOrg, shareUser } from './locks.js';

interface MembershipRow {
  org_id: string;
  user_id: string;
  role: OrgRole;
  created_at: Date;
}

function toMembership(row: MembershipRow): OrgMembership {
  return {
    orgId: row.org_id,
    userId: row.user_id,
    role: row.role,
    createdAt: new Date(row.created_at),
  };
}

interface RolesRow {
  target_role: OrgRole | null;
  acting_role: OrgRole | null;
  owners: number;
}

const columns = `org_id, user_id, role, created_at`;

const findRole = `select role from svc_org_memberships where org_id = :orgId and user_id = :userId`;

const listMembers = `
  select ${columns} from svc_org_memberships where org_id = :orgId order by created_at, user_id`;

const listForUser = `
  select ${columns} from svc_org_memberships where user_id = :userId order by created_at, org_id`;

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

type OrgMemberships = Pick<OrgRepository, 'roleOf' | 'listMembers' | 'listForUser' | 'changeMember'>;

export function orgMembershipQueries(db: Database): OrgMemberships {
  return {
    roleOf: (orgId, userId) => roleOf(db, orgId, userId),
    async listMembers(orgId) {
      return db.query(listMembers, { orgId: uuid(orgId) }, toMembership);
    },
    async listForUser(userId) {
      return db.query(listForUser, { userId: uuid(userId) }, toMembership);
    },
    changeMember: (change, decide) =>
      db.transaction(async (transaction) => {
        // In this order (locks.ts), although the organisation is what the change is about.
        const member = await shareUser(transaction, change.userId);
        if (!(await lockOrg(transaction, change.orgId))) return 'no_org';
        if (!member) return 'no_user';
        const state = await stateOf(transaction, change, member.isGuest);
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

/** Under the organisation's lock it stays what it is. */
export async function roleOf(db: Queryable, orgId: string, userId: string): Promise<OrgRole | null> {
  const bindings = { orgId: uuid(orgId), userId: uuid(userId) };
  const [role] = await db.query(findRole, bindings, (row: MembershipRow) => row.role);
  return role ?? null;
}

/** Adds the member, or gives an existing one the role. Under the locks of the user and the organisation. */
export async function putMembership(
  transaction: Queryable,
  { orgId, userId, role, now }: { orgId: string; userId: string; role: OrgRole; now: Date },
): Promise<OrgMembership> {
  const [membership] = await transaction.query(put, { orgId, userId, role, now: time(now) }, toMembership);
  return membership as OrgMembership;
}

async function stateOf(
  transaction: Queryable,
  { orgId, userId, actingUserId }: MemberChange,
  isGuest: boolean,
): Promise<MembershipState> {
  const bindings = { orgId, userId, actingUserId: uuid(actingUserId ?? '') };
  const [roles] = await transaction.query(readRoles, bindings, (row: RolesRow) => row);
  return {
    current: roles?.target_role ?? null,
    acting: actingUserId === undefined ? undefined : (roles?.acting_role ?? null),
    isSelf: actingUserId === userId,
    owners: roles?.owners ?? 0,
    isGuest,
  };
}
