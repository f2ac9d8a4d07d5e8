/** `svc_credentials`: row, mapping, queries. */
import type { StoredCredential } from '../../domain/credential.js';
import type { DeviceInfo } from '../../domain/session.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import {
  epochMs,
  isStorable,
  asJsonb,
  asLabel,
  readOptionalTime,
  readTime,
  asText,
  asTimestamp,
  asUuid,
} from './bindings.js';
import { constraintOfUniqueViolation } from './database-error.js';
import type { Bindings, Database, Queryable } from './database.js';
import { signInMethods } from './identities.js';
import { oldestFirst, oldestFirstBindings } from './list-range.js';
import { admit } from './locks.js';
import { insertWithUsername, takenBy } from './user-administration.js';
import { newUserBindings, toUser, userColumns, usernameBindings, type UserRow } from './users.js';

interface CredentialRow {
  credential_id: string;
  credential_user_id: string;
  public_key: string;
  // A 64-bit column is returned as a string.
  counter: string;
  transports: string;
  backup_eligible: boolean;
  backed_up: boolean;
  aaguid: string;
  credential_name: string | null;
  last_used_from: string | null;
  credential_created_at: string;
  credential_last_used_at: string | null;
}

const columns = `
  c.id as credential_id, c.user_id as credential_user_id, c.public_key, cast(c.counter as text) as counter,
  cast(c.transports as text) as transports, c.backup_eligible, c.backed_up, c.aaguid,
  c.name as credential_name, cast(c.last_used_from as text) as last_used_from,
  ${epochMs('c.created_at')} as credential_created_at, ${epochMs('c.last_used_at')} as credential_last_used_at`;

function toCredential(row: CredentialRow): StoredCredential {
  return {
    id: row.credential_id,
    userId: row.credential_user_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports) as string[],
    backupEligible: row.backup_eligible,
    backedUp: row.backed_up,
    aaguid: row.aaguid,
    name: row.credential_name,
    lastUsedFrom: row.last_used_from === null ? null : (JSON.parse(row.last_used_from) as DeviceInfo),
    createdAt: readTime(row.credential_created_at),
    lastUsedAt: readOptionalTime(row.credential_last_used_at),
  };
}

function credentialBindings(credential: StoredCredential): Bindings {
  return {
    id: asText(credential.id),
    userId: asUuid(credential.userId),
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: asJsonb(credential.transports),
    backupEligible: credential.backupEligible,
    backedUp: credential.backedUp,
    aaguid: credential.aaguid,
    name: credential.name && asLabel(credential.name),
    lastUsedFrom: credential.lastUsedFrom && asJsonb(credential.lastUsedFrom),
    createdAt: asTimestamp(credential.createdAt),
    lastUsedAt: credential.lastUsedAt && asTimestamp(credential.lastUsedAt),
  };
}

const insertColumns = `
  id, user_id, public_key, counter, transports, backup_eligible, backed_up, aaguid, name, created_at, last_used_at,
  last_used_from`;

const values = `
  cast(:id as text), owner.id, cast(:publicKey as text), cast(:counter as bigint), cast(:transports as jsonb),
  cast(:backupEligible as boolean), cast(:backedUp as boolean), cast(:aaguid as text), cast(:name as text),
  cast(:createdAt as timestamptz), cast(:lastUsedAt as timestamptz), cast(:lastUsedFrom as jsonb)`;

// `for share`, as for sessions: waits for a claim or an upgrade in progress, then reads its result.
const insert = `
  with owner as (
    select id, is_guest, epoch = cast(:epoch as integer) as is_current from svc_users where id = :userId for share),
  inserted as (
    insert into svc_credentials (${insertColumns})
    select ${values} from owner where owner.is_current and not owner.is_guest on conflict (id) do nothing
    returning id),
  ended_trust as (delete from svc_trusted_browsers where user_id in (select owner.id from owner, inserted))
  select is_guest, is_current, exists (select from inserted) as is_inserted from owner`;

// No `on conflict`: the error of a taken id also undoes the insertion of the user.
const insertWithUser = `
  with owner as (${insertWithUsername} returning id)
  insert into svc_credentials (${insertColumns}) select ${values} from owner`;

/** The owner of a new passkey, as read under the lock, and whether the passkey was inserted. */
interface InsertRow {
  is_guest: boolean;
  is_current: boolean;
  is_inserted: boolean;
}

const findWithUser = `
  select ${columns}, ${userColumns} from svc_credentials c join svc_users u on u.id = c.user_id where c.id = :id`;

const listForUser = `
  select ${columns} from svc_credentials c
  where c.user_id = :userId ${oldestFirst('c.created_at', 'c.id', 'text')}`;

// The cast is needed because the counter is an unsigned 32-bit number: next to the literal 0 its
// type would be inferred as a signed 32-bit integer.
const use = `
  update svc_credentials
  set counter = :counter, backed_up = :backedUp, last_used_at = :now, last_used_from = cast(:from as jsonb)
  where id = :id and (counter < :counter or (counter = 0 and cast(:counter as bigint) = 0))`;

const rename = `
  update svc_credentials as c set name = cast(:name as text) where c.id = :id and c.user_id = :userId
  returning ${columns}`;

const isOwn = `select id from svc_credentials where id = :id and user_id = :userId`;

const remove = `
  with removed as (delete from svc_credentials where id = :id and user_id = :userId returning user_id),
    ended_trust as (delete from svc_trusted_browsers where user_id in (select user_id from removed))
  select 1 from removed`;

export function credentialQueries(db: Database): CredentialRepository {
  return {
    async insert(credential, epoch) {
      // PostgreSQL cannot store such an id.
      if (!isStorable(credential.id)) return 'taken';
      const bindings = { ...credentialBindings(credential), epoch };
      const [owner] = await db.query(insert, bindings, (row: InsertRow) => row);
      if (owner?.is_guest) return 'guest';
      if (!owner?.is_current) return 'no_user';
      return owner.is_inserted ? 'inserted' : 'taken';
    },
    async insertWithUser(credential, user, username) {
      if (!isStorable(credential.id)) return 'taken';
      const bindings = { ...credentialBindings(credential), ...newUserBindings(user) };
      try {
        await db.execute(insertWithUser, { ...bindings, ...usernameBindings(username) });
        return 'inserted';
      } catch (error) {
        return constraintOfUniqueViolation(error) === 'svc_credentials_pkey' ? 'taken' : takenBy(error);
      }
    },
    async findWithUser(id) {
      const [credentialWithUser] = await db.query(
        findWithUser,
        { id: asText(id) },
        (row: CredentialRow & UserRow) => ({
          credential: toCredential(row),
          user: toUser(row),
        }),
      );
      return credentialWithUser ?? null;
    },
    async listForUser(userId, range) {
      const bindings = { userId: asUuid(userId), ...oldestFirstBindings(range, 'text') };
      return db.query(listForUser, bindings, toCredential);
    },
    async use({ id, counter, backedUp, from, now }) {
      const bindings = {
        id: asText(id),
        counter,
        backedUp,
        from: from ? asJsonb(from) : null,
        now: asTimestamp(now),
      };
      return (await db.execute(use, bindings)) === 1;
    },
    async rename(userId, id, name) {
      const bindings = { userId: asUuid(userId), id: asText(id), name: name && asLabel(name) };
      const [renamed] = await db.query(rename, bindings, toCredential);
      return renamed ?? null;
    },
    async remove(userId, id, allowed, by) {
      const bindings = { userId: asUuid(userId), id: asText(id) };
      const isRemoved = async (on: Queryable) => (await on.query(remove, bindings, () => true)).length === 1;
      if (!allowed && !by) return isRemoved(db);
      return db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        if (!allowed) return isRemoved(transaction);
        const methods = await signInMethods(transaction, userId);
        const [own] = methods ? await transaction.query(isOwn, bindings, (row: { id: string }) => row) : [];
        if (!methods || !own || !allowed({ ...methods, passkeys: methods.passkeys - 1 })) return false;
        return isRemoved(transaction);
      });
    },
  };
}
