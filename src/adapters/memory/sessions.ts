/** Sessions in memory. */
import type { ServiceSession } from '../../domain/session.js';
import type { SessionRepository, SessionStart } from '../../storage/repositories.js';
import { copy } from './copy.js';
import { newestFirst } from './list-range.js';
import { revokeFamilies } from './refresh-families.js';
import { endSurplus } from './sign-in-limit.js';
import type { Tables } from './tables.js';
import { removeTrust } from './trusted-browsers.js';
import { admit, insertUser, markSignIn, mayStart, removeBegunEnrollment, revokeSessions } from './users.js';

/** Starts a session in the same synchronous block as the caller, unless its user may not start one. */
export function startSession(tables: Tables, { session, epoch, trustedBrowserId }: SessionStart): boolean {
  if (!mayStart(tables, session.userId, epoch, session.lastSeenAt)) return false;
  markSignIn(tables, session);
  const stored = copy(session);
  tables.sessions.set(session.id, stored);
  if (trustedBrowserId !== undefined) tables.browserOfSession.set(stored, trustedBrowserId);
  return true;
}

export function memorySessions(tables: Tables): SessionRepository {
  const { users, sessions, tokens, trustedBrowsers, browserOfSession } = tables;
  const activeSessionsOf = (userId: string, now: Date) =>
    [...sessions.values()].filter(
      (session) => session.userId === userId && !session.revokedAt && session.expiresAt > now,
    );
  const end = (sessionId: string, now: Date, userId?: string) => {
    const session = sessions.get(sessionId);
    if (!session || session.revokedAt || session.userId !== (userId ?? session.userId)) return null;
    session.revokedAt = copy(now);
    return session;
  };
  return {
    async start(session, epoch, trustedBrowserId) {
      return startSession(tables, { session, epoch, trustedBrowserId });
    },
    async startWithin(session, epoch, limit, trustedBrowserId) {
      if (!startSession(tables, { session, epoch, trustedBrowserId })) return null;
      return endSurplus(tables, session, session.lastSeenAt, limit);
    },
    async startWithUser(session, user) {
      if (!insertUser(tables, user)) return false;
      const started = { ...session, userId: user.id };
      markSignIn(tables, started);
      sessions.set(session.id, copy(started));
      return true;
    },
    async findWithUser(sessionId) {
      const session = sessions.get(sessionId);
      const user = session && users.get(session.userId);
      return user ? copy({ session, user }) : null;
    },
    async findWithTarget(sessionId, targetUserId) {
      const session = sessions.get(sessionId);
      const user = session && users.get(session.userId);
      const target = users.get(targetUserId);
      return user && target ? copy({ session, user, target }) : null;
    },
    async renew(sessionId, { lastSeenAt, expiresAt }) {
      const session = sessions.get(sessionId);
      if (!session || session.revokedAt || session.expiresAt <= lastSeenAt) return false;
      Object.assign(session, copy({ lastSeenAt, expiresAt }));
      return true;
    },
    async end(sessionId, now) {
      return end(sessionId, now)?.userId ?? null;
    },
    async revoke(sessionId, now, userId, by) {
      admit(tables, by);
      const session = end(sessionId, now, userId);
      if (!session) return null;
      const { userId: owner } = session;
      const browserId = browserOfSession.get(session);
      if (browserId === undefined) return { userId: owner, trustedBrowserId: null, others: [] };
      const siblings = activeSessionsOf(owner, now).filter(
        (each) => browserOfSession.get(each) === browserId,
      );
      for (const sibling of siblings) sibling.revokedAt = copy(now);
      const others = siblings.map(({ id }) => id);
      const browser = trustedBrowsers.get(browserId);
      if (browser?.userId !== owner) return { userId: owner, trustedBrowserId: null, others };
      trustedBrowsers.delete(browserId);
      const counted = browser.epoch === users.get(owner)?.epoch;
      return { userId: owner, trustedBrowserId: counted ? browserId : null, others };
    },
    async revokeAll(userId, now, by) {
      admit(tables, by);
      const user = users.get(userId);
      if (!user) return false;
      revokeSessions(tables, user, now);
      removeBegunEnrollment(tables, userId);
      return true;
    },
    async revokeAllOnce(userId, used, now) {
      const user = users.get(userId);
      if (!user || tokens.has(used.digest)) return null;
      tokens.set(used.digest, copy(used));
      revokeSessions(tables, user, now);
      removeBegunEnrollment(tables, userId);
      return copy(user);
    },
    async revokeOthers(userId, now, exceptId) {
      const others = activeSessionsOf(userId, now).filter(({ id }) => id !== exceptId);
      for (const session of others) session.revokedAt = copy(now);
      revokeFamilies(tables, userId, now, exceptId);
      return { sessions: others.map(({ id }) => id), trustedBrowsers: removeTrust(tables, userId) };
    },
    async listLive(userId, now, range) {
      return copy(newestFirst(activeSessionsOf(userId, now), ({ id }) => id, range));
    },
    async listBrowsers(userId, now, range) {
      const idOf = ({ id }: ServiceSession) => id;
      const seen = new Set<string>();
      const newest = newestFirst(activeSessionsOf(userId, now), idOf).filter((session) => {
        const browserId = browserOfSession.get(session);
        if (browserId === undefined) return true;
        return !seen.has(browserId) && seen.add(browserId);
      });
      return newestFirst(newest, idOf, range).map((session) => ({
        ...copy(session),
        trustedBrowserId: browserOfSession.get(session) ?? null,
      }));
    },
  };
}
