/**
 * The order in which transactions lock rows, so that they cannot deadlock:
 *
 * 1. users, by id, in one statement;
 * 2. organizations, by id;
 * 3. rows that belong to them. Several rows of one user (sessions, identities, families, keys,
 *    pending secrets) are written only under that user's lock; several rows of one organization
 *    (memberships, invites, keys) only under that organization's lock. A statement that writes a
 *    single row needs no such lock: it waits without holding another lock.
 *
 * A foreign key locks the row it references at the end of the statement. Therefore a transaction
 * that inserts a row of level 3 first locks its user and its organization, in this order.
 */
import { asUuid } from './bindings.js';
import { byIndex } from './by-index.js';
import type { Queryable } from './database.js';
import { toUser, userColumns, type UserRow } from './users.js';
import type { StoredUser } from '../../domain/user.js';
import type { ActingUser } from '../../storage/acting-user.js';

/**
 * SQL that locks the user `:userId` of a new row. It waits for a deletion that is in progress: a row
 * stored after it would name a user who no longer exists. `:userId` is null if the row is not of a
 * user. The sub-select hides that from PostgreSQL, which would otherwise plan the statement on every
 * call, because a plan for null is cheaper than one for any user.
 */
export const ownerForKeyShare = `
  owner as (select from svc_users where id = (select cast(:userId as uuid)) and ${byIndex('id')} for key share)`;

// The strongest lock: new sessions, keys and tokens of the user wait, and so does every foreign key
// to the user.
const userForUpdate = `
  select ${userColumns}, u.is_guest as user_is_guest from svc_users u where u.id = :id for update`;

// Both as strongly: an administrator can also be the subject of another change.
const usersForUpdate = `
  select ${userColumns}, u.is_guest as user_is_guest from svc_users u
  where u.id = any(cast(:ids as uuid[])) order by u.id for update`;

// Shared: the users do not change, and any number of transactions may hold the lock at the same
// time.
const usersForShare = `
  select ${userColumns}, u.is_guest as user_is_guest from svc_users u
  where u.id = any(cast(:ids as uuid[])) order by u.id for share`;

// The strongest lock that does not block foreign keys.
const orgForChange = `select id from svc_orgs where id = :id for no key update`;

// Taken from the start: two transactions that upgrade the weaker lock would deadlock.
const orgForDeletion = `select id from svc_orgs where id = :id for update`;

const orgsNaming = `
  select id from svc_orgs where id in (
    select org_id from svc_org_memberships where user_id = :userId
    union
    select org_id from svc_org_invites where invited_by_user_id = :userId or email = :email)
  order by id for no key update`;

const orgsInvitedToBy = `
  select id from svc_orgs where id in (
    select org_id from svc_org_invites where invited_by_user_id = :userId and accepted_at is null)
  order by id for no key update`;

export interface LockedUser {
  user: StoredUser;
  isGuest: boolean;
}

/**
 * Locks a user for changes of the user and of the rows that belong to them. Null if the user does
 * not exist.
 */
export async function lockUser(transaction: Queryable, id: string): Promise<LockedUser | null> {
  const [locked] = await transaction.query(userForUpdate, { id: asUuid(id) }, toLocked);
  return locked ?? null;
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
  if (!by) return;
  // Without nulls: with `array_nulls` off an array cannot contain them.
  const ids = [subjectId, by.userId].flatMap((id) => asUuid(id) ?? []);
  const locked = await transaction.query(usersForUpdate, { ids }, toLocked);
  by.decide(locked.find(({ user }) => user.id === by.userId)?.user ?? null);
}

/** Returns whether the locked user has the epoch; true if `epoch` is undefined. */
export function hasEpoch({ user }: LockedUser, epoch: number | undefined): boolean {
  return epoch === undefined || user.epoch === epoch;
}

/**
 * Locks a user for changes elsewhere that depend on the user's state. Null if the user does not
 * exist.
 */
export async function shareUser(transaction: Queryable, id: string): Promise<LockedUser | null> {
  return (await shareUsers(transaction, [id]))(id);
}

/** Like `shareUser`, for several users. Returns a function that looks up a locked user by id. */
export async function shareUsers(
  transaction: Queryable,
  ids: readonly (string | undefined)[],
): Promise<(id: string | undefined) => LockedUser | null> {
  // Without nulls: with `array_nulls` off an array cannot contain them.
  const bindings = { ids: ids.flatMap((id) => asUuid(id ?? '') ?? []) };
  const locked = await transaction.query(usersForShare, bindings, toLocked);
  return (id) => locked.find(({ user }) => user.id === id) ?? null;
}

/**
 * Locks an organization for changes of the rows that belong to it. False if the organization does
 * not exist.
 */
export async function lockOrg(transaction: Queryable, id: string): Promise<boolean> {
  const rows = await transaction.query(orgForChange, { id: asUuid(id) }, () => true);
  return rows.length === 1;
}

/** Locks an organization for its deletion. False if the organization does not exist. */
export async function lockOrgForDeletion(transaction: Queryable, id: string): Promise<boolean> {
  const rows = await transaction.query(orgForDeletion, { id: asUuid(id) }, () => true);
  return rows.length === 1;
}

/**
 * Locks every organization that has the user as a member or inviter, or has an invite to the
 * address.
 */
export async function lockOrgsNaming(
  transaction: Queryable,
  userId: string,
  email: string | null,
): Promise<void> {
  await transaction.execute(orgsNaming, { userId, email });
}

/** Locks every organization to which the user has sent an invite that was not accepted. */
export async function lockOrgsInvitedToBy(transaction: Queryable, userId: string): Promise<void> {
  await transaction.execute(orgsInvitedToBy, { userId });
}

function toLocked(row: UserRow & { user_is_guest: boolean }): LockedUser {
  return { user: toUser(row), isGuest: row.user_is_guest };
}
