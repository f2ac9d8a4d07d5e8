/** The start of sign-ins: sessions and refresh families of a locked user, and the limit of both. */
import { isInForce } from '../../domain/user-block.js';
import type { EndedSignIns, SignInLimit } from '../../storage/sign-in-limit.js';
import { epochOf } from '../shared/lockdown-columns.js';
import type { Queryable } from './database.js';
import { lockUser, type LockedUser } from './locks.js';
import type { Row } from './tables.js';
import { updateUser } from './users.js';

/** Locks the user, and returns null unless a sign-in may start: the user has this epoch and is not blocked. */
export async function lockForSignIn(
  transaction: Queryable,
  userId: string,
  epoch: number,
  now: Date,
): Promise<LockedUser | null> {
  const locked = await lockUser(transaction, userId);
  return locked?.user.epoch === epoch && !isInForce(locked.user.blocked, now.getTime()) ? locked : null;
}

/** Sets the time of the last sign-in of the locked user, unless it is later. */
export async function markSignIn(
  transaction: Queryable,
  { user, lastSignInAt }: LockedUser,
  createdAt: Date,
): Promise<void> {
  if (lastSignInAt === null || lastSignInAt < createdAt)
    await updateUser(transaction, user.id, { lastSignInAt: createdAt });
}

const activeSignIns = `
  select s.id as id, s.created_at as created_at, 1 as is_session from svc_sessions s
  where s.user_id = :userId and s.revoked_at is null and s.expires_at > :now and s.id <> :id
  union all
  select f.id, f.created_at, 0 from svc_refresh_families f join svc_users u on u.id = f.user_id
  where f.user_id = :userId and f.revoked_at is null and f.expires_at > :now and f.id <> :id and f.epoch = ${epochOf('u')}
  order by created_at desc, id desc`;

const endSessionRows = `update svc_sessions set revoked_at = :now where id in (:ids*)`;
const endFamilyRows = `update svc_refresh_families set revoked_at = :now where id in (:ids*)`;

interface SignIn {
  id: string;
  isSession: boolean;
}

const toSignIn = (row: Row): SignIn => ({
  id: row['id'] as string,
  isSession: Number(row['is_session']) === 1,
});

/** Ends what exceeds the limit after `started` was inserted. Requires the lock of the user. */
export async function endSurplus(
  transaction: Queryable,
  started: { id: string; userId: string },
  now: Date,
  { max, replaces, keeps }: SignInLimit,
): Promise<EndedSignIns> {
  const others = await transaction.query(
    activeSignIns,
    { userId: started.userId, id: started.id, now },
    toSignIn,
  );
  const counted = others.filter(({ id }) => id !== replaces);
  counted.sort((a, b) => Number(b.id === keeps) - Number(a.id === keeps));
  const surplus = counted.slice(max - 1);
  const ended = [...others.filter(({ id }) => id === replaces), ...surplus];
  const idsOf = (isSession: boolean) =>
    ended.filter((each) => each.isSession === isSession).map(({ id }) => id);
  const [sessions, families] = [idsOf(true), idsOf(false)];
  if (sessions.length > 0) await transaction.execute(endSessionRows, { ids: sessions, now });
  if (families.length > 0) await transaction.execute(endFamilyRows, { ids: families, now });
  return { sessions, families };
}
