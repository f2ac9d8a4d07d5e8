/** `svc_sessions` on the hot path: the start, check, renewal and end of a session. */
import type { DeviceInfo, ServiceSession } from '../../domain/session.js';
import { isUuid } from '../../domain/uuid.js';
import type { SessionRepository } from '../../storage/repositories.js';
import { asJsonb, asTimestamp, asUuid, readOptionalTime, readTime } from '../shared/bindings.js';
import { anyOfIds, epochMs } from './expressions.js';
import { coalesce } from '../shared/coalesce.js';
import { endSurplus } from '../portable/sign-in-limit.js';
import type { Bindings, Database } from './database.js';
import { insertionOf, maySignInAt, newUserBindings, toUser, userColumns, type UserRow } from './users.js';

interface SessionRow {
  session_id: string;
  user_id: string;
  session_device: string;
  session_created_at: string;
  session_last_seen_at: string;
  session_expires_at: string;
  session_revoked_at: string | null;
  session_bound_at: string | null;
}

type SessionWithUserRow = SessionRow & UserRow;

const sessionColumns = `
  s.id as session_id, s.user_id, cast(s.device as text) as session_device,
  ${epochMs('s.created_at')} as session_created_at, ${epochMs('s.last_seen_at')} as session_last_seen_at,
  ${epochMs('s.expires_at')} as session_expires_at, ${epochMs('s.revoked_at')} as session_revoked_at,
  ${epochMs('s.bound_at')} as session_bound_at`;

function toSession(row: SessionRow): ServiceSession {
  return {
    id: row.session_id,
    userId: row.user_id,
    device: JSON.parse(row.session_device) as DeviceInfo,
    createdAt: readTime(row.session_created_at),
    lastSeenAt: readTime(row.session_last_seen_at),
    expiresAt: readTime(row.session_expires_at),
    revokedAt: readOptionalTime(row.session_revoked_at),
    boundAt: readOptionalTime(row.session_bound_at),
  };
}

const insertForOwner = `
  insert into svc_sessions (
    id, user_id, device, created_at, last_seen_at, expires_at, revoked_at, purge_after, trusted_browser_id)
  select cast(:id as uuid), owner.id, cast(:device as jsonb), cast(:createdAt as timestamptz),
    cast(:lastSeenAt as timestamptz), cast(:expiresAt as timestamptz), cast(:revokedAt as timestamptz),
    cast(:expiresAt as timestamptz), cast(:trustedBrowserId as uuid)
  from owner`;

/**
 * Inserts the session of `startBindings` if its user may start one. The update waits for a revocation in
 * progress and then reads the new epoch (../portable/revocations.ts).
 * @param expressions other expressions of the statement, each followed by a comma.
 */
export const startWith = (expressions: string) => `
  with ${expressions} owner as (
    update svc_users as u set last_sign_in_at = greatest(u.last_sign_in_at, cast(:createdAt as timestamptz))
    where ${maySignInAt('cast(:lastSeenAt as timestamptz)')}
    returning u.id)
  ${insertForOwner}`;

const start = startWith('');

const startWithUser = `
  with owner as (${insertionOf('cast(:createdAt as timestamptz)')} returning id)
  ${insertForOwner}`;

// `offset 0` prevents a plain join: planned once for ten ids, it would read and hash all users of a
// table with some thousands (measured with 2000 users: 0.75 ms instead of 0.07 ms).
const findWithUser = `
  select ${sessionColumns}, ${userColumns}
  from svc_sessions s cross join lateral (select * from svc_users where id = s.user_id offset 0) as u
  where s.id = ${anyOfIds}`;

// Updates the row in place, because none of these columns is indexed. `purge_after` is updated by
// the purge (purge.ts).
const renew = `
  update svc_sessions set last_seen_at = :lastSeenAt, expires_at = :expiresAt
  where id = :id and revoked_at is null and expires_at > :lastSeenAt`;

const end = `
  update svc_sessions set revoked_at = :now where id = :id and revoked_at is null returning user_id`;

function newSessionBindings(session: ServiceSession, trustedBrowserId?: string): Bindings {
  return {
    id: asUuid(session.id),
    trustedBrowserId: trustedBrowserId === undefined ? null : asUuid(trustedBrowserId),
    device: asJsonb(session.device),
    createdAt: asTimestamp(session.createdAt),
    lastSeenAt: asTimestamp(session.lastSeenAt),
    expiresAt: asTimestamp(session.expiresAt),
    revokedAt: session.revokedAt && asTimestamp(session.revokedAt),
  };
}

export function startBindings(session: ServiceSession, epoch: number, trustedBrowserId?: string): Bindings {
  return { ...newSessionBindings(session, trustedBrowserId), userId: asUuid(session.userId), epoch };
}

const toUserId = (row: { user_id: string }) => row.user_id;

type HotSessions = Pick<
  SessionRepository,
  'start' | 'startWithUser' | 'startWithin' | 'findWithUser' | 'renew' | 'end'
>;

export function sessionQueries(db: Database): HotSessions {
  const rowById = coalesce(
    (ids) => db.queryPrepared('svc_session_check', findWithUser, { ids }, (row: SessionWithUserRow) => row),
    (row) => row.session_id,
    db.isInScope,
  );
  return {
    async start(session, epoch, trustedBrowserId) {
      const bindings = startBindings(session, epoch, trustedBrowserId);
      return (await db.executePrepared('svc_session_start', start, bindings)) === 1;
    },
    async startWithUser(session, user) {
      const bindings = { ...newSessionBindings(session), ...newUserBindings(user) };
      return (await db.executePrepared('svc_session_start_user', startWithUser, bindings)) === 1;
    },
    startWithin: (session, epoch, limit, trustedBrowserId) =>
      db.transaction(async (transaction) => {
        const bindings = startBindings(session, epoch, trustedBrowserId);
        if ((await transaction.execute(start, bindings)) !== 1) return null;
        return endSurplus(transaction, session, session.lastSeenAt, limit);
      }),
    async findWithUser(sessionId) {
      const row = isUuid(sessionId) ? await rowById(sessionId) : null;
      return row && { session: toSession(row), user: toUser(row) };
    },
    async renew(sessionId, { lastSeenAt, expiresAt }) {
      const bindings = {
        id: asUuid(sessionId),
        lastSeenAt: asTimestamp(lastSeenAt),
        expiresAt: asTimestamp(expiresAt),
      };
      return (await db.executePrepared('svc_session_renew', renew, bindings)) === 1;
    },
    async end(sessionId, now) {
      const bindings = { id: asUuid(sessionId), now: asTimestamp(now) };
      const [owner] = await db.queryPrepared('svc_session_end', end, bindings, toUserId);
      return owner ?? null;
    },
  };
}
