/** `svc_credentials`: queries. */
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import { isStorable, asJsonb, asLabel, asText, asTimestamp, asUuid } from './bindings.js';
import type { Database } from './database.js';
import { signInMethods } from './identities.js';
import { oldestFirst, oldestFirstBindings } from './list-range.js';
import { conflictOf, insertWithProof } from './credential-proofs.js';
import {
  credentialBindings,
  credentialColumns,
  insertColumns,
  insertValues,
  toCredential,
  type CredentialRow,
} from './credential-rows.js';
import { admit, hasEpoch, lockUser } from './locks.js';
import { insertWithUsername } from './user-administration.js';
import { newUserBindings, toUser, userColumns, usernameBindings, type UserRow } from './users.js';

// Requires the lock of the user: without it, a browser that is trusted in the meantime would stay.
const insert = `
  with inserted as (
    insert into svc_credentials (${insertColumns})
    select ${insertValues} from svc_users as owner where owner.id = :userId on conflict (id) do nothing
    returning user_id),
  ended_trust as (delete from svc_trusted_browsers where user_id in (select user_id from inserted))
  select 1 from inserted`;

// No `on conflict`: the error of a taken id also undoes the insertion of the user.
const insertWithUser = `
  with owner as (${insertWithUsername} returning id)
  insert into svc_credentials (${insertColumns}) select ${insertValues} from owner`;

const findWithUser = `
  select ${credentialColumns}, ${userColumns} from svc_credentials c join svc_users u on u.id = c.user_id where c.id = :id`;

const listForUser = `
  select ${credentialColumns} from svc_credentials c
  where c.user_id = :userId ${oldestFirst('c.created_at', 'c.id', 'text')}`;

// The cast is needed because the counter is an unsigned 32-bit number: next to the literal 0 its
// type would be inferred as a signed 32-bit integer.
const use = `
  update svc_credentials
  set counter = :counter, backed_up = :backedUp, last_used_at = :now, last_used_from = cast(:from as jsonb)
  where id = :id and (counter < :counter or (counter = 0 and cast(:counter as bigint) = 0))`;

const rename = `
  update svc_credentials as c set name = cast(:name as text) where c.id = :id and c.user_id = :userId
  returning ${credentialColumns}`;

// Requires the lock of the user.
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
      return db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, credential.userId);
        if (locked?.isGuest) return 'guest';
        if (!locked || !hasEpoch(locked, epoch)) return 'no_user';
        const inserted = await transaction.query(insert, credentialBindings(credential), () => true);
        return inserted.length === 1 ? 'inserted' : 'taken';
      });
    },
    async insertWithUser(credential, user, username) {
      if (!isStorable(credential.id)) return 'taken';
      const bindings = { ...credentialBindings(credential), ...newUserBindings(user) };
      try {
        await db.execute(insertWithUser, { ...bindings, ...usernameBindings(username) });
        return 'inserted';
      } catch (error) {
        return conflictOf(error);
      }
    },
    async insertWithProof(credential, proof) {
      if (!isStorable(credential.id)) return { status: 'taken' };
      try {
        return await db.transaction((transaction) => insertWithProof(transaction, credential, proof));
      } catch (error) {
        const status = conflictOf(error);
        if (status === 'email_taken') throw error;
        return { status };
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
      return db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        // Locks the user.
        const methods = await signInMethods(transaction, userId);
        const [own] = methods ? await transaction.query(isOwn, bindings, (row: { id: string }) => row) : [];
        if (!methods || !own) return false;
        if (allowed && !allowed({ ...methods, passkeys: methods.passkeys - 1 })) return false;
        return (await transaction.query(remove, bindings, () => true)).length === 1;
      });
    },
  };
}
