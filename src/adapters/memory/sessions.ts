/** Sessions in memory. */
import type { SessionRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';
import { removeBegunEnrollment, revokeSessions } from './users.js';

export function memorySessions(tables: Tables): SessionRepository {
  const { users, sessions } = tables;
  return {
    async start(session, epoch) {
      if (users.get(session.userId)?.epoch !== epoch) return false;
      sessions.set(session.id, copy(session));
      return true;
    },
    async findWithUser(sessionId) {
      const session = sessions.get(sessionId);
      const user = session && users.get(session.userId);
      return user ? copy({ session, user }) : null;
    },
    async renew(sessionId, { lastSeenAt, expiresAt }) {
      const session = sessions.get(sessionId);
      if (!session || session.revokedAt || session.expiresAt <= lastSeenAt) return false;
      Object.assign(session, copy({ lastSeenAt, expiresAt }));
      return true;
    },
    async revoke(sessionId, now) {
      const session = sessions.get(sessionId);
      if (!session || session.revokedAt) return null;
      session.revokedAt = copy(now);
      return session.userId;
    },
    async revokeAll(userId, now) {
      const user = users.get(userId);
      if (!user) return false;
      revokeSessions(tables, user, now);
      removeBegunEnrollment(tables, userId);
      return true;
    },
    async listLive(userId, now) {
      const live = [...sessions.values()].filter(
        (session) => session.userId === userId && !session.revokedAt && session.expiresAt > now,
      );
      return copy(
        live.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)),
      );
    },
  };
}
