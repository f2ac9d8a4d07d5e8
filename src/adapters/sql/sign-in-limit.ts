/** Ends the oldest sign-ins of a user that exceed a limit: sessions and refresh families together. */
import type { EndedSignIns, SignInLimit } from '../../storage/sign-in-limit.js';
import { asTimestamp, asUuid } from './bindings.js';
import type { Queryable } from './database.js';

const endOldest = `
  with others as (
    select s.id, s.created_at from svc_sessions s
    where s.user_id = :userId and s.revoked_at is null and s.expires_at > :now and s.id <> :id
    union all
    select f.id, f.created_at from svc_refresh_families f join svc_users u on u.id = f.user_id
    where f.user_id = :userId and f.revoked_at is null and f.expires_at > :now and f.id <> :id and f.epoch = u.epoch
  ), surplus as (
    select id from others where id = cast(:replaces as uuid)
    union all
    (select id from others where id is distinct from cast(:replaces as uuid)
      order by id is distinct from cast(:keeps as uuid), created_at desc, id desc offset cast(:kept as bigint))
  ), ended_sessions as (
    update svc_sessions as s set revoked_at = :now from surplus where s.id = surplus.id returning s.id
  ), ended_families as (
    update svc_refresh_families as f set revoked_at = :now from surplus where f.id = surplus.id returning f.id
  )
  select id, true as is_session from ended_sessions
  union all
  select id, false as is_session from ended_families`;

interface EndedRow {
  id: string;
  is_session: boolean;
}

/**
 * Ends what exceeds the limit after `started` was inserted. An earlier statement of the transaction must have locked the user, so that
 * this one sees every sign-in that was committed before, and later ones wait.
 */
export async function endSurplus(
  transaction: Queryable,
  started: { id: string; userId: string },
  now: Date,
  { max, replaces, keeps }: SignInLimit,
): Promise<EndedSignIns> {
  const bindings = {
    id: asUuid(started.id),
    userId: asUuid(started.userId),
    now: asTimestamp(now),
    kept: max - 1,
    replaces: replaces === undefined ? null : asUuid(replaces),
    keeps: keeps === undefined ? null : asUuid(keeps),
  };
  const ended = await transaction.query(endOldest, bindings, (row: EndedRow) => row);
  return {
    sessions: ended.filter((row) => row.is_session).map(({ id }) => id),
    families: ended.filter((row) => !row.is_session).map(({ id }) => id),
  };
}
