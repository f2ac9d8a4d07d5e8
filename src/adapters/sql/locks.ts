/**
 * The order in which transactions lock rows, so that no two of them can wait for each other:
 *
 * 1. users, by id, in one statement;
 * 2. organisations, by id;
 * 3. what belongs to them. Several rows of one user (sessions, identities, families, keys, pending secrets) are written only
 *    under that user's lock; several rows of one organisation (memberships, invites, keys) only under that
 *    organisation's. A statement that writes a single row may do without: while it waits, it holds nothing.
 *
 * A foreign key takes a lock of its own on the row it points to, at the end of the statement. So whoever inserts a
 * row of level 3 has locked its user and its organisation before, in this order.
 */
import { uuid } from './bindings.js';
import type { Queryable } from './database.js';
import { toUser, userColumns, type UserRow } from './users.js';
import type { StoredUser } from '../../domain/user.js';

// The strongest lock: whatever starts something in the user's name, and every foreign key to the user, waits.
const userForUpdate = `
  select ${userColumns}, u.is_guest as user_is_guest from svc_users u where u.id = :id for update`;

// Shared: the users stay as read, and any number of transactions may hold them together.
const usersForShare = `
  select ${userColumns}, u.is_guest as user_is_guest from svc_users u
  where u.id = any(cast(:ids as uuid[])) order by u.id for share`;

// Of the locks that exclude each other the one that lets foreign keys through.
const orgForChange = `select id from svc_orgs where id = :id for no key update`;

// From the start: who took the weaker one first would wait for whoever waits for them.
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

/** For changes of the user and of what belongs to them. Null where there is no such user. */
export async function lockUser(transaction: Queryable, id: string): Promise<LockedUser | null> {
  const [locked] = await transaction.query(userForUpdate, { id: uuid(id) }, toLocked);
  return locked ?? null;
}

/** Returns whether the locked user has the epoch. Every user has an epoch that is undefined. */
export function hasEpoch({ user }: LockedUser, epoch: number | undefined): boolean {
  return epoch === undefined || user.epoch === epoch;
}

/** For changes elsewhere that depend on the user as they are. Null where there is no such user. */
export async function shareUser(transaction: Queryable, id: string): Promise<LockedUser | null> {
  return (await shareUsers(transaction, [id]))(id);
}

/** As `shareUser`, for several users: a look-up by id in those that exist. */
export async function shareUsers(
  transaction: Queryable,
  ids: readonly (string | undefined)[],
): Promise<(id: string | undefined) => LockedUser | null> {
  // Without nulls, which an array may not have where `array_nulls` is off.
  const bindings = { ids: ids.flatMap((id) => uuid(id ?? '') ?? []) };
  const locked = await transaction.query(usersForShare, bindings, toLocked);
  return (id) => locked.find(({ user }) => user.id === id) ?? null;
}

/** For changes of what belongs to the organisation. False where there is no such organisation. */
export async function lockOrg(transaction: Queryable, id: string): Promise<boolean> {
  const found = await transaction.query(orgForChange, { id: uuid(id) }, () => true);
  return found.length === 1;
}

/** For the deletion of the organisation. False where there is no such organisation. */
export async function lockOrgForDeletion(transaction: Queryable, id: string): Promise<boolean> {
  const found = await transaction.query(orgForDeletion, { id: uuid(id) }, () => true);
  return found.length === 1;
}

/** Every organisation that has the user as member or inviter, or that invites the address. */
export async function lockOrgsNaming(
  transaction: Queryable,
  userId: string,
  email: string | null,
): Promise<void> {
  await transaction.execute(orgsNaming, { userId, email });
}

/** Every organization to which the user has sent an invite that was not accepted. */
export async function lockOrgsInvitedToBy(transaction: Queryable, userId: string): Promise<void> {
  await transaction.execute(orgsInvitedToBy, { userId });
}

function toLocked(row: UserRow & { user_is_guest: boolean }): LockedUser {
  return { user: toUser(row), isGuest: row.user_is_guest };
}
