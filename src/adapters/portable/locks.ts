/**
 * The order in which transactions lock rows, so that they cannot deadlock:
 *
 * 0. the row of `svc_lockdown`, which only lockdowns and new API keys lock;
 * 1. users, by id, in one statement;
 * 2. organizations, by id;
 * 3. rows that belong to them. Several rows of one user (sessions, identities, families, keys,
 *    pending secrets) are written only under that user's lock; several rows of one organization
 *    (memberships, invites, keys) only under that organization's lock. A statement that writes a
 *    single row needs no such lock: it waits without holding another lock.
 *
 * A foreign key locks the row it references at the end of the statement. Therefore a transaction
 * that inserts a row of level 3 first locks its user and its organization, in this order.
 *
 * On SQLite a transaction excludes every other writer, and these statements only read.
 */
import { asText, asUuid } from '../shared/bindings.js';
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
const usersById = `select ${userColumns} from svc_users u where u.id in (:ids*) order by u.id`;

const lockUsersById = `${usersById} {lock}`;
const shareUsersById = `${usersById} {share}`;

const orgsById = `select id from svc_orgs where id in (:ids*) order by id`;

const lockOrgsById = `${orgsById} {lock rows}`;
// Taken from the start: two transactions that upgrade the weaker lock would deadlock.
const lockOrgsForDeletion = `${orgsById} {lock}`;

const orgsNaming = `
  select m.org_id as id from svc_org_memberships m where m.user_id = :userId
  union select i.org_id from svc_org_invites i where i.invited_by_user_id = :userId
  union select i.org_id from svc_org_invites i where i.email = :email`;

const orgsInvitedToBy = `
  select distinct org_id as id from svc_org_invites
  where invited_by_user_id = :userId and accepted_at is null`;

type Ids = readonly (string | null | undefined)[];
type FindLocked = (id: string | null | undefined) => LockedUser | null;

async function lockWith(transaction: Queryable, statement: string, given: Ids): Promise<FindLocked> {
  const ids = given.flatMap((id) => asUuid(id ?? '') ?? []);
  const locked = await transaction.query(statement, { ids }, toLocked);
  return (id) => locked.find(({ user }) => user.id === id) ?? null;
}

/** Locks users for changes of rows that depend on their state. Returns a function that looks up a locked user by id. */
export function shareUsers(transaction: Queryable, ids: Ids): Promise<FindLocked> {
  return lockWith(transaction, shareUsersById, ids);
}

/** Like `shareUsers`, for one user. Null if the user does not exist. */
export async function shareUser(transaction: Queryable, id: string): Promise<LockedUser | null> {
  return (await shareUsers(transaction, [id]))(id);
}

/**
 * Locks a user for changes of the user and of the rows that belong to the user: new sessions, keys and tokens of the user wait, and
 * so does every foreign key to the user. Null if the user does not exist.
 */
export async function lockUser(transaction: Queryable, id: string): Promise<LockedUser | null> {
  return (await lockWith(transaction, lockUsersById, [id]))(id);
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
  // Both as strongly: an administrator can also be the subject of another change.
  const locked = await lockWith(transaction, lockUsersById, [subjectId, by.userId]);
  by.decide(locked(by.userId)?.user ?? null);
}

/** Returns whether the locked user has the epoch; true if `epoch` is undefined. */
export function hasEpoch({ user }: LockedUser, epoch: number | undefined): boolean {
  return epoch === undefined || user.epoch === epoch;
}

/** Like `lockUser`, for several users. Returns the ids of those who exist. */
export async function lockUsers(transaction: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const bindings = { ids: ids.flatMap((id) => asUuid(id) ?? []) };
  return (await transaction.query(lockUsersById, bindings, toLocked)).map(({ user }) => user.id);
}

/** Reads a user whom the transaction has locked. */
export async function readLocked(transaction: Queryable, id: string): Promise<LockedUser | null> {
  return (await lockWith(transaction, usersById, [id]))(id);
}

const idsOf = (id: string) => ({ ids: [id].flatMap((each) => asUuid(each) ?? []) });

/** Locks an organization for changes of the rows that belong to it. False if it does not exist. */
export async function lockOrg(transaction: Queryable, id: string): Promise<boolean> {
  return (await transaction.find(lockOrgsById, idsOf(id), () => true)) ?? false;
}

/** Locks an organization for its deletion. False if it does not exist. */
export async function lockOrgForDeletion(transaction: Queryable, id: string): Promise<boolean> {
  return (await transaction.find(lockOrgsForDeletion, idsOf(id), () => true)) ?? false;
}

/** Locks every organization that has the user as a member or inviter, or has an invite to the address. */
export async function lockOrgsNaming(
  transaction: Queryable,
  userId: string,
  email: string | null,
): Promise<void> {
  const bindings = { userId, email: email === null ? null : asText(email) };
  await lockOrgs(transaction, await transaction.query(orgsNaming, bindings, toId));
}

/** Locks every organization to which the user has sent an invite that was not accepted. */
export async function lockOrgsInvitedToBy(transaction: Queryable, userId: string): Promise<void> {
  await lockOrgs(transaction, await transaction.query(orgsInvitedToBy, { userId }, toId));
}

/** Locks organizations for changes of the rows that belong to them. */
export async function lockOrgs(transaction: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await transaction.query(lockOrgsById, { ids }, toId);
}

const toId = (row: Row) => row['id'] as string;

function toLocked(row: Row): LockedUser {
  const { isGuest, lastSignInAt } = userFields(row);
  return { user: toUser(row), isGuest, lastSignInAt };
}
