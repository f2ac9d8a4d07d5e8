/** The administration of users in memory. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { isInForce, type UserBlock } from '../../domain/user-block.js';
import { containsText, searchMatch, type AdministeredUser } from '../../domain/user-record.js';
import type { Username } from '../../domain/username.js';
import type { StoredUser } from '../../domain/user.js';
import { InternalError } from '../../errors/catalog.js';
import type { NewUser } from '../../storage/repositories.js';
import type {
  TakenName,
  UserAdministrationRepository,
  UserFilter,
  UserLookup,
} from '../../storage/user-administration-repository.js';
import { laterThan } from '../shared/change-time.js';
import { copy } from './copy.js';
import { newestFirst, oldestFirst } from './list-range.js';
import { identityKey, type Tables } from './tables.js';
import {
  admit,
  insertUser,
  removeBegunEnrollment,
  removePending,
  replacePassword,
  revokeSessions,
} from './users.js';

export function memoryUserAdministration(tables: Tables): UserAdministrationRepository {
  const { users, userIdByEmail, guests, identities } = tables;

  function administered(user: StoredUser): AdministeredUser {
    const { id } = user;
    return copy({
      ...user,
      isGuest: guests.has(id),
      lastSignInAt: tables.lastSignIns.get(id) ?? null,
    });
  }

  function idOf(lookup: UserLookup): string | undefined {
    if ('id' in lookup) return lookup.id;
    if ('email' in lookup) return userIdByEmail.get(lookup.email);
    if ('usernameKey' in lookup) return tables.userIdByUsername.get(lookup.usernameKey);
    if ('externalId' in lookup) return tables.userIdByExternalId.get(lookup.externalId);
    return identities.get(identityKey(lookup.provider, lookup.providerAccountId))?.userId;
  }

  const matching = (filter: UserFilter) =>
    [...users.values()].filter((user) => matches(user, guests.has(user.id), filter));

  const searched = (filter: UserFilter, prefix: string) =>
    matching(filter).flatMap((stored) => {
      const user = administered(stored);
      const match = searchMatch(user, prefix);
      return match === null ? [] : [{ user, match }];
    });

  return {
    async find(lookup) {
      const user = users.get(idOf(lookup) ?? '');
      return user ? administered(user) : null;
    },
    async list(filter, order, range) {
      const sorted = order === 'newest' ? newestFirst : oldestFirst;
      return sorted(matching(filter), ({ id }) => id, range).map(administered);
    },
    // A search reads every user here, whatever it looks for.
    hasWordIndex: async () => true,
    async search({ prefix, ...filter }, { after = '', limit }) {
      return searched(filter, prefix)
        .filter(({ match }) => byBytes(match, after) > 0)
        .sort((a, b) => byBytes(a.match, b.match))
        .slice(0, limit)
        .map(({ user }) => user);
    },
    async count(filter, limit) {
      const found = 'prefix' in filter ? searched(filter, filter.prefix) : matching(filter);
      return Math.min(found.length, limit);
    },
    async insert({ username, ...user }, by) {
      admit(tables, by);
      return insertNamedUser(tables, user, username);
    },
    async update(userId, now, decide, by) {
      admit(tables, by);
      const user = users.get(userId);
      if (!user) return { status: 'no_user' };
      const { username, metadata, roles, email, emailVerified, externalId } = decide(administered(user));
      if (email !== undefined) assertCanonicalEmail(email);
      const isNewAddress = email !== undefined && email !== user.email;
      if (isNewAddress && userIdByEmail.has(email)) return { status: 'email_taken' };
      if (isTaken(tables, username, userId)) return { status: 'username_taken' };
      if (isExternalIdTaken(tables, externalId, userId)) return { status: 'external_id_taken' };
      if (isNewAddress) {
        removePending(tables, user, user.emailVerified);
        // Codes for the user that were mailed to an unverified address.
        removePending(tables, { ...user, email: null }, true);
        revokeSessions(tables, user, now);
        if (user.email !== null) userIdByEmail.delete(user.email);
        userIdByEmail.set(email, userId);
      }
      if (username !== undefined) setUsername(tables, userId, username);
      if (externalId !== undefined) setExternalId(tables, user, externalId);
      Object.assign(user, {
        metadata: copy(metadata ?? user.metadata),
        roles: [...(roles ?? user.roles)],
        email: email ?? user.email,
        emailVerified: emailVerified ?? user.emailVerified,
        updatedAt: laterThan(user.updatedAt, now),
      });
      return { status: 'updated', user: administered(user) };
    },
    async setPassword(userId, passwordHash, now, by) {
      admit(tables, by);
      const user = users.get(userId);
      if (!user) return null;
      replacePassword(tables, user, passwordHash, now);
      return administered(user);
    },
    async block(userId, block, by) {
      admit(tables, by);
      const user = users.get(userId);
      if (!user) return null;
      revokeSessions(tables, user, block.at);
      removeBegunEnrollment(tables, userId);
      setBlock(user, block, block.at);
      return administered(user);
    },
    async unblock(userId, now, by) {
      admit(tables, by);
      const user = users.get(userId);
      if (!user) return null;
      const wasBlocked = isInForce(user.blocked, now.getTime());
      if (user.blocked) setBlock(user, null, now);
      return { user: administered(user), wasBlocked };
    },
  };
}

/** Inserts the user unless the address, the user name or the external id is taken. */
export function insertNamedUser(
  tables: Tables,
  user: NewUser,
  username: Username | null,
): 'inserted' | TakenName {
  assertCanonicalEmail(user.email);
  if (user.email !== null && tables.userIdByEmail.has(user.email)) return 'email_taken';
  if (isTaken(tables, username, user.id)) return 'username_taken';
  if (isExternalIdTaken(tables, user.externalId, user.id)) return 'external_id_taken';
  if (!insertUser(tables, user)) throw new InternalError('A user with this id already exists.');
  setUsername(tables, user.id, username);
  return 'inserted';
}

export function isTaken(
  { userIdByUsername }: Tables,
  username: Username | null | undefined,
  userId: string,
): boolean {
  return username != null && (userIdByUsername.get(username.key) ?? userId) !== userId;
}

function isExternalIdTaken(
  { userIdByExternalId }: Tables,
  externalId: string | null | undefined,
  userId: string,
): boolean {
  return externalId != null && (userIdByExternalId.get(externalId) ?? userId) !== userId;
}

export function setExternalId(
  { userIdByExternalId }: Tables,
  user: StoredUser,
  externalId: string | null,
): void {
  if (user.externalId !== null) userIdByExternalId.delete(user.externalId);
  user.externalId = externalId;
  if (externalId !== null) userIdByExternalId.set(externalId, user.id);
}

export function setUsername(
  { users, userIdByUsername, usernames }: Tables,
  userId: string,
  username: Username | null,
): void {
  const user = users.get(userId);
  if (user) user.username = username?.name ?? null;
  userIdByUsername.delete(usernames.get(userId)?.key ?? '');
  usernames.delete(userId);
  if (username === null) return;
  usernames.set(userId, copy(username));
  userIdByUsername.set(username.key, userId);
}

function setBlock(user: StoredUser, block: UserBlock | null, now: Date): void {
  Object.assign(user, { blocked: copy(block), updatedAt: laterThan(user.updatedAt, now) });
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function matches(user: StoredUser, isGuest: boolean, filter: UserFilter): boolean {
  const { id, contained, role, externalId, verified, guest, blocked, createdAfter, createdBefore } = filter;
  return (
    (id === undefined || user.id === id) &&
    (contained === undefined || containsText(user, contained)) &&
    (role === undefined || user.roles.includes(role)) &&
    (externalId === undefined || user.externalId === externalId) &&
    (verified === undefined || user.emailVerified === verified) &&
    (guest === undefined || isGuest === guest) &&
    (blocked === undefined || isInForce(user.blocked, filter.now.getTime()) === blocked) &&
    (createdAfter === undefined || user.createdAt >= createdAfter) &&
    (createdBefore === undefined || user.createdAt < createdBefore)
  );
}
