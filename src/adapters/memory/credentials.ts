/** Passkeys in memory. */
import { mergeMetadata } from '../../domain/metadata.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import { copy } from './copy.js';
import { oldestFirst } from './list-range.js';
import { removeWhere, type Tables } from './tables.js';
import { insertNamedUser, isTaken, setUsername } from './user-administration.js';
import { admit, claimUser } from './users.js';

export function memoryCredentials(tables: Tables): CredentialRepository {
  const { users, guests, identities, credentials, trustedBrowsers } = tables;
  const endTrust = (userId: string) => removeWhere(trustedBrowsers, (each) => each.userId === userId);
  return {
    async insert(credential, epoch) {
      if (guests.has(credential.userId)) return 'guest';
      if (users.get(credential.userId)?.epoch !== epoch) return 'no_user';
      if (credentials.has(credential.id)) return 'taken';
      credentials.set(credential.id, copy(credential));
      endTrust(credential.userId);
      return 'inserted';
    },
    async insertWithUser(credential, user, username) {
      if (credentials.has(credential.id)) return 'taken';
      const outcome = insertNamedUser(tables, user, username);
      if (outcome === 'inserted') credentials.set(credential.id, copy(credential));
      return outcome;
    },
    async insertWithProof(credential, { email, epoch, keepsAccount, username, metadata, now }) {
      const user = users.get(credential.userId);
      if (!user || user.email !== email || user.emailVerified || user.epoch !== epoch)
        return { status: 'no_user' };
      if (credentials.has(credential.id)) return { status: 'taken' };
      if (isTaken(tables, username, user.id)) return { status: 'username_taken' };
      const merged = mergeMetadata(user.metadata, metadata);
      if (!keepsAccount) claimUser(tables, user, null, now);
      Object.assign(user, copy({ emailVerified: true, metadata: merged, updatedAt: now }));
      if (username) setUsername(tables, user.id, username);
      credentials.set(credential.id, copy(credential));
      endTrust(user.id);
      return { status: 'inserted', user: copy(user) };
    },
    async findWithUser(id) {
      const credential = credentials.get(id);
      const user = credential && users.get(credential.userId);
      return user ? copy({ credential, user }) : null;
    },
    async listForUser(userId, range) {
      const own = [...credentials.values()].filter((credential) => credential.userId === userId);
      return copy(oldestFirst(own, ({ id }) => id, range));
    },
    async use({ id, counter, backedUp, from, now }) {
      const credential = credentials.get(id);
      if (!credential) return false;
      const isUncounted = counter === 0 && (credential.counter === 0 || credential.backupEligible);
      if (counter <= credential.counter && !isUncounted) return false;
      Object.assign(credential, copy({ counter, backedUp, lastUsedAt: now, lastUsedFrom: from ?? null }));
      return true;
    },
    async rename(userId, id, name) {
      const credential = credentials.get(id);
      if (credential?.userId !== userId) return null;
      credential.name = name;
      return copy(credential);
    },
    async remove(userId, id, allowed, by) {
      admit(tables, by);
      const user = users.get(userId);
      if (!user || credentials.get(id)?.userId !== userId) return false;
      const isOwn = (row: { userId: string }) => row.userId === userId;
      const passkeys = [...credentials.values()].filter(isOwn).length - 1;
      const left = [...identities.values()].filter(isOwn);
      if (allowed && !allowed(copy({ user, identities: left, passkeys }))) return false;
      endTrust(userId);
      return credentials.delete(id);
    },
  };
}
