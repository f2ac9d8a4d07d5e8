/** Sessions in memory. */
import { isInForce } from '../../domain/user-block.js';
import type { SessionRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import { newestFirst } from './list-range.js';
import type { Tables } from './tables.js';
import { admit, insertUser, removeBegunEnrollment, revokeSessions } from './users.js';

export function memorySessions(tables: Tables): SessionRepository {
  const { users, sessions, lastSignIns } = tables;
  const activeSessionsOf = (userId: string, now: Date) =>
    [...sessions.values()].filter(
      (session) => session.userId === userId && !session.revokedAt && session.expiresAt > now,
    );
  return {
    async start(session, epoch) {
      const user = users.get(session.userId);
      if (user?.epoch !== epoch || isInForce(user.blocked, session.lastSeenAt.getTime())) return false;
      const lastSignIn = lastSignIns.get(user.id);
      if (!lastSignIn || lastSignIn < session.createdAt) lastSignIns.set(user.id, copy(session.createdAt));
      sessions.set(session.id, copy(session));
      return true;
    },
    async startWithUser(session, user) {
      if (!insertUser(tables, user)) return false;
      lastSignIns.set(user.id, copy(session.createdAt));
      sessions.set(session.id, copy({ ...session, userId: user.id }));
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
    async revoke(sessionId, now, userId) {
      const session = sessions.get(sessionId);
      if (!session || session.revokedAt || session.userId !== (userId ?? session.userId)) return null;
      session.revokedAt = copy(now);
      return session.userId;
    },
    async revokeAll(userId, now, by) {
      admit(tables, by);
      const user = users.get(userId);
      if (!user) return false;
      revokeSessions(tables, user, now);
      removeBegunEnrollment(tables, userId);
      return true;
    },
    async revokeOthers(userId, now, exceptSessionId) {
      const others = activeSessionsOf(userId, now).filter(({ id }) => id !== exceptSessionId);
      for (const session of others) session.revokedAt = copy(now);
      return others.map(({ id }) => id);
    },
    async listLive(userId, now, range) {
      return copy(newestFirst(activeSessionsOf(userId, now), ({ id }) => id, range));
    },
  };
}
