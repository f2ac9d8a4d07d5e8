/** Users in memory, and the changes that end all of a user's sessions. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { phoneProvider } from '../../domain/identity.js';
import { mailboxPurposes } from '../../domain/mailbox-purposes.js';
import { revokedPrefix } from '../../domain/org-invite.js';
import type { ServiceOneTimeCode } from '../../domain/one-time-code.js';
import { isResetFor } from '../../domain/single-use-token.js';
import { isInForce } from '../../domain/user-block.js';
import { initialUserState, type StoredUser } from '../../domain/user.js';
import type { ActingUser } from '../../storage/acting-user.js';
import type { NewUser, UserRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import { removeWhere, type Tables } from './tables.js';

/** Calls `decide` of the user who makes a change. */
export function admit({ users }: Tables, by: ActingUser | undefined): void {
  by?.decide(copy(users.get(by.userId) ?? null));
}

/** Whether a sign-in of the user may start: the user exists, has this epoch, and is not blocked. */
export function mayStart({ users }: Tables, userId: string, epoch: number, now: Date): boolean {
  const user = users.get(userId);
  return user?.epoch === epoch && !isInForce(user.blocked, now.getTime());
}

export function markSignIn(
  { lastSignIns }: Tables,
  { userId, createdAt }: { userId: string; createdAt: Date },
): void {
  const last = lastSignIns.get(userId);
  if (!last || last < createdAt) lastSignIns.set(userId, copy(createdAt));
}

export function memoryUsers(tables: Tables): UserRepository {
  const { users, userIdByEmail, tokens } = tables;
  return {
    async insert(user) {
      return insertUser(tables, user);
    },
    async findById(id) {
      return copy(users.get(id) ?? null);
    },
    async findByEmail(email) {
      return copy(users.get(userIdByEmail.get(email) ?? '') ?? null);
    },
    async markEmailVerified(id, now, email) {
      const user = users.get(id);
      if (!user || (email !== undefined && user.email !== email)) return null;
      if (!user.emailVerified) Object.assign(user, { emailVerified: true, updatedAt: copy(now) });
      return copy(user);
    },
    async claim(id, now, email) {
      const user = users.get(id);
      if (!user || user.emailVerified || (email !== undefined && user.email !== email)) return null;
      claimUser(tables, user, null, now);
      return copy(user);
    },
    async setFirstPassword(id, epoch, passwordHash, now) {
      const user = users.get(id);
      if (!user || user.epoch !== epoch || user.passwordHash !== null) return false;
      Object.assign(user, { passwordHash, updatedAt: copy(now) });
      return true;
    },
    async renewPasswordHash(id, fromHash, toHash) {
      const user = users.get(id);
      if (!user || user.passwordHash === null || user.passwordHash !== fromHash) return false;
      user.passwordHash = toHash;
      return true;
    },
    async resetPassword({ tokenDigest, email, userId, passwordHash, revokeCredentials, now }) {
      const user = users.get(userIdByEmail.get(email) ?? '');
      const token = tokens.get(tokenDigest);
      if (
        !user ||
        token?.purpose !== 'password_reset' ||
        token.subject !== email ||
        token.expiresAt <= now ||
        !token.account ||
        !isResetFor(user, userId, token.account)
      ) {
        return null;
      }
      const claimed = !user.emailVerified;
      if (claimed) {
        claimUser(tables, user, passwordHash, now);
      } else {
        replacePassword(tables, user, passwordHash, now);
        disableEmailFactor(tables, user);
        if (revokeCredentials) removeKeys(tables, user);
      }
      return { user: copy(user), claimed };
    },
    async changePassword({ userId, epoch, fromHash, passwordHash, now }) {
      const user = users.get(userId);
      if (!user || user.passwordHash === null || user.passwordHash !== fromHash)
        return { status: 'other_password' };
      if (user.epoch !== epoch) return { status: 'epoch_moved' };
      replacePassword(tables, user, passwordHash, now);
      return { status: 'changed', user: copy(user) };
    },
  };
}

/**
 * Returns false if the id, the address or the external id is taken. @throws InvalidRequestError if
 * the address is not canonical.
 */
export function insertUser(tables: Tables, user: NewUser): boolean {
  assertCanonicalEmail(user.email);
  const { users, userIdByEmail, userIdByExternalId } = tables;
  const { externalId = null } = user;
  if (users.has(user.id) || (user.email !== null && userIdByEmail.has(user.email))) return false;
  if (externalId !== null && userIdByExternalId.has(externalId)) return false;
  const roles = [...(user.roles ?? [])];
  const state = { ...initialUserState(), roles, externalId, updatedAt: user.createdAt };
  users.set(user.id, copy({ ...user, ...state }));
  if (externalId !== null) userIdByExternalId.set(externalId, user.id);
  if (user.email !== null) userIdByEmail.set(user.email, user.id);
  return true;
}

/** Revokes the user's sessions, and every token of the user by the epoch. */
export function revokeSessions(tables: Tables, user: StoredUser, now: Date): void {
  for (const session of tables.sessions.values()) {
    if (session.userId === user.id) session.revokedAt ??= copy(now);
  }
  raiseEpoch(user, now);
}

export function claimUser(tables: Tables, user: StoredUser, passwordHash: string | null, now: Date): void {
  // Before the identities: codes to the user's phone numbers are pending too.
  removePending(tables, user, true);
  removeWhere(tables.sessions, (session) => session.userId === user.id);
  removeWhere(tables.identities, (identity) => identity.userId === user.id);
  removeWhere(tables.families, (family) => family.userId === user.id);
  removeKeys(tables, user);
  removeCredentials(tables, user);
  removePendingInvites(tables, user);
  raiseEpoch(user, now);
  Object.assign(user, { passwordHash, emailVerified: true, language: null, updatedAt: copy(now) });
}

/** Keeps revoked invites, which supersede an older invite that is stored late. */
function removePendingInvites({ invites }: Tables, { id }: StoredUser): void {
  for (const [digest, { invitedByUserId, acceptedAt }] of invites) {
    const isPending = acceptedAt === null && !digest.startsWith(revokedPrefix);
    if (isPending && invitedByUserId === id) invites.delete(digest);
  }
}

/** Passkeys and API keys. */
function removeKeys(tables: Tables, user: StoredUser): void {
  removeWhere(tables.credentials, (credential) => credential.userId === user.id);
  removeWhere(tables.apiKeys, (key) => key.userId === user.id);
}

/** Passkeys and the second factor. */
export function removeCredentials(tables: Tables, user: StoredUser): void {
  removeWhere(tables.credentials, (credential) => credential.userId === user.id);
  tables.totp.delete(user.id);
  tables.recoveryCodes.delete(user.id);
  user.totpEnabled = false;
}

export function replacePassword(tables: Tables, user: StoredUser, passwordHash: string, now: Date): void {
  revokeSessions(tables, user, now);
  removePending(tables, user, user.emailVerified);
  Object.assign(user, { passwordHash, updatedAt: copy(now) });
}

/**
 * Removes the pending tokens, codes and enrollments of the user and of the user's address.
 * @param isMailboxOwner whether this includes what was mailed to the address.
 */
export function removePending(tables: Tables, { id, email }: StoredUser, isMailboxOwner: boolean): void {
  const phones = phonesOf(tables, id);
  const isOfAddress = (subject: string) => isMailboxOwner && subject === email;
  const isOfUser = ({ purpose, subject }: ServiceOneTimeCode) =>
    subject === id && (isMailboxOwner || !mailboxPurposes.includes(purpose));
  removeWhere(tables.tokens, ({ subject }) => subject === id || isOfAddress(subject));
  removeWhere(
    tables.codes,
    (code) =>
      isOfUser(code) ||
      isOfAddress(code.subject) ||
      (code.purpose === 'phone_code' && phones.has(code.subject)),
  );
  removeBegunEnrollment(tables, id);
}

/**
 * After a reset the password proves the mailbox alone, and so does a code that is mailed to it: two
 * proofs of one mailbox are one factor.
 */
function disableEmailFactor({ totp }: Tables, { id }: StoredUser): void {
  const enrollment = totp.get(id);
  if (enrollment) enrollment.email = false;
}

export function removeBegunEnrollment({ totp }: Tables, userId: string): void {
  const enrollment = totp.get(userId);
  if (enrollment && enrollment.apps.length > 0) enrollment.pendingSecret = null;
  else totp.delete(userId);
}

/** The phone numbers with which a user signs in. */
export function phonesOf({ identities }: Tables, userId: string): Set<string> {
  const phones = [...identities.values()].filter(
    ({ userId: owner, provider }) => owner === userId && provider === phoneProvider,
  );
  return new Set(phones.map(({ providerAccountId }) => providerAccountId));
}

function raiseEpoch(user: StoredUser, now: Date): void {
  user.epoch += 1;
  // Never earlier: a slow clock must not make tokens valid again that a faster clock revoked.
  if (user.sessionsValidAfter === null || user.sessionsValidAfter < now) user.sessionsValidAfter = copy(now);
}
