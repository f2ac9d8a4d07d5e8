/** `svc_refresh_families`: row, mapping, queries. */
import type { RefreshFamily } from '../../domain/refresh-family.js';
import type { RefreshFamilyRepository } from '../../storage/pro-repositories.js';
import { asUuid } from '../shared/bindings.js';
import { epochOf } from '../shared/lockdown-columns.js';
import type { Database, Queryable } from './database.js';
import { lowestId, newestFirst } from './list-range.js';
import { admit, lockUser } from './locks.js';
import { families } from './records.js';
import { endSurplus, lockForSignIn, markSignIn } from './sign-in-limit.js';
import { assignmentsOf, columnsOf, readerOf, valuesOf } from './tables.js';
import { toUser, userColumns } from './users.js';

const familyColumns = columnsOf(families, 'f');
const toFamily = readerOf(families, 'f');

const findWithUser = `
  select ${familyColumns}, ${userColumns}
  from svc_refresh_families f join svc_users u on u.id = f.user_id where f.id = :id`;

const findAndLock = `select ${familyColumns} from svc_refresh_families f where f.id = :id {lock}`;

const findEpoch = `select ${epochOf('u')} as epoch from svc_users u where u.id = :userId`;

const listForUser = `
  select ${familyColumns} from svc_refresh_families f where f.user_id = :userId order by f.created_at, f.id`;

const findLive = `
  select ${familyColumns} from svc_refresh_families f join svc_users u on u.id = f.user_id
  where f.user_id = :userId and f.revoked_at is null and f.expires_at > :now and f.epoch = ${epochOf('u')}`;

const revokeAll = `
  update svc_refresh_families set revoked_at = :now
  where user_id = :userId and revoked_at is null and id <> :except`;

/** Revokes the families of the locked user. @param exceptId of one that stays. */
export async function revokeFamilies(
  transaction: Queryable,
  userId: string,
  now: Date,
  exceptId = lowestId,
): Promise<void> {
  await transaction.execute(revokeAll, { userId, now, except: asUuid(exceptId) ?? lowestId });
}

const insertion = async (transaction: Queryable, family: RefreshFamily) =>
  transaction.execute(families.insertion, { ...valuesOf(families, family), id: asUuid(family.id) });

async function update(transaction: Queryable, id: string, changes: Partial<RefreshFamily>): Promise<void> {
  const values = valuesOf(families, changes);
  const statement = `update svc_refresh_families set ${assignmentsOf(families, values)} where id = :id`;
  await transaction.execute(statement, { ...values, id });
}

/** Locks a family, and reads whether it is active: a user who is not locked may have another epoch an instant later. */
async function lockFamily(transaction: Queryable, familyId: string, now: Date) {
  const family = await transaction.find(findAndLock, { id: asUuid(familyId) }, toFamily);
  if (!family) return null;
  const { userId, revokedAt, expiresAt } = family;
  const epoch = await transaction.find(findEpoch, { userId }, (row) => Number(row['epoch']));
  return { family, isActive: revokedAt === null && expiresAt > now && epoch === family.epoch };
}

export function refreshFamilyQueries(db: Database): RefreshFamilyRepository {
  return {
    insert: (family) =>
      db.transaction(async (transaction) => {
        if (!(await lockForSignIn(transaction, family.userId, family.epoch, family.createdAt))) return false;
        await insertion(transaction, family);
        return true;
      }),
    start: (family, limit) =>
      db.transaction(async (transaction) => {
        const { userId, epoch, createdAt } = family;
        const locked = await lockForSignIn(transaction, userId, epoch, createdAt);
        if (!locked) return null;
        await insertion(transaction, family);
        await markSignIn(transaction, locked, createdAt);
        return limit ? endSurplus(transaction, family, createdAt, limit) : { sessions: [], families: [] };
      }),
    rotate: ({ familyId, kind, counter, graceMs, now, claims, device }) =>
      db.transaction(async (transaction) => {
        const locked = await lockFamily(transaction, familyId, now);
        if (!locked) return { status: 'invalid', userId: null };
        const { family, isActive } = locked;
        const { id, userId } = family;
        const isOther = kind !== undefined && (family.kind ?? kind) !== kind;
        if (!isActive || isOther) return { status: 'invalid', userId };
        if (counter === family.counter) {
          const changes = {
            counter: counter + 1,
            rotatedAt: now,
            claims: claims ?? family.claims,
            device: device ?? family.device,
          };
          await update(transaction, id, changes);
          return { status: 'rotated', family: { ...family, ...changes } };
        }
        const isPrevious = counter >= 0 && counter === family.counter - 1;
        // Without a grace period, a clock that runs behind must not create one.
        if (isPrevious && graceMs > 0 && Math.abs(now.getTime() - family.rotatedAt.getTime()) < graceMs)
          return { status: 'current', family };
        await update(transaction, id, { revokedAt: now });
        return { status: 'reused', userId };
      }),
    revoke: (familyId, now, ownerId, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, ownerId ?? '');
        const { family, isActive } = (await lockFamily(transaction, familyId, now)) ?? {};
        if (!family || !isActive || family.userId !== (ownerId ?? family.userId)) return null;
        await update(transaction, family.id, { revokedAt: now });
        return family.userId;
      }),
    async revokeAllForUser(userId, now) {
      await db.transaction(async (transaction) => {
        if (await lockUser(transaction, userId)) await revokeFamilies(transaction, userId, now);
      });
    },
    findWithUser: (familyId) =>
      db.find(findWithUser, { id: asUuid(familyId) }, (row) => ({
        family: toFamily(row),
        user: toUser(row),
      })),
    listForUser: (userId) => db.query(listForUser, { userId: asUuid(userId) }, toFamily),
    async listLive(userId, now, range) {
      const { sql, bindings } = newestFirst('f.created_at', 'f.id', range);
      return db.query(`${findLive} ${sql}`, { userId: asUuid(userId), now, ...bindings }, toFamily);
    },
  };
}
