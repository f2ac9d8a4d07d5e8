/** `svc_users`: row, mapping and the queries on one user. Changes that end sessions are in revocations.ts. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { initialUserState, type StoredUser } from '../../domain/user.js';
import type { AdministeredUser } from '../../domain/user-record.js';
import type { Username } from '../../domain/username.js';
import type { NewUser, UserRepository } from '../../storage/repositories.js';
import { asText, asUuid } from '../shared/bindings.js';
import { epochOf } from '../shared/lockdown-columns.js';
import type { Database, Queryable } from './database.js';
import { users, type StoredUserFields, type UserFields } from './records.js';
import { assignmentsOf, columnsOf, readerOf, valuesOf, type Row } from './tables.js';

/** The columns of `svc_users u`. */
export const userColumns = columnsOf(users, 'u');

export const userFields = readerOf(users, 'u');

export const toUser = (row: Row): StoredUser => storedUserOf(userFields(row));

/** For a row of an outer join. */
export const toOptionalUser = (row: Row): StoredUser | null => (row['u_id'] === null ? null : toUser(row));

export function storedUserOf(fields: StoredUserFields): StoredUser {
  const { blockedAt, blockedUntil: until, blockedReason: reason } = fields;
  return {
    id: fields.id,
    email: fields.email,
    emailVerified: fields.emailVerified,
    passwordHash: fields.passwordHash,
    metadata: fields.metadata,
    epoch: fields.epoch,
    sessionsValidAfter: fields.sessionsValidAfter,
    totpEnabled: fields.totpEnabled,
    blocked: blockedAt === null ? null : { at: blockedAt, until, reason },
    roles: fields.roles,
    language: fields.language,
    username: fields.username,
    externalId: fields.externalId,
    createdAt: fields.createdAt,
    updatedAt: fields.updatedAt,
  };
}

export function toAdministered(row: Row): AdministeredUser {
  const fields = userFields(row);
  const { isGuest, lastSignInAt } = fields;
  return { ...storedUserOf(fields), isGuest, lastSignInAt };
}

interface NewFields {
  isGuest?: boolean;
  username?: Username | null;
  lastSignInAt?: Date | null;
}

/**
 * Inserts a user. @throws InvalidRequestError if the address is not canonical. @throws InternalError
 * if the id, the address, the user name or the external id is taken.
 */
export async function insertUser(
  on: Queryable,
  user: NewUser,
  { isGuest = false, username = null, lastSignInAt = null }: NewFields = {},
): Promise<void> {
  assertCanonicalEmail(user.email);
  const { blocked: _, ...state } = initialUserState();
  const fields: UserFields = {
    ...state,
    ...user,
    roles: [...(user.roles ?? [])],
    externalId: user.externalId ?? null,
    updatedAt: user.createdAt,
    blockedAt: null,
    blockedUntil: null,
    blockedReason: null,
    isGuest,
    username: username?.name ?? null,
    usernameKey: username?.key ?? null,
    lastSignInAt,
  };
  await on.execute(users.insertion, { ...valuesOf(users, fields), id: asUuid(user.id) });
}

/** Like `insertUser`, but returns false if the id, the address or the external id is taken. */
export async function tryInsertUser(
  db: Database,
  on: Queryable,
  user: NewUser,
  fields?: NewFields,
): Promise<boolean> {
  try {
    await insertUser(on, user, fields);
    return true;
  } catch (error) {
    if (db.violatedKey(error) === null) throw error;
    return false;
  }
}

/** Updates a user whom the transaction has locked. */
export async function updateUser(
  transaction: Queryable,
  id: string,
  changes: Partial<UserFields>,
): Promise<void> {
  const values = valuesOf(users, changes);
  await transaction.execute(`update svc_users set ${assignmentsOf(users, values)} where id = :userId`, {
    ...values,
    userId: id,
  });
}

const findById = `select ${userColumns} from svc_users u where u.id = :id`;

const findByEmail = `select ${userColumns} from svc_users u where u.email = :email`;

/** Reads a user. */
export function readUser(on: Queryable, id: string): Promise<StoredUser | null> {
  return on.find(findById, { id: asUuid(id) }, toUser);
}

export function readUserByEmail(on: Queryable, email: string): Promise<StoredUser | null> {
  return on.find(findByEmail, { email: asText(email) }, toUser);
}

const lockById = `${findById} {lock}`;

const setFirstPassword = `
  update svc_users set password_hash = :passwordHash, updated_at = :now
  where id = :id and ${epochOf('svc_users')} = :epoch and password_hash is null`;

const renewPasswordHash = `
  update svc_users set password_hash = :toHash where id = :id and password_hash = :fromHash`;

export function userQueries(
  db: Database,
): Omit<UserRepository, 'claim' | 'resetPassword' | 'changePassword'> {
  return {
    insert: (user) => tryInsertUser(db, db, user),
    findById: (id) => readUser(db, id),
    findByEmail: (email) => readUserByEmail(db, email),
    markEmailVerified: (id, now, email) =>
      db.transaction(async (transaction) => {
        const user = await transaction.find(lockById, { id: asUuid(id) }, toUser);
        if (!user || (email !== undefined && user.email !== email)) return null;
        if (user.emailVerified) return user;
        const changes = { emailVerified: true, updatedAt: now };
        await updateUser(transaction, user.id, changes);
        return { ...user, ...changes };
      }),
    async setFirstPassword(id, epoch, passwordHash, now) {
      return (await db.execute(setFirstPassword, { id: asUuid(id), epoch, passwordHash, now })) === 1;
    },
    async renewPasswordHash(id, fromHash, toHash) {
      const bindings = { id: asUuid(id), fromHash: asText(fromHash), toHash };
      return (await db.execute(renewPasswordHash, bindings)) === 1;
    },
  };
}
