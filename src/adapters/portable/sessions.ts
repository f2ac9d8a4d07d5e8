/** `svc_sessions`: row, mapping, queries. Revocation of all of a user's sessions is in revocations.ts. */
import type { ServiceSession } from '../../domain/session.js';
import { isUuid } from '../../domain/uuid.js';
import type { SessionRepository, SessionStart } from '../../storage/repositories.js';
import { asUuid } from '../shared/bindings.js';
import { coalesce } from '../shared/coalesce.js';
import { isAfterLockdown } from '../shared/lockdown-columns.js';
import type { Database, Queryable } from './database.js';
import { newestFirst } from './list-range.js';
import { admit, lockUser } from './locks.js';
import { revokeFamilies } from './refresh-families.js';
import { sessions, startedSessions, storedUsers } from './records.js';
import { endSurplus, lockForSignIn, markSignIn } from './sign-in-limit.js';
import { columnsOf, listReaderOf, readerOf, valuesOf, type Row } from './tables.js';
import { removeTrust } from './trusted-browsers.js';
import { storedUserOf, toUser, tryInsertUser, userColumns } from './users.js';

/** The columns of `svc_sessions s`. */
export const sessionColumns = columnsOf(sessions, 's');

export const toSession = readerOf(sessions, 's');

const findWithUser = `
  select ${sessionColumns}, ${columnsOf(storedUsers, 'u')}
  from svc_sessions s join svc_users u on u.id = s.user_id where s.id`;

const findOneWithUser = `${findWithUser} = :id`;

const checkedUser = readerOf(storedUsers, 'u');
const sessionOfList = listReaderOf(sessions, 0);
const userOfList = listReaderOf(storedUsers, sessions.columns.length);

const renew = `
  update svc_sessions set last_seen_at = :lastSeenAt, expires_at = :expiresAt
  where id = :id and revoked_at is null and expires_at > :lastSeenAt`;

const findOrigin = `select user_id, trusted_browser_id from svc_sessions where id = :id`;

const revoke = `
  update svc_sessions set revoked_at = :now where id = :id and user_id = :userId and revoked_at is null`;

const findTrust = `select epoch from svc_trusted_browsers where id = :id and user_id = :userId`;

const endTrust = `delete from svc_trusted_browsers where id = :id and user_id = :userId`;

const findLive = `
  select ${sessionColumns} from svc_sessions s
  where s.user_id = :userId and s.revoked_at is null and s.expires_at > :now and ${isAfterLockdown('s')}`;

const findOfBrowser = `
  select id from svc_sessions
  where user_id = :userId and trusted_browser_id = :browserId and revoked_at is null and expires_at > :now`;

const findNewestOfBrowsers = `
  select ${columnsOf(startedSessions, 's')} from svc_sessions s
  where s.user_id = :userId and s.revoked_at is null and s.expires_at > :now and ${isAfterLockdown('s')} and not exists (
    select 1 from svc_sessions n
    where n.user_id = s.user_id and n.trusted_browser_id = s.trusted_browser_id
      and n.revoked_at is null and n.expires_at > :now
      and (n.created_at > s.created_at or (n.created_at = s.created_at and n.id > s.id)))`;

const toBrowserSession = readerOf(startedSessions, 's');

const revokeRows = `update svc_sessions set revoked_at = :now where id in (:ids*)`;

async function insert(
  transaction: Queryable,
  session: ServiceSession,
  trustedBrowserId?: string,
): Promise<void> {
  const browserId = trustedBrowserId === undefined ? null : asUuid(trustedBrowserId);
  const values = valuesOf(startedSessions, { ...session, trustedBrowserId: browserId });
  await transaction.execute(startedSessions.insertion, { ...values, id: asUuid(session.id) });
}

/** Starts a session in the transaction of the caller, unless its user may not start one. */
export async function startSession(
  transaction: Queryable,
  { session, epoch, trustedBrowserId }: SessionStart,
): Promise<boolean> {
  const locked = await lockForSignIn(transaction, session.userId, epoch, session.lastSeenAt);
  if (!locked) return false;
  await markSignIn(transaction, locked, session.createdAt);
  await insert(transaction, session, trustedBrowserId);
  return true;
}

/** The lookup of every session check. Those that arrive while one waits for a server share the next statement. */
function rowLookup(db: Database): (id: string) => Promise<Row | null> {
  const findOne = (id: string) => db.find(findOneWithUser, { id }, (row) => row);
  if (!db.isRemote) return findOne;
  const findSome = async (ids: string[]) => {
    if (ids.length > 1) return db.query(`${findWithUser} in (:ids*)`, { ids: padded(ids) }, (row) => row);
    const row = await findOne(ids[0] as string);
    return row ? [row] : [];
  };
  return coalesce(findSome, (row) => row['s_id'] as string);
}

/** Repeats the last id until their number is a power of two: the drivers prepare a statement for every number. */
function padded(ids: readonly string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  return Array.from({ length }, (_, index) => ids[Math.min(index, ids.length - 1)] as string);
}

export function sessionQueries(db: Database): Omit<SessionRepository, 'revokeAll' | 'revokeAllOnce'> {
  const rowById = rowLookup(db);
  return {
    start: (session, epoch, trustedBrowserId) =>
      db.transaction((transaction) => startSession(transaction, { session, epoch, trustedBrowserId })),
    startWithUser: (session, user) =>
      db.transaction(async (transaction) => {
        const isInserted = await tryInsertUser(db, transaction, user, { lastSignInAt: session.createdAt });
        if (isInserted) await insert(transaction, { ...session, userId: user.id });
        return isInserted;
      }),
    startWithin: (session, epoch, limit, trustedBrowserId) =>
      db.transaction(async (transaction) =>
        (await startSession(transaction, { session, epoch, trustedBrowserId }))
          ? endSurplus(transaction, session, session.lastSeenAt, limit)
          : null,
      ),
    async findWithUser(sessionId) {
      if (!isUuid(sessionId)) return null;
      const values = db.findNow(findOneWithUser, [sessionId]);
      if (values) return { session: sessionOfList(values), user: storedUserOf(userOfList(values)) };
      const row = values === null ? null : await rowById(sessionId);
      return row && { session: toSession(row), user: storedUserOf(checkedUser(row)) };
    },
    async findWithTarget(sessionId, targetUserId) {
      const bindings = { id: asUuid(sessionId), targetId: asUuid(targetUserId) };
      const rows = await db.query(findWithTarget, bindings, toSessionWithUser);
      const owner = rows.find(({ session, user }) => session.userId === user.id);
      const target = rows.find(({ user }) => user.id === targetUserId)?.user;
      return owner && target ? { ...owner, target } : null;
    },
    async renew(sessionId, { lastSeenAt, expiresAt }) {
      return (await db.execute(renew, { id: asUuid(sessionId), lastSeenAt, expiresAt })) === 1;
    },
    async end(sessionId, now) {
      const id = asUuid(sessionId);
      const { userId } = (await db.find(findOrigin, { id }, toOrigin)) ?? {};
      if (userId === undefined) return null;
      return (await db.execute(revoke, { id, userId, now })) === 1 ? userId : null;
    },
    revoke: (sessionId, now, ownerId, by) =>
      db.transaction(async (transaction) => {
        const id = asUuid(sessionId);
        const { userId, trustedBrowserId } = (await transaction.find(findOrigin, { id }, toOrigin)) ?? {};
        await admit(transaction, by, ownerId ?? userId ?? '');
        if (userId === undefined || userId !== (ownerId ?? userId)) return null;
        const locked = await lockUser(transaction, userId);
        if (!locked || (await transaction.execute(revoke, { id, userId, now })) === 0) return null;
        if (!trustedBrowserId) return { userId, trustedBrowserId: null, others: [] };
        const inBrowser = { userId, browserId: trustedBrowserId, now };
        const others = await transaction.query(findOfBrowser, inBrowser, (row) => row['id'] as string);
        await transaction.execute(revokeRows, { ids: others, now });
        const browser = { id: trustedBrowserId, userId };
        const epoch = await transaction.find(findTrust, browser, (row) => Number(row['epoch']));
        await transaction.execute(endTrust, browser);
        return { userId, trustedBrowserId: epoch === locked.user.epoch ? trustedBrowserId : null, others };
      }),
    revokeOthers: (userId, now, exceptId) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked) return { sessions: [], trustedBrowsers: 0 };
        const live = await transaction.query(findLive, { userId, now }, toSession);
        const ids = live.map(({ id }) => id).filter((id) => id !== exceptId);
        await transaction.execute(revokeRows, { ids, now });
        await revokeFamilies(transaction, userId, now, exceptId);
        return { sessions: ids, trustedBrowsers: await removeTrust(transaction, locked) };
      }),
    async listLive(userId, now, range) {
      const { sql, bindings } = newestFirst('s.created_at', 's.id', range);
      return db.query(`${findLive} ${sql}`, { userId: asUuid(userId), now, ...bindings }, toSession);
    },
    async listBrowsers(userId, now, range) {
      const { sql, bindings } = newestFirst('s.created_at', 's.id', range);
      const own = { userId: asUuid(userId), now, ...bindings };
      return db.query(`${findNewestOfBrowsers} ${sql}`, own, toBrowserSession);
    },
  };
}

// A row for each of the two users, or one row if they are the same.
const findWithTarget = `
  select ${sessionColumns}, ${userColumns}
  from svc_sessions s join svc_users u on u.id = s.user_id or u.id = :targetId
  where s.id = :id`;

const toOrigin = (row: Row) => ({
  userId: row['user_id'] as string,
  trustedBrowserId: row['trusted_browser_id'] as string | null,
});

const toSessionWithUser = (row: Row) => ({ session: toSession(row), user: toUser(row) });
