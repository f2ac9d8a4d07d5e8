/** `svc_api_keys`: row, mapping, queries. */
import type { PublicApiKey, StoredApiKey } from '../../domain/api-key.js';
import { isUuid } from '../../domain/uuid.js';
import type { OrgActor } from '../../storage/org-repository.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import {
  anyOfIds,
  epochMs,
  asJsonb,
  asLabel,
  readOptionalTime,
  readTime,
  asText,
  asTimestamp,
  asUuid,
} from './bindings.js';
import { coalesce } from './coalesce.js';
import type { Bindings, Database, Queryable } from './database.js';
import { newestFirst, newestFirstBindings } from './list-range.js';
import { lockOrg, shareUser, shareUsers } from './locks.js';
import { roleOf } from './org-memberships.js';
import { blockColumns, toBlock, type UserRow } from './users.js';

interface PublicRow {
  id: string;
  name: string;
  prefix: string;
  user_id: string | null;
  org_id: string | null;
  scopes: string;
  metadata: string;
  created_at_ms: string;
  last_used_at_ms: string | null;
  expires_at_ms: string | null;
  revoked_at_ms: string | null;
}

interface StoredRow
  extends PublicRow, Pick<UserRow, 'user_blocked_at' | 'user_blocked_until' | 'user_blocked_reason'> {
  secret_hash: string;
}

const publicColumns = `
  id, name, prefix, user_id, org_id, cast(scopes as text) as scopes, cast(metadata as text) as metadata,
  ${epochMs('created_at')} as created_at_ms, ${epochMs('last_used_at')} as last_used_at_ms,
  ${epochMs('expires_at')} as expires_at_ms, ${epochMs('revoked_at')} as revoked_at_ms`;

/** The owner of a new key, as read under the lock. `is_current` is null if no epoch was given. */
interface OwnerRow {
  is_guest: boolean;
  is_current: boolean | null;
  is_verified: boolean;
}

/** Callers of one coalesced query share the row, so the key is created here, once per caller. */
function toPublicKey(row: PublicRow): PublicApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    userId: row.user_id,
    orgId: row.org_id,
    scopes: JSON.parse(row.scopes) as string[],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    createdAt: readTime(row.created_at_ms),
    lastUsedAt: readOptionalTime(row.last_used_at_ms),
    expiresAt: readOptionalTime(row.expires_at_ms),
    revokedAt: readOptionalTime(row.revoked_at_ms),
  };
}

function keyBindings(key: StoredApiKey): Bindings {
  return {
    id: asUuid(key.id),
    name: asLabel(key.name),
    prefix: asText(key.prefix),
    secretHash: asText(key.secretHash),
    userId: asUuid(key.userId ?? ''),
    orgId: asUuid(key.orgId ?? ''),
    scopes: asJsonb(key.scopes),
    metadata: asJsonb(key.metadata),
    createdAt: asTimestamp(key.createdAt),
    lastUsedAt: key.lastUsedAt && asTimestamp(key.lastUsedAt),
    expiresAt: key.expiresAt && asTimestamp(key.expiresAt),
    revokedAt: key.revokedAt && asTimestamp(key.revokedAt),
  };
}

// The owner is locked first, so that no key survives a parallel deletion or claim, or belongs to a
// guest.
const insertFromOwner = `
  insert into svc_api_keys (
    id, name, prefix, secret_hash, user_id, org_id, scopes, metadata, created_at, last_used_at, expires_at,
    revoked_at)
  select cast(:id as uuid), cast(:name as text), cast(:prefix as text), cast(:secretHash as text),
    cast(:userId as uuid), cast(:orgId as uuid), cast(:scopes as jsonb), cast(:metadata as jsonb),
    cast(:createdAt as timestamptz), cast(:lastUsedAt as timestamptz), cast(:expiresAt as timestamptz),
    cast(:revokedAt as timestamptz)
  from owner where owner.is_current and owner.is_verified and not owner.is_guest`;

const insertForUser = `
  with owner as (
      select is_guest, epoch = cast(:epoch as integer) as is_current,
        email is null or email_verified or not cast(:verified as boolean) as is_verified
      from svc_users where id = :userId for share),
    inserted as (${insertFromOwner})
  select is_guest, is_current, is_verified from owner`;

const insertForOrg = `
  with owner as (
      select false as is_guest, true as is_current, true as is_verified
      from svc_orgs where id = :orgId for key share),
    inserted as (${insertFromOwner})
  select is_guest, is_current, is_verified from owner`;

// `offset 0` as in sessions.ts: reads the owner by index. A key of an organization has none.
const findByIds = `
  select k.*, ${blockColumns('u')}
  from (select ${publicColumns}, secret_hash from svc_api_keys where id = ${anyOfIds}) as k
    left join lateral (
      select blocked_at, blocked_until, blocked_reason from svc_users where svc_users.id = k.user_id offset 0
    ) as u on true`;

const touch = `
  update svc_api_keys set last_used_at = :now
  where id = :id and (last_used_at is null or last_used_at < :unlessSince)`;

const revoke = `
  update svc_api_keys set revoked_at = :now
  where id = :id and revoked_at is null and (expires_at is null or expires_at > :now)`;

const revokeAny = `${revoke} returning ${publicColumns}`;

const revokeOfUser = `${revoke} and user_id = :userId returning ${publicColumns}`;

const revokeOfOrg = `${revoke} and org_id = :orgId returning ${publicColumns}`;

const listForUser = `
  select ${publicColumns} from svc_api_keys where user_id = :ownerId ${newestFirst('created_at', 'id')}`;

const listForOrg = `
  select ${publicColumns} from svc_api_keys where org_id = :ownerId ${newestFirst('created_at', 'id')}`;

export function apiKeyQueries(db: Database): ApiKeyRepository {
  const rowById = coalesce(
    (ids) => db.queryPrepared('svc_api_key_check', findByIds, { ids }, (row: StoredRow) => row),
    (row) => row.id,
  );
  return {
    async insert(key, epoch, { verified = false, actor } = {}) {
      if ((key.userId === null) === (key.orgId === null)) return 'no_owner';
      const statement = key.userId === null ? insertForOrg : insertForUser;
      const run = (on: Queryable) =>
        on.query(statement, { ...keyBindings(key), epoch, verified }, (row: OwnerRow) => row);
      const [owner] = actor && key.orgId !== null ? await asActor(db, key.orgId, actor, run) : await run(db);
      if (!owner) return 'no_owner';
      if (owner.is_guest) return 'guest';
      if (!owner.is_current) return 'epoch_moved';
      return owner.is_verified ? 'inserted' : 'unverified';
    },
    async findById(id) {
      const row = isUuid(id) ? await rowById(id) : null;
      const ownerBlock = row && toBlock(row);
      return row && { ...toPublicKey(row), secretHash: row.secret_hash, ...(ownerBlock && { ownerBlock }) };
    },
    async touch(id, now, unlessSince) {
      await db.execute(touch, {
        id: asUuid(id),
        now: asTimestamp(now),
        unlessSince: asTimestamp(unlessSince),
      });
    },
    async revoke(id, now, of) {
      const bindings = { id: asUuid(id), now: asTimestamp(now) };
      if (!of) return (await db.query(revokeAny, bindings, toPublicKey))[0] ?? null;
      const first = async (on: Queryable, statement: string, owner: Bindings) =>
        (await on.query(statement, { ...bindings, ...owner }, toPublicKey))[0] ?? null;
      if ('orgId' in of) {
        const { orgId, actor } = of;
        return asActor(db, orgId, actor, (on) => first(on, revokeOfOrg, { orgId: asUuid(orgId) }));
      }
      const { userId, decide, by } = of;
      if (!decide && !by) return first(db, revokeOfUser, { userId: asUuid(userId) });
      return db.transaction(async (transaction) => {
        const locked = await shareUsers(transaction, [userId, by?.userId]);
        by?.decide(locked(by.userId)?.user ?? null);
        decide?.(locked(userId)?.user ?? null);
        return first(transaction, revokeOfUser, { userId: asUuid(userId) });
      });
    },
    async list(owner, range) {
      const page = newestFirstBindings(range);
      return 'userId' in owner
        ? db.query(listForUser, { ownerId: asUuid(owner.userId), ...page }, toPublicKey)
        : db.query(listForOrg, { ownerId: asUuid(owner.orgId), ...page }, toPublicKey);
    },
  };
}

/**
 * Calls the actor's `decide` with the user and the role as read under the locks, so that neither
 * changes before `work` is done. The user is locked before the organization (locks.ts).
 */
function asActor<Result>(
  db: Database,
  orgId: string,
  actor: OrgActor,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (transaction) => {
    const acting = await shareUser(transaction, actor.userId);
    await lockOrg(transaction, orgId);
    actor.decide(await roleOf(transaction, orgId, actor.userId), acting?.user ?? null);
    return work(transaction);
  });
}
