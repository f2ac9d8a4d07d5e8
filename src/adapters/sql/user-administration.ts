/** The administration of users: `svc_users` with the columns that only administrators read. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { isInForce } from '../../domain/user-block.js';
import type { AdministeredUser } from '../../domain/user-record.js';
import type {
  UserAdministrationRepository,
  UserChanges,
  UserUpdateOutcome,
} from '../../storage/user-administration-repository.js';
import { asJsonb, asText, asTimestamp, asUuid, epochMs, readOptionalTime } from './bindings.js';
import { constraintOfUniqueViolation } from './database-error.js';
import type { Database, Queryable } from './database.js';
import { newestFirst, newestFirstBindings, oldestFirst, oldestFirstBindings } from './list-range.js';
import { admit, lockUser, shareUser } from './locks.js';
import { endAll, endEverySession, endWhatWaits, replacePassword, resetUser } from './revocations.js';
import {
  filterBindings,
  matchingSearch,
  matchingUsers,
  searchBindings,
  withOneBound,
} from './user-filters.js';
import { asRoles, newUserBindings, toUser, userColumns, usernameBindings, type UserRow } from './users.js';

interface AdministeredRow extends UserRow {
  user_username: string | null;
  user_is_guest: boolean;
  user_last_sign_in_at: string | null;
}

const columns = `${userColumns}, u.username as user_username, u.is_guest as user_is_guest,
  ${epochMs('u.last_sign_in_at')} as user_last_sign_in_at`;

function toAdministered(row: AdministeredRow): AdministeredUser {
  const lastSignInAt = readOptionalTime(row.user_last_sign_in_at);
  return { ...toUser(row), username: row.user_username, isGuest: row.user_is_guest, lastSignInAt };
}

const findById = `select ${columns} from svc_users u where u.id = :id`;
const findByEmail = `select ${columns} from svc_users u where u.email = :email`;
const findByUsername = `select ${columns} from svc_users u where u.username_key = :usernameKey`;
const findByIdentity = `
  select ${columns} from svc_identities i join svc_users u on u.id = i.user_id
  where i.provider = :provider and i.provider_account_id = :providerAccountId`;

// The columns are computed for the rows of the page only, also if more rows have to be sorted.
const listNewest = `
  select ${columns} from (select u.* ${matchingUsers} ${newestFirst('u.created_at', 'u.id')}) as u
  order by u.created_at desc, u.id desc`;
const listOldest = `
  select ${columns} from (select u.* ${matchingUsers} ${oldestFirst('u.created_at', 'u.id')}) as u
  order by u.created_at, u.id`;

const search = `
  select ${columns} from (${matchingSearch('u.*')}) as u
  order by u.match using ~<~ limit cast(:limit as bigint)`;

// Ordered as the lists, so that the same indexes are read, and no more rows than are counted.
const count = `
  select cast(count(*) as integer) as total
  from (
    select 1 ${matchingUsers} order by u.created_at desc, u.id desc limit cast(:limit as bigint)) as counted`;
const countSearch = `
  select cast(least(count(*), cast(:limit as bigint)) as integer) as total
  from (${matchingSearch('1 as one')}) as counted`;

export const insertWithUsername = `
  insert into svc_users (
    id, email, email_verified, password_hash, metadata, epoch, created_at, updated_at, username, username_key,
    roles)
  values (
    :userId, :email, :emailVerified, :passwordHash, :metadata, 0, :userCreatedAt, :userCreatedAt, :username,
    :usernameKey, cast(:roles as text[]))`;

const lock = `${findById} for update`;

// Two changes in one millisecond must not leave the same time: callers compare it.
const changedAt = `
  updated_at = greatest(cast(:now as timestamptz), u.updated_at + interval '1 millisecond')`;

const writeValues = (ending: string) => `
  update svc_users as u
  set metadata = :metadata, roles = cast(:roles as text[]), email = :email, email_verified = :emailVerified,
    username = case when cast(:keepsUsername as boolean) then u.username else cast(:username as text) end,
    username_key = case when cast(:keepsUsername as boolean) then u.username_key else cast(:usernameKey as text) end,
    ${changedAt} ${ending}
  where u.id = :id
  returning ${columns}`;

const write = writeValues('');
const writeAddress = writeValues(`, ${endEverySession}`);

const block = `
  update svc_users as u
  set blocked_at = :now, blocked_until = :until, blocked_reason = :reason, ${changedAt}, ${endEverySession}
  where u.id = :id
  returning ${columns}`;

const unblock = `
  update svc_users as u set blocked_at = null, blocked_until = null, blocked_reason = null, ${changedAt}
  where u.id = :id
  returning ${columns}`;

export function userAdministrationQueries(db: Database): UserAdministrationRepository {
  return {
    async find(lookup) {
      const [user] = await db.query(...lookupQuery(lookup), toAdministered);
      return user ?? null;
    },
    async list(filter, order, range) {
      const bounded = withOneBound(filter, order, range);
      const [statement, page] =
        order === 'newest'
          ? [listNewest, newestFirstBindings(bounded.range)]
          : [listOldest, oldestFirstBindings(bounded.range)];
      return db.query(statement, { ...filterBindings(bounded.filter), ...page }, toAdministered);
    },
    async search(searched, range) {
      return db.query(search, searchBindings(searched, range), toAdministered);
    },
    async count(filter, limit) {
      const [statement, bindings] =
        'prefix' in filter
          ? [countSearch, searchBindings(filter, { limit })]
          : [count, { ...filterBindings(filter), limit }];
      const [total] = await db.query(statement, bindings, (row: { total: number }) => row.total);
      return total ?? 0;
    },
    async insert(user, by) {
      const bindings = { ...newUserBindings(user), ...usernameBindings(user.username) };
      try {
        if (!by) await db.execute(insertWithUsername, bindings);
        else
          await db.transaction(async (transaction) => {
            by.decide((await shareUser(transaction, by.userId))?.user ?? null);
            await transaction.execute(insertWithUsername, bindings);
          });
        return 'inserted';
      } catch (error) {
        return takenBy(error);
      }
    },
    async update(userId, now, decide, by) {
      try {
        return await db.transaction(async (transaction) => {
          await admit(transaction, by, userId);
          return update(transaction, userId, now, decide);
        });
      } catch (error) {
        return { status: takenBy(error) };
      }
    },
    setPassword: (userId, passwordHash, now, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const locked = await lockUser(transaction, userId);
        if (!locked) return null;
        await replacePassword(transaction, resetUser, locked.user, passwordHash, now);
        const [user] = await transaction.query(findById, { id: userId }, toAdministered);
        return user ?? null;
      }),
    block: (userId, { at, until, reason }, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const bindings = { id: asUuid(userId), now: asTimestamp(at) };
        const details = { until: until && asTimestamp(until), reason: reason && asText(reason) };
        const [user] = await transaction.query(block, { ...bindings, ...details }, toAdministered);
        if (!user) return null;
        await transaction.execute(endAll, bindings);
        return user;
      }),
    unblock: (userId, now, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const locked = await lockUser(transaction, userId);
        if (!locked) return null;
        const bindings = { id: userId, now: asTimestamp(now) };
        const wasBlocked = isInForce(locked.user.blocked, now.getTime());
        const [user] = await transaction.query(
          locked.user.blocked ? unblock : findById,
          bindings,
          toAdministered,
        );
        return user ? { user, wasBlocked } : null;
      }),
  };
}

async function update(
  transaction: Queryable,
  userId: string,
  now: Date,
  decide: (user: AdministeredUser) => UserChanges,
): Promise<UserUpdateOutcome> {
  const [user] = await transaction.query(lock, { id: asUuid(userId) }, toAdministered);
  if (!user) return { status: 'no_user' };
  const { username, ...changes } = decide(user);
  const { metadata, roles, email, emailVerified } = { ...user, ...definedOf(changes) };
  assertCanonicalEmail(email);
  const isNewAddress = email !== user.email;
  const bindings = {
    id: userId,
    now: asTimestamp(now),
    metadata: asJsonb(metadata),
    roles: asRoles(roles),
    email,
    emailVerified,
    keepsUsername: username === undefined,
    ...usernameBindings(username ?? null),
  };
  const statement = isNewAddress ? writeAddress : write;
  const [changed] = await transaction.query(statement, bindings, toAdministered);
  if (isNewAddress) {
    const addresses = user.email !== null && user.emailVerified ? [user.email] : [];
    await transaction.execute(endWhatWaits, {
      id: userId,
      now: asTimestamp(now),
      addresses,
      keptPurposes: [],
    });
  }
  // The row exists: this transaction has locked it.
  return { status: 'updated', user: changed as AdministeredUser };
}

type Lookup = Parameters<UserAdministrationRepository['find']>[0];

function lookupQuery(lookup: Lookup): [statement: string, bindings: Record<string, string | null>] {
  if ('id' in lookup) return [findById, { id: asUuid(lookup.id) }];
  if ('email' in lookup) return [findByEmail, { email: asText(lookup.email) }];
  if ('usernameKey' in lookup) return [findByUsername, { usernameKey: asText(lookup.usernameKey) }];
  const { provider, providerAccountId } = lookup;
  return [findByIdentity, { provider: asText(provider), providerAccountId: asText(providerAccountId) }];
}

/** Returns what a new user would share with another one. @throws any other error. */
export function takenBy(error: unknown): 'email_taken' | 'username_taken' {
  const constraint = constraintOfUniqueViolation(error);
  if (constraint === 'svc_users_username') return 'username_taken';
  if (constraint === 'svc_users_email_key') return 'email_taken';
  throw error;
}

function definedOf<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}
