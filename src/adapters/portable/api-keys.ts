/** `svc_api_keys`: row, mapping, queries. */
import { toPublicApiKey, type PublicApiKey, type StoredApiKey } from '../../domain/api-key.js';
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { OrgActor } from '../../storage/org-repository.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import { asLabel, asText, asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { newestFirst } from './list-range.js';
import { lockOrg, shareUser, shareUsers } from './locks.js';
import { roleOf } from './org-memberships.js';
import { apiKeys } from './records.js';
import { columnsOf, readerOf, valuesOf, type Row } from './tables.js';
import { toOptionalUser, userColumns } from './users.js';

const columns = columnsOf(apiKeys, 'k');
const toKey = readerOf(apiKeys, 'k');

const findById = `
  select ${columns}, ${userColumns} from svc_api_keys k left join svc_users u on u.id = k.user_id where k.id = :id`;

const findByDigest = `
  select ${columns}, ${userColumns} from svc_api_keys k left join svc_users u on u.id = k.user_id
  where k.key_digest = :digest`;

const lockById = `select ${columns} from svc_api_keys k where k.id = :id {lock}`;

const touch = `
  update svc_api_keys set last_used_at = :now
  where id = :id and (last_used_at is null or last_used_at < :unlessSince)`;

const revoke = `update svc_api_keys set revoked_at = :now where id = :id`;

const ofUser = `select ${columns} from svc_api_keys k where k.user_id = :ownerId`;
const ofOrg = `select ${columns} from svc_api_keys k where k.org_id = :ownerId`;

function toStored(row: Row): StoredApiKey {
  const ownerBlock = toOptionalUser(row)?.blocked;
  return { ...toKey(row), ...(ownerBlock && { ownerBlock }) };
}

async function insert(transaction: Queryable, key: StoredApiKey): Promise<'inserted'> {
  const values = valuesOf(apiKeys, { ...key, name: asLabel(key.name) });
  const ids = { id: asUuid(key.id), secret_hash: asText(key.secretHash) };
  await transaction.execute(apiKeys.insertion, { ...values, ...ids });
  return 'inserted';
}

/**
 * Calls the actor's `decide` with the user and the role as read under the locks. Returns whether the
 * organization exists.
 */
async function admitActor(transaction: Queryable, orgId: string, actor?: OrgActor): Promise<boolean> {
  const acting = actor && (await shareUser(transaction, actor.userId));
  const isFound = await lockOrg(transaction, orgId);
  actor?.decide(await roleOf(transaction, orgId, actor.userId), acting?.user ?? null);
  return isFound;
}

/** Revokes the key if it is active and the owner's. */
async function revokeLocked(
  transaction: Queryable,
  id: string,
  now: Date,
  isOwn: (key: StoredApiKey) => boolean,
): Promise<PublicApiKey | null> {
  const key = await transaction.find(lockById, { id: asUuid(id) }, toKey);
  if (!key || !isOwn(key) || key.revokedAt || (key.expiresAt !== null && key.expiresAt <= now)) return null;
  await transaction.execute(revoke, { id: key.id, now });
  return toPublicApiKey({ ...key, revokedAt: now });
}

const shareLockdowns = `select id from svc_lockdown where id = 1 {share}`;

export function apiKeyQueries(db: Database): ApiKeyRepository {
  return {
    insert: (key, epoch, { verified = false, actor } = {}) =>
      db.transaction(async (transaction) => {
        const { userId, orgId } = key;
        if ((userId === null) === (orgId === null)) return 'no_owner';
        // Before the locks of users, as a lockdown takes it: a key is then revoked by one that runs, or refused.
        await transaction.find(shareLockdowns, {}, () => true);
        if (orgId !== null)
          return (await admitActor(transaction, orgId, actor)) ? insert(transaction, key) : 'no_owner';
        const locked = await shareUser(transaction, userId ?? '');
        if (!locked) return 'no_owner';
        if (locked.isGuest) return 'guest';
        if (locked.user.epoch !== epoch) return 'epoch_moved';
        if (verified && hasUnverifiedAddress(locked.user)) return 'unverified';
        return insert(transaction, key);
      }),
    findById: (id) => db.find(findById, { id: asUuid(id) }, toStored),
    findByDigest: (digest) => db.find(findByDigest, { digest: asText(digest) }, toStored),
    async touch(id, now, unlessSince) {
      await db.execute(touch, { id: asUuid(id), now, unlessSince });
    },
    revoke: (id, now, of) =>
      db.transaction(async (transaction) => {
        if (!of) return revokeLocked(transaction, id, now, () => true);
        if ('orgId' in of) {
          await admitActor(transaction, of.orgId, of.actor);
          return revokeLocked(transaction, id, now, ({ orgId }) => orgId === of.orgId);
        }
        const locked = await shareUsers(transaction, [of.userId, of.by?.userId]);
        of.by?.decide(locked(of.by.userId)?.user ?? null);
        of.decide?.(locked(of.userId)?.user ?? null);
        return revokeLocked(transaction, id, now, ({ userId }) => userId === of.userId);
      }),
    async list(owner, range) {
      const [statement, ownerId] = 'userId' in owner ? [ofUser, owner.userId] : [ofOrg, owner.orgId];
      const { sql, bindings } = newestFirst('k.created_at', 'k.id', range);
      const keys = await db.query(`${statement} ${sql}`, { ownerId: asUuid(ownerId), ...bindings }, toKey);
      return keys.map(toPublicApiKey);
    },
  };
}
