/** `svc_api_keys`: row, mapping, queries. */
import type { PublicApiKey, StoredApiKey } from '../../domain/api-key.js';
import type { OrgActor } from '../../storage/org-repository.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import { epochMs, isUuid, json, label, readOptionalTime, readTime, text, time, uuid } from './bindings.js';
import { coalesce } from './coalesce.js';
import type { Bindings, Database, Queryable } from './database.js';
import { newestFirst, newestFirstBindings } from './list-range.js';
import { lockOrg, shareUser } from './locks.js';
import { roleOf } from './org-memberships.js';

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

interface StoredRow extends PublicRow {
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

/** Callers of one coalesced look-up share the row: what they get is made here, once for each of them. */
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
    id: uuid(key.id),
    name: label(key.name),
    prefix: text(key.prefix),
    secretHash: text(key.secretHash),
    userId: uuid(key.userId ?? ''),
    orgId: uuid(key.orgId ?? ''),
    scopes: json(key.scopes),
    metadata: json(key.metadata),
    createdAt: time(key.createdAt),
    lastUsedAt: key.lastUsedAt && time(key.lastUsedAt),
    expiresAt: key.expiresAt && time(key.expiresAt),
    revokedAt: key.revokedAt && time(key.revokedAt),
  };
}

// The owner is locked first: a key never outlives a deletion or a claim that races it, nor belongs to one who is a guest still.
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

const findByIds = `
  select ${publicColumns}, secret_hash from svc_api_keys where id = any(cast(:ids as uuid[]))`;

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
      return row && { ...toPublicKey(row), secretHash: row.secret_hash };
    },
    async touch(id, now, unlessSince) {
      await db.execute(touch, { id: uuid(id), now: time(now), unlessSince: time(unlessSince) });
    },
    async revoke(id, now, of) {
      const bindings = { id: uuid(id), now: time(now) };
      if (!of) return (await db.query(revokeAny, bindings, toPublicKey))[0] ?? null;
      const first = async (on: Queryable, statement: string, owner: Bindings) =>
        (await on.query(statement, { ...bindings, ...owner }, toPublicKey))[0] ?? null;
      if ('orgId' in of) {
        const { orgId, actor } = of;
        return asActor(db, orgId, actor, (on) => first(on, revokeOfOrg, { orgId: uuid(orgId) }));
      }
      const { userId, decide } = of;
      if (!decide) return first(db, revokeOfUser, { userId: uuid(userId) });
      return db.transaction(async (transaction) => {
        decide((await shareUser(transaction, userId))?.user ?? null);
        return first(transaction, revokeOfUser, { userId: uuid(userId) });
      });
    },
    async list(owner, range) {
      const page = newestFirstBindings(range);
      return 'userId' in owner
        ? db.query(listForUser, { ownerId: uuid(owner.userId), ...page }, toPublicKey)
        : db.query(listForOrg, { ownerId: uuid(owner.orgId), ...page }, toPublicKey);
    },
  };
}

/**
 * Lets the actor decide by the user and the role that they are under the locks: a change of either waits, or came
 * first. The user is locked before the organization (locks.ts).
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
