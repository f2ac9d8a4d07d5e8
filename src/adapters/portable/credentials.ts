/** `svc_credentials`: row, mapping, queries. */
import type { StoredCredential } from '../../domain/credential.js';
import { mergeMetadata } from '../../domain/metadata.js';
import type {
  CredentialProof,
  CredentialProofOutcome,
  CredentialRepository,
} from '../../storage/second-factor-repositories.js';
import { asJsonb, asLabel, asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { signInMethods } from './identities.js';
import { oldestFirst } from './list-range.js';
import { admit, lockUser } from './locks.js';
import { credentials } from './records.js';
import { claimUser } from './revocations.js';
import { columnsOf, readerOf, valuesOf } from './tables.js';
import { insertUser, readUser, toUser, updateUser, userColumns } from './users.js';
import { takenBy } from './user-administration.js';

const columns = columnsOf(credentials, 'c');
const toCredential = readerOf(credentials, 'c');

const findWithUser = `
  select ${columns}, ${userColumns} from svc_credentials c join svc_users u on u.id = c.user_id where c.id = :id`;

const ofUser = `select ${columns} from svc_credentials c where c.user_id = :userId`;

const isRegistered = `select 1 as found from svc_credentials where id = :id`;

const findOwn = `${ofUser} and c.id = :id`;

const useIf = (condition: string) => `
  update svc_credentials
  set counter = :counter, backed_up = :backedUp, last_used_at = :now, last_used_from = :usedFrom
  where id = :id and ${condition}`;

const use = useIf('counter < :counter');
// An authenticator that does not count, or a synchronized passkey in a manager that does not.
const useUncounted = useIf('(counter = 0 or backup_eligible)');

const rename = `update svc_credentials set name = :name where id = :id and user_id = :userId`;

const remove = `delete from svc_credentials where id = :id and user_id = :userId`;

const endTrust = `delete from svc_trusted_browsers where user_id = :userId`;

/** Ids are base64url: MariaDB and MySQL compare them as ASCII. */
export const asCredentialId = (id: string) => (/^[\x21-\x7e]+$/.test(id) ? id : null);

async function insert(transaction: Queryable, credential: StoredCredential): Promise<void> {
  const name = credential.name === null ? null : asLabel(credential.name);
  const values = valuesOf(credentials, { ...credential, name });
  await transaction.execute(credentials.insertion, { ...values, id: asCredentialId(credential.id) });
}

async function insertWithProof(
  transaction: Queryable,
  credential: StoredCredential,
  { email, epoch, keepsAccount, username, metadata, now }: CredentialProof,
): Promise<CredentialProofOutcome> {
  const { user } = (await lockUser(transaction, credential.userId)) ?? {};
  if (user?.email !== email || user.emailVerified || user.epoch !== epoch) return { status: 'no_user' };
  // Before the claim, which removes the passkeys of the account.
  const registered = { id: asCredentialId(credential.id) };
  if (await transaction.find(isRegistered, registered, () => true)) return { status: 'taken' };
  const changes = {
    emailVerified: true,
    metadata: mergeMetadata(user.metadata, metadata),
    updatedAt: now,
    ...(username && { username: username.name, usernameKey: username.key }),
  };
  if (!keepsAccount) await claimUser(transaction, user, null, now);
  await updateUser(transaction, user.id, changes);
  await insert(transaction, credential);
  await transaction.execute(endTrust, { userId: user.id });
  const changed = await readUser(transaction, user.id);
  // The row exists: this transaction has locked it.
  return { status: 'inserted', user: changed ?? user };
}

const isCredentialKey = (key: string | null) => key === 'svc_credentials_id' || key === 'PRIMARY';

export function credentialQueries(db: Database): CredentialRepository {
  const find = (on: Queryable, userId: string, id: string) =>
    on.find(findOwn, { userId: asUuid(userId), id: asCredentialId(id) }, toCredential);
  return {
    async insert(credential, epoch) {
      // No authenticator has such an id.
      if (asCredentialId(credential.id) === null) return 'taken';
      try {
        return await db.transaction(async (transaction) => {
          const locked = await lockUser(transaction, credential.userId);
          if (locked?.isGuest) return 'guest';
          if (locked?.user.epoch !== epoch) return 'no_user';
          await insert(transaction, credential);
          await transaction.execute(endTrust, { userId: credential.userId });
          return 'inserted';
        });
      } catch (error) {
        if (isCredentialKey(db.violatedKey(error))) return 'taken';
        throw error;
      }
    },
    async insertWithUser(credential, user, username) {
      if (asCredentialId(credential.id) === null) return 'taken';
      let isUserInserted = false;
      try {
        return await db.transaction(async (transaction) => {
          isUserInserted = false;
          if (await transaction.find(findWithUser, { id: asCredentialId(credential.id) }, toUser))
            return 'taken';
          await insertUser(transaction, user, { username });
          isUserInserted = true;
          await insert(transaction, credential);
          return 'inserted';
        });
      } catch (error) {
        if (isUserInserted && isCredentialKey(db.violatedKey(error))) return 'taken';
        return takenBy(db, error);
      }
    },
    async insertWithProof(credential, proof) {
      if (asCredentialId(credential.id) === null) return { status: 'taken' };
      try {
        return await db.transaction((transaction) => insertWithProof(transaction, credential, proof));
      } catch (error) {
        if (isCredentialKey(db.violatedKey(error))) return { status: 'taken' };
        if (takenBy(db, error) === 'username_taken') return { status: 'username_taken' };
        throw error;
      }
    },
    findWithUser: (id) =>
      db.find(findWithUser, { id: asCredentialId(id) }, (row) => ({
        credential: toCredential(row),
        user: toUser(row),
      })),
    async listForUser(userId, range) {
      const { sql, bindings } = oldestFirst('c.created_at', 'c.id', range, asCredentialId);
      return db.query(`${ofUser} ${sql}`, { userId: asUuid(userId), ...bindings }, toCredential);
    },
    async use({ id, counter, backedUp, from, now }) {
      const bindings = {
        id: asCredentialId(id),
        counter,
        backedUp,
        now,
        usedFrom: from ? asJsonb(from) : null,
      };
      return (await db.execute(counter === 0 ? useUncounted : use, bindings)) === 1;
    },
    rename: (userId, id, name) =>
      db.transaction(async (transaction) => {
        if (!(await lockUser(transaction, userId))) return null;
        const bindings = { id: asCredentialId(id), userId, name: name === null ? null : asLabel(name) };
        await transaction.execute(rename, bindings);
        return find(transaction, userId, id);
      }),
    remove: (userId, id, allowed, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const methods = await signInMethods(transaction, userId);
        if (!methods || !(await find(transaction, userId, id))) return false;
        if (allowed && !allowed({ ...methods, passkeys: methods.passkeys - 1 })) return false;
        await transaction.execute(endTrust, { userId });
        return (await transaction.execute(remove, { userId, id: asCredentialId(id) })) === 1;
      }),
  };
}
