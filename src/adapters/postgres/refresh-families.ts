/** `svc_refresh_families` on the hot path: the start, rotation and check of a family. */
import type { RefreshFamily, RefreshFamilyKind } from '../../domain/refresh-family.js';
import type { DeviceInfo } from '../../domain/session.js';
import { isUuid } from '../../domain/uuid.js';
import type { RefreshFamilyRepository, RotationOutcome } from '../../storage/pro-repositories.js';
import { asJsonb, asTimestamp, asUuid, readOptionalTime, readTime } from '../shared/bindings.js';
import { anyOfIds, epochMs } from './expressions.js';
import { coalesce } from '../shared/coalesce.js';
import { epochOf } from '../shared/lockdown-columns.js';
import { endSurplus } from '../portable/sign-in-limit.js';
import type { Bindings, Database } from './database.js';
import { maySignInAt, toUser, userColumns, type UserRow } from './users.js';

interface FamilyRow {
  family_id: string;
  family_kind: RefreshFamilyKind | null;
  user_id: string;
  family_counter: number;
  family_rotated_at: string;
  family_epoch: number;
  family_claims: string;
  family_device: string;
  family_created_at: string;
  family_expires_at: string;
  family_revoked_at: string | null;
}

const familyColumns = `
  f.id as family_id, f.kind as family_kind, f.user_id, f.counter as family_counter,
  ${epochMs('f.rotated_at')} as family_rotated_at,
  f.epoch as family_epoch, cast(f.claims as text) as family_claims, cast(f.device as text) as family_device,
  ${epochMs('f.created_at')} as family_created_at, ${epochMs('f.expires_at')} as family_expires_at,
  ${epochMs('f.revoked_at')} as family_revoked_at`;

function toFamily(row: FamilyRow): RefreshFamily {
  return {
    id: row.family_id,
    kind: row.family_kind,
    userId: row.user_id,
    counter: row.family_counter,
    rotatedAt: readTime(row.family_rotated_at),
    epoch: row.family_epoch,
    claims: JSON.parse(row.family_claims) as Record<string, unknown>,
    device: JSON.parse(row.family_device) as DeviceInfo,
    createdAt: readTime(row.family_created_at),
    expiresAt: readTime(row.family_expires_at),
    revokedAt: readOptionalTime(row.family_revoked_at),
  };
}

function toOutcome(row: FamilyRow & { status: RotationOutcome['status'] }): RotationOutcome {
  const { status } = row;
  if (status === 'rotated' || status === 'current') return { status, family: toFamily(row) };
  return { status, userId: row.user_id };
}

const insertFamily = `
  insert into svc_refresh_families (
    id, user_id, counter, rotated_at, epoch, claims, device, created_at, expires_at, revoked_at, kind)
  select cast(:id as uuid), owner.id, cast(:counter as integer), cast(:rotatedAt as timestamptz),
    cast(:epoch as integer), cast(:claims as jsonb), cast(:device as jsonb), cast(:createdAt as timestamptz),
    cast(:expiresAt as timestamptz), cast(:revokedAt as timestamptz), cast(:kind as text)
  from owner`;

// `for share` waits for a revocation in progress and then reads the new epoch (../portable/revocations.ts).
const insert = `
  with owner as (
    select u.id from svc_users u
    where ${maySignInAt('cast(:createdAt as timestamptz)')}
    for share)
  ${insertFamily}`;

// As `start` in sessions.ts. The update locks the user, so that the next statement sees the families of earlier sign-ins.
const start = `
  with owner as (
    update svc_users as u set last_sign_in_at = greatest(u.last_sign_in_at, cast(:createdAt as timestamptz))
    where ${maySignInAt('cast(:createdAt as timestamptz)')}
    returning u.id)
  ${insertFamily}`;

// The row is locked before its status is computed, so that each of several parallel rotations sees
// the counter that the one before it wrote. `:graceStart` is null without a grace period, and no
// time is later than null. `:graceEnd` excludes a rotation by a clock that ran ahead, whose grace
// period would last until that time.
const rotate = `
  with candidate as (
    select f.*,
      case when f.revoked_at is not null or f.expires_at <= :now or f.epoch <> ${epochOf('u')}
          or f.kind <> cast(:kind as text) then 'invalid'
        when f.counter = :counter then 'rotated'
        when f.counter = :counter + 1 and :counter >= 0
          and f.rotated_at > :graceStart and f.rotated_at < :graceEnd then 'current'
        else 'reused' end as status
    from svc_refresh_families f join svc_users u on u.id = f.user_id
    where f.id = :id
    for update of f
  ), changed as (
    update svc_refresh_families as f
    set counter = f.counter + case when is_rotated then 1 else 0 end,
      rotated_at = case when is_rotated then cast(:now as timestamptz) else f.rotated_at end,
      claims = coalesce(case when is_rotated then cast(:claims as jsonb) end, f.claims),
      device = coalesce(case when is_rotated then cast(:device as jsonb) end, f.device),
      revoked_at = case when is_rotated then f.revoked_at else cast(:now as timestamptz) end
    from (select id, status = 'rotated' as is_rotated from candidate where status in ('rotated', 'reused')) as c
    where f.id = c.id
    returning f.*, is_rotated
  )
  select 'rotated' as status, ${familyColumns} from changed f where f.is_rotated
  union all
  select f.status, ${familyColumns} from candidate f where f.status <> 'rotated'`;

// `offset 0` as in sessions.ts: reads every user by index, also in the cached plan.
const findWithUser = `
  select ${familyColumns}, ${userColumns}
  from svc_refresh_families f
    cross join lateral (select * from svc_users where id = f.user_id offset 0) as u
  where f.id = ${anyOfIds}`;

// An invalid counter was never issued. It is replaced by a counter below all others.
const neverIssued = -1;
const isCounter = (counter: number) => Number.isInteger(counter) && counter >= 0 && counter < 2 ** 31 - 1;

function familyBindings(family: RefreshFamily): Bindings {
  return {
    id: asUuid(family.id),
    kind: family.kind,
    userId: asUuid(family.userId),
    counter: family.counter,
    rotatedAt: asTimestamp(family.rotatedAt),
    epoch: family.epoch,
    claims: asJsonb(family.claims),
    device: asJsonb(family.device),
    createdAt: asTimestamp(family.createdAt),
    expiresAt: asTimestamp(family.expiresAt),
    revokedAt: family.revokedAt && asTimestamp(family.revokedAt),
  };
}

export function refreshFamilyQueries(
  db: Database,
): Pick<RefreshFamilyRepository, 'insert' | 'start' | 'rotate' | 'findWithUser'> {
  const rowById = coalesce(
    (ids) => db.queryPrepared('svc_family_check', findWithUser, { ids }, (row: FamilyRow & UserRow) => row),
    (row) => row.family_id,
  );
  return {
    async insert(family) {
      return (await db.executePrepared('svc_family_insert', insert, familyBindings(family))) === 1;
    },
    async start(family, limit) {
      const bindings = familyBindings(family);
      if (!limit) {
        const started = await db.executePrepared('svc_family_start', start, bindings);
        return started === 1 ? { sessions: [], families: [] } : null;
      }
      return db.transaction(async (transaction) => {
        if ((await transaction.execute(start, bindings)) !== 1) return null;
        return endSurplus(transaction, family, family.createdAt, limit);
      });
    },
    async rotate({ familyId, kind, counter, graceMs, now, claims, device }) {
      const bindings = {
        id: asUuid(familyId),
        kind: kind ?? null,
        counter: isCounter(counter) ? counter : neverIssued,
        graceStart: graceMs > 0 ? asTimestamp(new Date(now.getTime() - graceMs)) : null,
        graceEnd: asTimestamp(new Date(now.getTime() + graceMs)),
        now: asTimestamp(now),
        claims: claims ? asJsonb(claims) : null,
        device: device ? asJsonb(device) : null,
      };
      const [outcome] = await db.queryPrepared('svc_family_rotate', rotate, bindings, toOutcome);
      return outcome ?? { status: 'invalid', userId: null };
    },
    async findWithUser(familyId) {
      const row = isUuid(familyId) ? await rowById(familyId) : null;
      return row && { family: toFamily(row), user: toUser(row) };
    },
  };
}
