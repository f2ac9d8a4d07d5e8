/** `svc_users`: row, mapping and the queries on one user. What also revokes sessions is in revocations.ts. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import type { StoredUser } from '../../domain/user.js';
import type { NewUser, UserRepository } from '../../storage/repositories.js';
import { epochMs, isUuid, json, readOptionalTime, readTime, text, time, uuid } from './bindings.js';
import { coalesce } from './coalesce.js';
import type { Bindings, Database } from './database.js';

/** Prefixed, so that a join with another table needs no further names. Metadata is text: see `toUser`. */
export interface UserRow {
  user_id: string;
  user_email: string | null;
  user_email_verified: boolean;
  user_password_hash: string | null;
  user_metadata: string;
  user_epoch: number;
  user_sessions_valid_after: string | null;
  user_totp_enabled: boolean;
  user_created_at: string;
  user_updated_at: string;
}

/** Of `svc_users as u`, in every statement. */
export const userColumns = `
  u.id as user_id, u.email as user_email, u.email_verified as user_email_verified,
  u.password_hash as user_password_hash, cast(u.metadata as text) as user_metadata, u.epoch as user_epoch,
  ${epochMs('u.sessions_valid_after')} as user_sessions_valid_after, u.totp_enabled as user_totp_enabled,
  ${epochMs('u.created_at')} as user_created_at, ${epochMs('u.updated_at')} as user_updated_at`;

/** Callers of one coalesced look-up share the row: JSON is parsed and dates are made here, once for each of them. */
export function toUser(row: UserRow): StoredUser {
  return {
    id: row.user_id,
    email: row.user_email,
    emailVerified: row.user_email_verified,
    passwordHash: row.user_password_hash,
    metadata: JSON.parse(row.user_metadata) as Record<string, unknown>,
    epoch: row.user_epoch,
    sessionsValidAfter: readOptionalTime(row.user_sessions_valid_after),
    totpEnabled: row.user_totp_enabled,
    createdAt: readTime(row.user_created_at),
    updatedAt: readTime(row.user_updated_at),
  };
}

/** Inserts into `svc_users`; nothing where the address (or the id) is taken. */
export const insertUser = `
  insert into svc_users (id, email, email_verified, password_hash, metadata, epoch, created_at, updated_at)
  values (:userId, :email, :emailVerified, :passwordHash, :metadata, 0, :userCreatedAt, :userCreatedAt)
  on conflict do nothing`;

/** @throws InvalidRequestError for an address that is not canonical. */
export function newUserBindings(user: NewUser): Bindings {
  assertCanonicalEmail(user.email);
  return {
    userId: uuid(user.id),
    email: user.email,
    emailVerified: user.emailVerified,
    passwordHash: user.passwordHash,
    metadata: json(user.metadata),
    userCreatedAt: time(user.createdAt),
  };
}

const findByIds = `select ${userColumns} from svc_users u where u.id = any(cast(:ids as uuid[]))`;

const findByEmail = `select ${userColumns} from svc_users u where u.email = :email`;

const markEmailVerified = `
  update svc_users as u
  set email_verified = true, updated_at = case when u.email_verified then u.updated_at else :now end
  where u.id = :id
  returning ${userColumns}`;

const setFirstPassword = `
  update svc_users set password_hash = :passwordHash, updated_at = :now
  where id = :id and epoch = :epoch and password_hash is null`;

const renewPasswordHash = `
  update svc_users set password_hash = :toHash where id = :id and password_hash = :fromHash`;

export function userQueries(
  db: Database,
): Omit<UserRepository, 'claim' | 'resetPassword' | 'changePassword'> {
  const rowById = coalesce(
    (ids) => db.queryPrepared('svc_users_by_id', findByIds, { ids }, (row: UserRow) => row),
    (row) => row.user_id,
  );
  return {
    async insert(user) {
      return (await db.execute(insertUser, newUserBindings(user))) === 1;
    },
    async findById(id) {
      const row = isUuid(id) ? await rowById(id) : null;
      return row && toUser(row);
    },
    async findByEmail(email) {
      const [user] = await db.query(findByEmail, { email: text(email) }, toUser);
      return user ?? null;
    },
    async markEmailVerified(id, now) {
      const [user] = await db.query(markEmailVerified, { id: uuid(id), now: time(now) }, toUser);
      return user ?? null;
    },
    async setFirstPassword(id, epoch, passwordHash, now) {
      const bindings = { id: uuid(id), epoch, passwordHash, now: time(now) };
      return (await db.execute(setFirstPassword, bindings)) === 1;
    },
    async renewPasswordHash(id, fromHash, toHash) {
      return (await db.execute(renewPasswordHash, { id: uuid(id), fromHash: text(fromHash), toHash })) === 1;
    },
  };
}
