/** Deletion of users and changes of addresses in memory, and lists for exports. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import type { StoredUser } from '../../domain/user.js';
import type { ActingUser } from '../../storage/acting-user.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import { copy } from './copy.js';
import { orgsOnlyOwnedBy } from './org-memberships.js';
import { byAge, removeWhere, type Tables } from './tables.js';
import { admit, phonesOf, removePending, revokeSessions } from './users.js';

export function memoryAccounts(tables: Tables): AccountRepository {
  const { users, userIdByEmail, sessions, guests } = tables;

  function refusal(userId: string, epoch?: number, by?: ActingUser) {
    admit(tables, by);
    const user = users.get(userId);
    if (!user) return { status: 'no_user' } as const;
    if (epoch !== undefined && user.epoch !== epoch) return { status: 'epoch_moved' } as const;
    const [orgId] = orgsOnlyOwnedBy(tables, userId);
    return orgId === undefined ? null : ({ status: 'last_owner', orgId } as const);
  }

  return {
    async deleteUser(userId, within, epoch, by) {
      const early = refusal(userId, epoch, by);
      if (early) return early;
      await within(undefined);
      // The user may have changed in the meantime. There is no `await` from here on.
      const late = refusal(userId, epoch, by);
      if (late) return late;
      deleteUserRows(tables, users.get(userId) as StoredUser);
      return { status: 'deleted' };
    },
    async changeEmail({ userId, epoch, email, now }) {
      assertCanonicalEmail(email);
      const user = users.get(userId);
      if (!user) return { status: 'no_user' };
      if (guests.has(userId)) return { status: 'guest' };
      if (user.epoch !== epoch) return { status: 'epoch_moved' };
      if (userIdByEmail.has(email)) return { status: 'email_taken' };
      removePending(tables, user, user.emailVerified);
      if (user.email !== null) userIdByEmail.delete(user.email);
      userIdByEmail.set(email, userId);
      Object.assign(user, { email, emailVerified: true, updatedAt: copy(now) });
      // Again, for codes and links that were sent to the new address.
      removePending(tables, user, true);
      revokeSessions(tables, user, now);
      return { status: 'changed', user: copy(user) };
    },
    async setLanguage(userId, epoch, language, now) {
      const user = users.get(userId);
      if (user?.epoch !== epoch) return false;
      Object.assign(user, { language, updatedAt: copy(now) });
      return true;
    },
    async listSessions(userId) {
      const own = [...sessions.values()].filter((session) => session.userId === userId);
      return copy(own.sort(byAge(({ id }) => id)));
    },
  };
}

/** Deletes the user and every row that names the user's id or verified address. */
export function deleteUserRows(tables: Tables, { id, email, emailVerified, externalId }: StoredUser): void {
  const { sessions, identities, families, apiKeys, memberships, credentials, invites, tokens, codes } =
    tables;
  const { activeUsers, oauthGrants, oauthTokens, trustedBrowsers } = tables;
  // An address that was never proven may be someone else's, and so are the codes, links and invites
  // sent to it.
  const provenEmail = emailVerified ? email : null;
  const subjects = new Set([id, ...phonesOf(tables, id), ...(provenEmail === null ? [] : [provenEmail])]);
  const isOwn = (grantId: string | null) => oauthGrants.get(grantId ?? '')?.userId === id;
  removeWhere(oauthTokens, ({ grantId }) => isOwn(grantId));
  const owned = [
    sessions,
    identities,
    families,
    apiKeys,
    memberships,
    credentials,
    trustedBrowsers,
    oauthGrants,
    activeUsers,
  ];
  for (const table of owned) {
    removeWhere<{ userId: string | null }>(table, ({ userId }) => userId === id);
  }
  removeWhere(invites, (invite) => invite.invitedByUserId === id || invite.email === provenEmail);
  removeWhere(tokens, ({ subject }) => subjects.has(subject));
  removeWhere(codes, ({ subject }) => subjects.has(subject));
  tables.totp.delete(id);
  tables.recoveryCodes.delete(id);
  if (email !== null) tables.userIdByEmail.delete(email);
  tables.userIdByUsername.delete(tables.usernames.get(id)?.key ?? '');
  tables.usernames.delete(id);
  if (externalId !== null) tables.userIdByExternalId.delete(externalId);
  tables.lastSignIns.delete(id);
  tables.guests.delete(id);
  tables.users.delete(id);
}
