/** `svc_api_keys`: row, mapping, queries. */
import type { PublicApiKey, StoredApiKey } from '../../domain/api-key.js';
import type { OrgActor } from '../../storage/org-repository.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import { isUuid, json, label, text, time, uuid } from './bindings.js';
import { coalesce } from './coalesce.js';
import type { Bindings, Database, Queryable } from './database.js';
import { lockOrg } from './locks.js';
import { roleOf } from './org-memberships.js';

interface PublicRow {
  id: string;
  name: string;
  prefix: string;
  user_id: string | null;
  org_id: string | null;
  scopes: string;
  metadata: string;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

interface StoredRow extends PublicRow {
  secret_hash: string;
}

const publicColumns = `
  id, name, prefix, user_id, org_id, cast(scopes as text) as scopes, cast(metadata as text) as metadata,
  created_at, last_used_at, expires_at, revoked_at`;

/** Who is to own a key, as they are under the lock. Null: no epoch was given. */
interface OwnerRow {
  is_guest: boolean;
  is_current: boolean | null;
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
    createdAt: new Date(row.created_at),
    lastUsedAt: row.last_used_at && new Date(row.last_used_at),
    expiresAt: row.expires_at && new Date(row.expires_at),
    revokedAt: row.revoked_at && new Date(row.revoked_at),
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
  from owner where owner.is_current and not owner.is_guest`;

const insertForUser = `
  with owner as (
      select is_guest, epoch = cast(:epoch as integer) as is_current from svc_users where id = :userId for share),
    inserted as (${insertFromOwner})
  select is_guest, is_current from owner`;

const insertForOrg = `
  with owner as (
      select false as is_guest, true as is_current from svc_orgs where id = :orgId for key share),
    inserted as (${insertFromOwner})
  select is_guest, is_current from owner`;

const findByIds = `
  select ${publicColumns}, secret_hash from svc_api_keys where id = any(cast(:ids as uuid[]))`;

const touch = `
  update svc_api_keys set last_used_at = :now
  where id = :id and (last_used_at is null or last_used_at < :unlessSince)`;

const revoke = `
  update svc_api_keys set revoked_at = :now
  where id = :id and revoked_at is null and (expires_at is null or expires_at > :now)`;

const revokeAny = `${revoke} returning ${publicColumns}`;

const revokeOfOrg = `${revoke} and org_id = :orgId returning ${publicColumns}`;

const listForUser = `
  select ${publicColumns} from svc_api_keys where user_id = :ownerId order by created_at desc, id desc`;

const listForOrg = `
  select ${publicColumns} from svc_api_keys where org_id = :ownerId order by created_at desc, id desc`;

export function apiKeyQueries(db: Database): ApiKeyRepository {
  const rowById = coalesce(
    (ids) => db.queryPrepared('svc_api_key_check', findByIds, { ids }, (row: StoredRow) => row),
    (row) => row.id,
  );
  return {
    async insert(key, epoch, actor) {
      if ((key.userId === null) === (key.orgId === null)) return 'no_owner';
      const statement = key.userId === null ? insertForOrg : insertForUser;
      const run = (on: Queryable) =>
        on.query(statement, { ...keyBindings(key), epoch }, (row: OwnerRow) => row);
      const [owner] = actor && key.orgId !== null ? await underOrg(db, key.orgId, actor, run) : await run(db);
      if (!owner) return 'no_owner';
      if (owner.is_guest) return 'guest';
      return owner.is_current ? 'inserted' : 'epoch_moved';
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
      const { orgId, actor } = of;
      const [key] = await underOrg(db, orgId, actor, (transaction) =>
        transaction.query(revokeOfOrg, { ...bindings, orgId: uuid(orgId) }, toPublicKey),
      );
      return key ?? null;
    },
    async list(owner) {
      return 'userId' in owner
        ? db.query(listForUser, { ownerId: uuid(owner.userId) }, toPublicKey)
        : db.query(listForOrg, { ownerId: uuid(owner.orgId) }, toPublicKey);
    },
  };
}

/** Does what the actor may, by the role that they have under the lock: whoever takes it away meanwhile waits, or came first. */
function underOrg<Result>(
  db: Database,
  orgId: string,
  actor: OrgActor,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (transaction) => {
    await lockOrg(transaction, orgId);
    actor.decide(await roleOf(transaction, orgId, actor.userId));
    return work(transaction);
  });
}
