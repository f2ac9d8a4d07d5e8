/** `svc_org_memberships`: row, mapping, queries. */
import type { MembershipState, OrgMembership, OrgRole } from '../../domain/org.js';
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { ListRange } from '../../storage/list-range.js';
import type { MemberChange, OrgRepository, OrgWithMembership } from '../../storage/org-repository.js';
import { asText, asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { oldestFirst } from './list-range.js';
import { lockOrg, shareUsers, type LockedUser } from './locks.js';
import { orgColumns, toOrg } from './org-rows.js';
import { memberships } from './records.js';
import { columnsOf, readerOf, valuesOf, type Row } from './tables.js';

const columns = columnsOf(memberships, 'm');
const toMembership = readerOf(memberships, 'm');

const find = `select ${columns} from svc_org_memberships m where m.org_id = :orgId and m.user_id = :userId`;

const listMembers = `select ${columns} from svc_org_memberships m where m.org_id = :id`;

const listMembersWithUsers = `
  select ${columns}, case when u.email_verified = :yes then u.email end as email, {asJson u.metadata} as metadata
  from svc_org_memberships m join svc_users u on u.id = m.user_id where m.org_id = :id`;

const listForUser = `select ${columns} from svc_org_memberships m where m.user_id = :id`;

const listForUserWithOrgs = `
  select ${columns}, ${orgColumns} from svc_org_memberships m join svc_orgs o on o.id = m.org_id where m.user_id = :id`;

const findForMember = `
  select ${columns}, ${orgColumns}
  from svc_orgs o join svc_org_memberships m on m.org_id = o.id and m.user_id = :userId
  where o.id = :id or o.slug = :slug
  order by case when o.id = :id then 0 else 1 end`;

const listOnlyOwned = `
  select m.org_id as org_id from svc_org_memberships m
  where m.user_id = :userId and m.role = 'owner' and not exists (
    select 1 from svc_org_memberships other
    where other.org_id = m.org_id and other.role = 'owner' and other.user_id <> m.user_id)
  order by m.org_id`;

const countOwners = `select count(*) as owners from svc_org_memberships where org_id = :orgId and role = 'owner'`;

const setRole = `update svc_org_memberships set role = :role where org_id = :orgId and user_id = :userId`;

const remove = `delete from svc_org_memberships where org_id = :orgId and user_id = :userId`;

type OrgMemberships = Pick<
  OrgRepository,
  | 'roleOf'
  | 'findForMember'
  | 'listMembers'
  | 'listMembersWithUsers'
  | 'listOnlyOwned'
  | 'listForUser'
  | 'listForUserWithOrgs'
  | 'changeMember'
>;

const toOrgWithMembership = (row: Row): OrgWithMembership => ({
  org: toOrg(row),
  membership: toMembership(row),
});

export function orgMembershipQueries(db: Database): OrgMemberships {
  function list<Result>(
    statement: string,
    id: string,
    otherId: 'm.user_id' | 'm.org_id',
    range: ListRange | undefined,
    map: (row: Row) => Result,
  ): Promise<Result[]> {
    const { sql, bindings } = oldestFirst('m.created_at', otherId, range);
    return db.query(`${statement} ${sql}`, { id: asUuid(id), yes: true, ...bindings }, map);
  }
  return {
    roleOf: (orgId, userId) => roleOf(db, orgId, userId),
    findForMember: (idOrSlug, userId) =>
      db.find(
        findForMember,
        { id: asUuid(idOrSlug), slug: asText(idOrSlug), userId: asUuid(userId) },
        toOrgWithMembership,
      ),
    listMembers: (orgId, range) => list(listMembers, orgId, 'm.user_id', range, toMembership),
    listMembersWithUsers: (orgId, range) =>
      list(listMembersWithUsers, orgId, 'm.user_id', range, (row) => ({
        ...toMembership(row),
        email: row['email'] as string | null,
        metadata: JSON.parse(row['metadata'] as string) as Record<string, unknown>,
      })),
    listOnlyOwned: (userId) => orgsOnlyOwnedBy(db, userId),
    listForUser: (userId, range) => list(listForUser, userId, 'm.org_id', range, toMembership),
    listForUserWithOrgs: (userId, range) =>
      list(listForUserWithOrgs, userId, 'm.org_id', range, toOrgWithMembership),
    changeMember: (change, decide) =>
      db.transaction(async (transaction) => {
        const { orgId, userId, actingUserId, by, now } = change;
        const locked = await shareUsers(transaction, [userId, actingUserId, by?.userId]);
        by?.decide(locked(by.userId)?.user ?? null);
        const member = locked(userId);
        if (!(await lockOrg(transaction, orgId))) return 'no_org';
        if (!member) return 'no_user';
        const state = await stateOf(transaction, change, member, locked(actingUserId));
        const previousRole = state.current;
        const role = decide(state);
        if (role !== null)
          return { membership: await putMembership(transaction, { orgId, userId, role, now }), previousRole };
        await transaction.execute(remove, { orgId, userId });
        return { membership: null, previousRole };
      }),
  };
}

const findMembership = (on: Queryable, orgId: string, userId: string) =>
  on.find(find, { orgId: asUuid(orgId), userId: asUuid(userId) }, toMembership);

export function orgsOnlyOwnedBy(on: Queryable, userId: string): Promise<string[]> {
  return on.query(listOnlyOwned, { userId: asUuid(userId) }, (row) => row['org_id'] as string);
}

/** Under the organization's lock the role does not change. */
export async function roleOf(on: Queryable, orgId: string, userId: string): Promise<OrgRole | null> {
  return (await findMembership(on, orgId, userId))?.role ?? null;
}

/**
 * Adds a member, or sets the role of an existing member. Requires the locks of the user and the
 * organization.
 */
export async function putMembership(
  transaction: Queryable,
  { orgId, userId, role, now }: { orgId: string; userId: string; role: OrgRole; now: Date },
): Promise<OrgMembership> {
  const membership = await findMembership(transaction, orgId, userId);
  if (membership) await transaction.execute(setRole, { orgId, userId, role });
  else
    await transaction.execute(
      memberships.insertion,
      valuesOf(memberships, { orgId, userId, role, createdAt: now }),
    );
  return { orgId, userId, role, createdAt: membership?.createdAt ?? now };
}

async function stateOf(
  transaction: Queryable,
  { orgId, userId, actingUserId }: MemberChange,
  { isGuest }: LockedUser,
  acting: LockedUser | null,
): Promise<MembershipState> {
  return {
    current: await roleOf(transaction, orgId, userId),
    acting: actingUserId === undefined ? undefined : await roleOf(transaction, orgId, actingUserId),
    isSelf: actingUserId === userId,
    owners:
      (await transaction.find(countOwners, { orgId: asUuid(orgId) }, (row) => Number(row['owners']))) ?? 0,
    isGuest,
    isActingUnverified: acting !== null && hasUnverifiedAddress(acting.user),
    actingEpoch: acting?.user.epoch ?? null,
  };
}
