/** `svc_users` for statements on the hot path: row, mapping and the lookups of one user. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import type { UserBlock } from '../../domain/user-block.js';
import type { StoredUser } from '../../domain/user.js';
import { isUuid } from '../../domain/uuid.js';
import type { NewUser, UserRepository } from '../../storage/repositories.js';
import { asJsonb, asText, asTimestamp, asUuid, readOptionalTime, readTime } from '../shared/bindings.js';
import { anyOfIds, epochMs } from './expressions.js';
import { byIndex } from './by-index.js';
import { coalesce } from '../shared/coalesce.js';
import { epochOf, lockdowns, lockdownTime } from '../shared/lockdown-columns.js';
import type { Bindings, Database } from './database.js';

/**
 * Prefixed, so that a join with another table needs no aliases. Metadata is a string: see `toUser`.
 */
export interface UserRow {
  user_id: string;
  user_email: string | null;
  user_email_verified: boolean;
  user_password_hash: string | null;
  user_metadata: string;
  user_epoch: number;
  user_sessions_valid_after: string | null;
  user_totp_enabled: boolean;
  user_blocked_at: string | null;
  user_blocked_until: string | null;
  user_blocked_reason: string | null;
  user_roles: string | null;
  user_language: string | null;
  user_username: string | null;
  user_external_id: string | null;
  user_created_at: string;
  user_updated_at: string;
}

/** The columns of the block of a user. */
export function blockColumns(user: string): string {
  return `
    ${epochMs(`${user}.blocked_at`)} as user_blocked_at,
    ${epochMs(`${user}.blocked_until`)} as user_blocked_until, ${user}.blocked_reason as user_blocked_reason`;
}

/** The columns of `svc_users as u`. */
export const userColumns = `
  u.id as user_id, u.email as user_email, u.email_verified as user_email_verified,
  u.password_hash as user_password_hash, cast(u.metadata as text) as user_metadata, ${epochOf('u')} as user_epoch,
  ${epochMs(`greatest(u.sessions_valid_after, ${lockdownTime})`)} as user_sessions_valid_after, u.totp_enabled as user_totp_enabled,
  ${blockColumns('u')}, cast(array_to_json(u.roles) as text) as user_roles, u.language as user_language,
  u.username as user_username, u.external_id as user_external_id,
  ${epochMs('u.created_at')} as user_created_at, ${epochMs('u.updated_at')} as user_updated_at`;

/**
 * SQL for the user of a condition as one column, for statements about other rows. PostgreSQL
 * describes and sends each column of a result, with every row and also if no user is found.
 * @param condition on `svc_users as u`, which one user meets at most.
 */
export function userAsJson(condition: string): string {
  return `(
    select cast(row_to_json(found) as text)
    from (select ${userColumns} from svc_users u where ${condition}) as found)`;
}

/** Reads a column of `userAsJson`. */
export function readUser(json: string | null): StoredUser | null {
  return json === null ? null : toUser(JSON.parse(json) as UserRow);
}

/**
 * Condition: `svc_users as u` is the user `:userId`, has the epoch `:epoch` and is not blocked.
 * @param time an expression.
 */
export function maySignInAt(time: string): string {
  return `u.id = :userId and ${byIndex('u.id')} and ${epochOf('u')} = :epoch and not ${isBlockedAt(time)}`;
}

/** Condition: a block of `svc_users as u` is in force. Never null. @param time an expression. */
export function isBlockedAt(time: string): string {
  return `(u.blocked_at is not null and (u.blocked_until is null or u.blocked_until > ${time}))`;
}

export function toBlock(
  row: Pick<UserRow, 'user_blocked_at' | 'user_blocked_until' | 'user_blocked_reason'>,
): UserBlock | null {
  if (row.user_blocked_at === null) return null;
  const until = readOptionalTime(row.user_blocked_until);
  return { at: readTime(row.user_blocked_at), until, reason: row.user_blocked_reason };
}

/**
 * Callers of one coalesced query share the row, so JSON and dates are created here, once per
 * caller.
 */
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
    blocked: toBlock(row),
    roles: row.user_roles === null ? [] : (JSON.parse(row.user_roles) as string[]),
    language: row.user_language,
    username: row.user_username,
    externalId: row.user_external_id,
    createdAt: readTime(row.user_created_at),
    updatedAt: readTime(row.user_updated_at),
  };
}

/** Inserts into `svc_users`, or nothing if the address, the id or the external id is taken. */
export const insertUser = insertionOf('null');

/** @param lastSignInAt an expression. */
export function insertionOf(lastSignInAt: string): string {
  return `
  insert into svc_users (
    id, email, email_verified, password_hash, metadata, epoch, created_at, updated_at, roles,
    external_id, last_sign_in_at)
  values (
    :userId, :email, :emailVerified, :passwordHash, :metadata, - ${lockdowns}, :userCreatedAt, :userCreatedAt,
    cast(:roles as text[]), :externalId, ${lastSignInAt})
  on conflict do nothing`;
}

/** Null for no roles, so that the index has only users with roles. */
export function asRoles(roles: readonly string[]): readonly string[] | null {
  return roles.length === 0 ? null : roles;
}

/** @throws InvalidRequestError if the address is not canonical. */
export function newUserBindings(user: NewUser): Bindings {
  assertCanonicalEmail(user.email);
  return {
    userId: asUuid(user.id),
    email: user.email,
    emailVerified: user.emailVerified,
    passwordHash: user.passwordHash,
    metadata: asJsonb(user.metadata),
    roles: asRoles(user.roles ?? []),
    externalId: user.externalId ?? null,
    userCreatedAt: asTimestamp(user.createdAt),
  };
}

/**
 * SQL that locks the user `:userId` of a new row. It waits for a deletion that is in progress: a row
 * stored after it would name a user who no longer exists. `:userId` is null if the row is not of a
 * user. The sub-select hides that from PostgreSQL, which would otherwise plan the statement on every
 * call, because a plan for null is cheaper than one for any user.
 */
export const ownerForKeyShare = `
  owner as (select from svc_users where id = (select cast(:userId as uuid)) and ${byIndex('id')} for key share)`;

const findByIds = `select ${userColumns} from svc_users u where u.id = ${anyOfIds}`;

const selectByEmail = `select ${userColumns} from svc_users u where u.email = :email and ${byIndex('u.email')}`;

export async function findByEmail(db: Database, email: string): Promise<StoredUser | null> {
  const bindings = { email: asText(email) };
  const [user] = await db.queryPrepared('svc_user_by_email', selectByEmail, bindings, toUser);
  return user ?? null;
}

export function userQueries(db: Database): Pick<UserRepository, 'insert' | 'findById' | 'findByEmail'> {
  const rowById = coalesce(
    (ids) => db.queryPrepared('svc_users_by_id', findByIds, { ids }, (row: UserRow) => row),
    (row) => row.user_id,
  );
  return {
    async insert(user) {
      return (await db.executePrepared('svc_user_insert', insertUser, newUserBindings(user))) === 1;
    },
    async findById(id) {
      const row = isUuid(id) ? await rowById(id) : null;
      return row && toUser(row);
    },
    findByEmail: (email) => findByEmail(db, email),
  };
}
