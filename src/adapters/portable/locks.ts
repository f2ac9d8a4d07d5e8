/**
 * The order in which transactions lock rows, so that they cannot deadlock. It is that of PostgreSQL
 * (../sql/locks.ts): users by id, in one statement; then organizations by id; then the rows that
 * belong to them. Every lock excludes all others. On SQLite a transaction excludes every other
 * writer, and these statements only read.
 */
import { asText, asUuid } from '../sql/bindings.js';
import type { StoredUser } from '../../domain/user.js';
import type { ActingUser } from '../../storage/acting-user.js';
import type { Queryable } from './database.js';
import { toUser, userColumns, userFields } from './users.js';
import type { Row } from './tables.js';

export interface LockedUser {
  user: StoredUser;
  isGuest: boolean;
  lastSignInAt: Date | null;
}

// Locks rows by primary key only: a search by another column would lock what it examines.
const lockUsersById = `select ${userColumns} from svc_users u where u.id in (:ids*) order by u.id {lock}`;

const lockOrgById = `select id from svc_orgs where id = :id {lock}`;

const orgsNaming = `
  select o.id from svc_orgs o
  where o.id in (select m.org_id from svc_org_memberships m where m.user_id = :userId)
    or o.id in (select i.org_id from svc_org_invites i where i.invited_by_user_id = :userId or i.email = :email)
  order by o.id`;

const orgsInvitedToBy = `
  select distinct org_id as id from svc_org_invites
  where invited_by_user_id = :userId and accepted_at is null order by org_id`;

/** Locks users, and returns a function that looks up a locked user by id. */
export async function lockUsers(
  transaction: Queryable,
  ids: readonly (string | null | undefined)[],
): Promise<(id: string | null | undefined) => LockedUser | null> {
  const known = ids.flatMap((id) => asUuid(id ?? '') ?? []);
  const locked = known.length === 0 ? [] : await transaction.query(lockUsersById, { ids: known }, toLocked);
  return (id) => locked.find(({ user }) => user.id === id) ?? null;
}

/** Locks a user. Null if the user does not exist. */
export async function lockUser(transaction: Queryable, id: string): Promise<LockedUser | null> {
  return (await lockUsers(transaction, [id]))(id);
}

/**
 * Locks the subject of a change together with the user who makes it, and calls `decide` of that
 * user. Must come before every other lock of the transaction.
 */
export async function admit(
  transaction: Queryable,
  by: ActingUser | undefined,
  subjectId: string,
): Promise<void> {
  if (by) by.decide((await lockUsers(transaction, [subjectId, by.userId]))(by.userId)?.user ?? null);
}

/** Returns whether the locked user has the epoch; true if `epoch` is undefined. */
export function hasEpoch({ user }: LockedUser, epoch: number | undefined): boolean {
  return epoch === undefined || user.epoch === epoch;
}

/** Locks an organization. False if it does not exist. */
export async function lockOrg(transaction: Queryable, id: string): Promise<boolean> {
  return (await transaction.find(lockOrgById, { id: asUuid(id) }, () => true)) ?? false;
}

/** Locks every organization that has the user as a member or inviter, or has an invite to the address. */
export async function lockOrgsNaming(
  transaction: Queryable,
  userId: string,
  email: string | null,
): Promise<void> {
  const bindings = { userId, email: email === null ? null : asText(email) };
  await lockEach(transaction, await transaction.query(orgsNaming, bindings, toId));
}

/** Locks every organization to which the user has sent an invite that was not accepted. */
export async function lockOrgsInvitedToBy(transaction: Queryable, userId: string): Promise<void> {
  await lockEach(transaction, await transaction.query(orgsInvitedToBy, { userId }, toId));
}

async function lockEach(transaction: Queryable, ids: readonly string[]): Promise<void> {
  for (const id of ids) await lockOrg(transaction, id);
}

const toId = (row: Row) => row['id'] as string;

function toLocked(row: Row): LockedUser {
  const { isGuest, lastSignInAt } = userFields(row);
  return { user: toUser(row), isGuest, lastSignInAt };
}
