/** `svc_identities`: row, mapping, queries. */
import type { ServiceIdentity } from '../../domain/identity.js';
import type { IdentityRepository, SignInMethods } from '../../storage/repositories.js';
import { asText, asUuid, isStorable } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { admit, lockUser, shareUser } from './locks.js';
import { identities } from './records.js';
import { columnsOf, readerOf, valuesOf } from './tables.js';
import { insertUser, toUser, userColumns } from './users.js';

const toIdentity = readerOf(identities, 'i');

const findUser = `
  select ${userColumns} from svc_identities i join svc_users u on u.id = i.user_id
  where i.provider = :provider and i.provider_account_id = :providerAccountId`;

const listForUser = `
  select ${columnsOf(identities, 'i')} from svc_identities i where i.user_id = :userId order by i.created_at, i.id`;

const countPasskeys = `select count(*) as passkeys from svc_credentials where user_id = :userId`;

const remove = `delete from svc_identities where id = :id`;

/** Returns false if no database can store the names, so that no user can have them. */
export function hasStorableNames({ provider, providerAccountId }: ServiceIdentity): boolean {
  return isStorable(provider) && isStorable(providerAccountId);
}

/** Fails if the identity is taken. */
export async function insertIdentity(transaction: Queryable, identity: ServiceIdentity): Promise<void> {
  const values = { ...valuesOf(identities, identity), id: asUuid(identity.id) };
  await transaction.execute(identities.insertion, values);
}

/** Locks the user and returns the methods by which the user can sign in. */
export async function signInMethods(transaction: Queryable, userId: string): Promise<SignInMethods | null> {
  const locked = await lockUser(transaction, userId);
  if (!locked) return null;
  const owner = { userId: locked.user.id };
  const own = await transaction.query(listForUser, owner, toIdentity);
  const passkeys = await transaction.find(countPasskeys, owner, (row) => Number(row['passkeys']));
  return { user: locked.user, identities: own, passkeys: passkeys ?? 0 };
}

export function identityQueries(db: Database): IdentityRepository {
  /** Returns false if a key that the work writes is taken. */
  const unlessTaken = async (work: (transaction: Queryable) => Promise<boolean>): Promise<boolean> => {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (db.violatedKey(error) === null) throw error;
      return false;
    }
  };
  return {
    findUser: (provider, providerAccountId) =>
      db.find(findUser, { provider: asText(provider), providerAccountId: asText(providerAccountId) }, toUser),
    async link(identity, epoch) {
      if (!hasStorableNames(identity)) return false;
      return unlessTaken(async (transaction) => {
        const locked = await shareUser(transaction, identity.userId);
        if (locked?.user.epoch !== epoch) return false;
        await insertIdentity(transaction, identity);
        return true;
      });
    },
    async insertWithUser(identity, user) {
      if (!hasStorableNames(identity)) return false;
      return unlessTaken(async (transaction) => {
        await insertUser(transaction, user);
        await insertIdentity(transaction, { ...identity, userId: user.id });
        return true;
      });
    },
    listForUser: (userId) => db.query(listForUser, { userId: asUuid(userId) }, toIdentity),
    unlink: (userId, id, allowed, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const methods = await signInMethods(transaction, userId);
        const identity = methods?.identities.find((each) => each.id === id);
        if (!methods || !identity) return { status: 'missing' };
        const left = methods.identities.filter((each) => each !== identity);
        if (!allowed({ ...methods, identities: left })) return { status: 'refused' };
        await transaction.execute(remove, { id: identity.id });
        return { status: 'unlinked', identity };
      }),
  };
}
