/** The account of a session of another system. */
import { parseEmailAddress } from '../../domain/email-address.js';
import { externalIdOf } from '../../domain/external-id.js';
import { isUuid, keptIdOf } from '../../domain/uuid.js';
import type { StoredUser } from '../../domain/user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { capability } from '../support/capability.js';
import type { LegacyQuery } from '../../domain/legacy-query.js';
import type { OldSession } from './session-source.js';

/**
 * Returns the account to which an old session leads, or null. A person whom only the former system has is imported first
 * (`emailPassword.legacy`).
 */
export async function userOfOldSession(
  storage: StorageAdapter,
  session: OldSession,
  bring: (query: LegacyQuery) => Promise<boolean>,
): Promise<StoredUser | null> {
  const user = await findUser(storage, session);
  if (user) return user;
  const query = queryOf(session.user);
  return query && (await bring(query)) ? findUser(storage, session) : null;
}

/** Returns whether an old session names its account by the id that the account has here. */
export function namesOwnId({ user }: OldSession): boolean {
  return typeof user === 'object' && user !== null && !('externalId' in user) && 'id' in user;
}

/** What the former system knows the person by. Null if the session leads to no one, or to an address that is not verified. */
function queryOf(user: OldSession['user']): LegacyQuery | null {
  if (user === null || user === undefined) return null;
  if (typeof user === 'object' && 'email' in user) {
    const email = user.emailVerified === true ? canonicalOrNull(user.email) : null;
    return email === null ? null : { email };
  }
  const externalId = externalIdOf(typeof user !== 'object' ? user : 'id' in user ? user.id : user.externalId);
  return externalId === null ? null : { externalId };
}

/**
 * Returns the account to which an old session leads, or null. An address counts only if both systems have verified it: anyone can sign up
 * with the address of another person.
 */
async function findUser(storage: StorageAdapter, { user }: OldSession): Promise<StoredUser | null> {
  if (user === null || user === undefined) return null;
  if (typeof user !== 'object') return byExternalId(storage, user);
  if ('externalId' in user) return byExternalId(storage, user.externalId);
  if ('id' in user) return isUuid(user.id) ? storage.users.findById(user.id) : null;
  if (!('email' in user) || typeof user.email !== 'string' || user.emailVerified !== true) return null;
  const email = canonicalOrNull(user.email);
  const account = email === null ? null : await storage.users.findByEmail(email);
  return account?.emailVerified ? account : null;
}

/**
 * An import keeps a UUID of the former system as the id of the account, which then has no external id. If another account has it as its
 * external id, nothing says which of them is meant.
 */
async function byExternalId(storage: StorageAdapter, id: unknown): Promise<StoredUser | null> {
  const externalId = externalIdOf(id);
  if (externalId === null) return null;
  const user = await capability(storage, 'userAdministration').find({ externalId });
  const keptId = keptIdOf(externalId);
  if (keptId === null) return user;
  const account = await storage.users.findById(keptId);
  if (user) return account === null || account.id === user.id ? user : null;
  return account?.externalId === null ? account : null;
}

function canonicalOrNull(email: unknown): string | null {
  try {
    if (typeof email !== 'string') return null;
    return parseEmailAddress(email);
  } catch {
    return null;
  }
}
