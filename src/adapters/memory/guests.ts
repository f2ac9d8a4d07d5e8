/** Guests in memory. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { mergeMetadata } from '../../domain/metadata.js';
import { isInForce } from '../../domain/user-block.js';
import { InternalError } from '../../errors/catalog.js';
import type { GuestRepository } from '../../storage/pro-repositories.js';
import { deleteUserRows } from './accounts.js';
import { copy } from './copy.js';
import { identityKey, removeWhere, type Tables } from './tables.js';
import { insertUser, removeCredentials, revokeSessions } from './users.js';

export function memoryGuests(tables: Tables): GuestRepository {
  const { users, userIdByEmail, identities, guests, memberships, invites } = tables;
  return {
    async insert(user) {
      if (!insertUser(tables, { ...user, email: null }))
        throw new InternalError('A user with this id already exists.');
      guests.add(user.id);
    },
    async isGuest(userId) {
      return users.has(userId) ? guests.has(userId) : null;
    },
    async upgrade({ userId, epoch, identity, email, emailVerified, passwordHash, now, ...changes }) {
      assertCanonicalEmail(email);
      const user = users.get(userId);
      const key = identity && identityKey(identity.provider, identity.providerAccountId);
      if (!user) return { status: 'no_user' };
      if (!guests.has(user.id)) return { status: 'not_a_guest' };
      if (epoch !== undefined && user.epoch !== epoch) return { status: 'epoch_moved' };
      if (isInForce(user.blocked, now.getTime())) return { status: 'blocked' };
      if (email !== null && userIdByEmail.has(email)) return { status: 'email_taken' };
      if (key !== null && identities.has(key)) return { status: 'identity_taken' };
      const metadata = mergeMetadata(user.metadata, changes.metadata ?? {});
      const roles = changes.roles ?? user.roles;
      if (identity && key !== null) identities.set(key, copy({ ...identity, userId }));
      if (email !== null) userIdByEmail.set(email, user.id);
      guests.delete(user.id);
      revokeSessions(tables, user, now);
      // Guests cannot add passkeys or second factors; this is a second safeguard.
      removeCredentials(tables, user);
      removeWhere(tables.tokens, ({ subject }) => subject === user.id);
      Object.assign(user, copy({ email, emailVerified, passwordHash, metadata, roles, updatedAt: now }));
      return { status: 'upgraded', user: copy(user) };
    },
    async listAbandoned({ createdBefore, after = '', limit }) {
      const all = [...guests].flatMap((id) => users.get(id) ?? []);
      const due = all.filter(({ id, createdAt }) => id > after && createdAt <= createdBefore);
      return due
        .map(({ id }) => id)
        .sort()
        .slice(0, limit);
    },
    async deleteAbandoned({ createdBefore, limit }) {
      const isMember = (id: string) => [...memberships.values()].some(({ userId }) => userId === id);
      const isInviter = (id: string) =>
        [...invites.values()].some(({ invitedByUserId }) => invitedByUserId === id);
      const all = [...guests].flatMap((id) => users.get(id) ?? []);
      const due = all
        .filter(({ id, createdAt }) => createdAt <= createdBefore && !isMember(id) && !isInviter(id))
        .slice(0, limit);
      for (const guest of due) deleteUserRows(tables, guest);
      return due.map(({ id }) => id);
    },
    async delete(userId, within) {
      if (!guests.has(userId)) return false;
      await within(undefined);
      // The guest may have been upgraded or deleted in the meantime. There is no `await` from here
      // on.
      const guest = guests.has(userId) && users.get(userId);
      if (!guest) return false;
      deleteUserRows(tables, guest);
      return true;
    },
  };
}
