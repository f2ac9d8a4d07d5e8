/** The administration of users: `svc_users` with the columns that only administrators read. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { isInForce } from '../../domain/user-block.js';
import type { AdministeredUser } from '../../domain/user-record.js';
import type {
  TakenName,
  UserAdministrationRepository,
  UserChanges,
  UserUpdateOutcome,
} from '../../storage/user-administration-repository.js';
import { asText, asUuid } from '../shared/bindings.js';
import { laterThan } from '../shared/change-time.js';
import type { Database, Queryable } from './database.js';
import { limitOf, newestFirst, oldestFirst } from './list-range.js';
import { admit, lockUser, shareUser } from './locks.js';
import type { UserFields } from './records.js';
import {
  endSessions,
  endedSessions,
  removeBegunEnrollment,
  removePending,
  replacePassword,
} from './revocations.js';
import type { Bindings } from './statements.js';
import { matchingSearch, matchingUsers, withOneBound } from './user-filters.js';
import { insertUser, toAdministered, updateUser, userColumns } from './users.js';

const findUser = `select ${userColumns} from svc_users u`;
const findByIdentity = `
  ${findUser} join svc_identities i on i.user_id = u.id
  where i.provider = :provider and i.provider_account_id = :providerAccountId`;

const endRows = `update svc_sessions set revoked_at = :now where user_id = :id and revoked_at is null`;

export function userAdministrationQueries(db: Database): UserAdministrationRepository {
  /** Runs `work` under the lock of the user. Null if the user does not exist. */
  const change: <Result>(
    userId: string,
    by: Parameters<typeof admit>[1],
    work: (transaction: Queryable, user: AdministeredUser) => Promise<Result>,
  ) => Promise<Result | null> = (userId, by, work) =>
    db.transaction(async (transaction) => {
      await admit(transaction, by, userId);
      if (!(await lockUser(transaction, userId))) return null;
      return work(transaction, await read(transaction, userId));
    });
  return {
    find: (lookup) => db.find(...lookupQuery(lookup), toAdministered),
    async list(filter, order, range) {
      const bounded = withOneBound(filter, order, range);
      const page = (order === 'newest' ? newestFirst : oldestFirst)('u.created_at', 'u.id', bounded.range);
      const matching = matchingUsers(bounded.filter);
      // The columns are computed for the rows of the page only, also if more rows have to be sorted.
      const direction = order === 'newest' ? ' desc' : '';
      const statement = `
        select ${userColumns} from (select u.* from svc_users u where ${matching.sql} ${page.sql}) u
        order by u.created_at${direction}, u.id${direction}`;
      return db.query(statement, { ...matching.bindings, ...page.bindings }, toAdministered);
    },
    async search(searched, range) {
      const { sql, bindings } = matchingSearch(searched, range);
      const statement = `select ${userColumns} from (${sql}) u order by {bytewise u.matched} ${limitOf(range.limit)}`;
      return db.query(statement, bindings, toAdministered);
    },
    async count(filter, limit) {
      const { sql, bindings } =
        'prefix' in filter ? matchingSearch(filter, { limit }) : matchingUsers(filter);
      // Ordered as the lists, so that the same indexes are read, and no more rows than are counted.
      const order = 'order by u.created_at desc, u.id desc';
      const from = 'prefix' in filter ? `(${sql}) u` : `svc_users u where ${sql} ${order}`;
      const statement = `select count(*) as total from (select u.id from ${from} ${limitOf(limit)}) counted`;
      return (await db.find(statement, bindings, (row) => Number(row['total']))) ?? 0;
    },
    async insert({ username, ...user }, by) {
      try {
        await db.transaction(async (transaction) => {
          if (by) by.decide((await shareUser(transaction, by.userId))?.user ?? null);
          await insertUser(transaction, user, { username });
        });
        return 'inserted';
      } catch (error) {
        return takenBy(db, error);
      }
    },
    async update(userId, now, decide, by) {
      try {
        const outcome = await change(userId, by, (transaction, user) =>
          update(transaction, user, now, decide),
        );
        return outcome ?? { status: 'no_user' };
      } catch (error) {
        return { status: takenBy(db, error) };
      }
    },
    setPassword: (userId, passwordHash, now, by) =>
      change(userId, by, async (transaction, user) => {
        await replacePassword(transaction, user, passwordHash, now);
        return read(transaction, userId);
      }),
    block: (userId, { at, until, reason }, by) =>
      change(userId, by, async (transaction, user) => {
        await transaction.execute(endRows, { id: userId, now: at });
        await updateUser(transaction, userId, {
          ...endedSessions(user, at),
          blockedAt: at,
          blockedUntil: until,
          blockedReason: reason === null ? null : asText(reason),
          updatedAt: laterThan(user.updatedAt, at),
        });
        await removeBegunEnrollment(transaction, userId);
        return read(transaction, userId);
      }),
    unblock: (userId, now, by) =>
      change(userId, by, async (transaction, user) => {
        const wasBlocked = isInForce(user.blocked, now.getTime());
        if (!user.blocked) return { user, wasBlocked };
        const none = { blockedAt: null, blockedUntil: null, blockedReason: null };
        await updateUser(transaction, userId, { ...none, updatedAt: laterThan(user.updatedAt, now) });
        return { user: await read(transaction, userId), wasBlocked };
      }),
  };
}

/** Reads a user whom the transaction has locked. */
async function read(transaction: Queryable, userId: string): Promise<AdministeredUser> {
  const user = await transaction.find(...lookupQuery({ id: userId }), toAdministered);
  return user as AdministeredUser;
}

async function update(
  transaction: Queryable,
  user: AdministeredUser,
  now: Date,
  decide: (user: AdministeredUser) => UserChanges,
): Promise<UserUpdateOutcome> {
  const { id } = user;
  const { username, metadata, roles, email, emailVerified, externalId } = decide(user);
  if (email !== undefined) assertCanonicalEmail(email);
  const changes: Partial<UserFields> = {
    ...(metadata && { metadata }),
    ...(roles && { roles: [...roles] }),
    ...(email !== undefined && { email }),
    ...(emailVerified !== undefined && { emailVerified }),
    ...(externalId !== undefined && { externalId }),
    ...(username !== undefined && { username: username?.name ?? null, usernameKey: username?.key ?? null }),
    updatedAt: laterThan(user.updatedAt, now),
  };
  await updateUser(transaction, id, changes);
  if (email !== undefined && email !== user.email) {
    const addresses = user.email !== null && user.emailVerified ? [user.email] : [];
    await removePending(transaction, id, addresses, true);
    await endSessions(transaction, user, now);
  }
  return { status: 'updated', user: await read(transaction, id) };
}

type Lookup = Parameters<UserAdministrationRepository['find']>[0];

function lookupQuery(lookup: Lookup): [statement: string, bindings: Bindings] {
  if ('id' in lookup) return [`${findUser} where u.id = :id`, { id: asUuid(lookup.id) }];
  if ('email' in lookup) return [`${findUser} where u.email = :email`, { email: asText(lookup.email) }];
  if ('usernameKey' in lookup)
    return [`${findUser} where u.username_key = :key`, { key: asText(lookup.usernameKey) }];
  if ('externalId' in lookup)
    return [`${findUser} where u.external_id = :externalId`, { externalId: asText(lookup.externalId) }];
  const { provider, providerAccountId } = lookup;
  return [findByIdentity, { provider: asText(provider), providerAccountId: asText(providerAccountId) }];
}

/** Returns what a new user would share with another one. @throws any other error. */
export function takenBy(db: Database, error: unknown): TakenName {
  const key = db.violatedKey(error);
  if (key === 'svc_users_username_key') return 'username_taken';
  if (key === 'svc_users_email') return 'email_taken';
  if (key === 'svc_users_external_id') return 'external_id_taken';
  throw error;
}
