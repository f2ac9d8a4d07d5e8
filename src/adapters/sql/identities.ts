/** `svc_identities`: row, mapping, queries. */
import type { ServiceIdentity } from '../../domain/identity.js';
import type { IdentityRepository, SignInMethods } from '../../storage/repositories.js';
import { epochMs, isStorable, readTime, asText, asTimestamp, asUuid } from './bindings.js';
import { byIndex } from './by-index.js';
import { isUniqueViolation } from './database-error.js';
import type { Bindings, Database, Queryable } from './database.js';
import { admit, lockUser } from './locks.js';
import { insertUser, newUserBindings, toUser, userColumns } from './users.js';

interface IdentityRow {
  id: string;
  user_id: string;
  provider: string;
  provider_account_id: string;
  created_at_ms: string;
}

function toIdentity(row: IdentityRow): ServiceIdentity {
  return {
    id: row.id,
    userId: row.user_id,
    provider: row.provider,
    providerAccountId: row.provider_account_id,
    createdAt: readTime(row.created_at_ms),
  };
}

export function identityBindings(identity: ServiceIdentity): Bindings {
  return {
    id: asUuid(identity.id),
    userId: asUuid(identity.userId),
    provider: identity.provider,
    providerAccountId: identity.providerAccountId,
    createdAt: asTimestamp(identity.createdAt),
  };
}

/** Returns false if PostgreSQL cannot store the names, so that no user can have them. */
export function hasStorableNames(identity: ServiceIdentity): boolean {
  return isStorable(identity.provider) && isStorable(identity.providerAccountId);
}

const findUser = `
  select ${userColumns} from svc_identities i join svc_users u on u.id = i.user_id
  where i.provider = :provider and i.provider_account_id = :providerAccountId
    and ${byIndex('i.provider_account_id')} and ${byIndex('u.id')}`;

const columns = `id, user_id, provider, provider_account_id, ${epochMs('created_at')} as created_at_ms`;

const insertColumns = `id, user_id, provider, provider_account_id, created_at`;

const values = `
  cast(:id as uuid), owner.id, cast(:provider as text), cast(:providerAccountId as text),
  cast(:createdAt as timestamptz)`;

// `for share` waits for a claim or a revocation in progress and then reads the new epoch (see
// revocations.ts).
const link = `
  with owner as (select id from svc_users where id = :userId and epoch = :epoch for share)
  insert into svc_identities (${insertColumns}) select ${values} from owner
  on conflict (provider, provider_account_id) do nothing`;

// No `on conflict` for the identity: the error also undoes the insertion of the user.
const insertWithUser = `
  with owner as (${insertUser} returning id)
  insert into svc_identities (${insertColumns}) select ${values} from owner`;

/** Fails if the identity is taken. */
export const insertIdentity = `
  insert into svc_identities (${insertColumns})
  values (:id, :userId, :provider, :providerAccountId, :createdAt)`;

const listForUser = `select ${columns} from svc_identities where user_id = :userId order by created_at, id`;

const countPasskeys = `select cast(count(*) as int) as passkeys from svc_credentials where user_id = :userId`;

/**
 * Locks the user and returns the methods by which the user can sign in, so that they do not change
 * before one is removed.
 */
export async function signInMethods(transaction: Queryable, userId: string): Promise<SignInMethods | null> {
  const locked = await lockUser(transaction, userId);
  if (!locked) return null;
  const owner = { userId: locked.user.id };
  const identities = await transaction.query(listForUser, owner, toIdentity);
  const [counted] = await transaction.query(countPasskeys, owner, (row: { passkeys: number }) => row);
  return { user: locked.user, identities, passkeys: counted?.passkeys ?? 0 };
}

const unlink = `delete from svc_identities where id = :id`;

export function identityQueries(db: Database): IdentityRepository {
  return {
    async findUser(provider, providerAccountId) {
      const names = { provider: asText(provider), providerAccountId: asText(providerAccountId) };
      const [user] = await db.queryPrepared('svc_identity_user', findUser, names, toUser);
      return user ?? null;
    },
    async link(identity, epoch) {
      if (!hasStorableNames(identity)) return false;
      return (await db.execute(link, { ...identityBindings(identity), epoch })) === 1;
    },
    async insertWithUser(identity, user) {
      if (!hasStorableNames(identity)) return false;
      try {
        const bindings = { ...identityBindings(identity), ...newUserBindings(user) };
        return (await db.execute(insertWithUser, bindings)) === 1;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },
    async listForUser(userId) {
      return db.query(listForUser, { userId: asUuid(userId) }, toIdentity);
    },
    unlink: (userId, id, allowed, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const methods = await signInMethods(transaction, userId);
        const identity = methods?.identities.find((each) => each.id === id);
        if (!methods || !identity) return { status: 'missing' };
        const left = methods.identities.filter((each) => each !== identity);
        if (!allowed({ ...methods, identities: left })) return { status: 'refused' };
        await transaction.execute(unlink, { id: identity.id });
        return { status: 'unlinked', identity };
      }),
  };
}
