/** The keys of bound sessions in memory. */
import type { SessionBinding } from '../../domain/session-binding.js';
import type { SessionBindingRepository } from '../../storage/session-binding-repository.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';

export function memorySessionBindings({
  bindingOfSession,
  sessions,
  users,
}: Tables): SessionBindingRepository {
  function bind(sessionId: string, binding: SessionBinding, now: Date): boolean {
    const session = sessions.get(sessionId);
    if (!session || session.revokedAt || session.boundAt || session.expiresAt <= now) return false;
    session.boundAt = copy(now);
    bindingOfSession.set(session, copy(binding));
    return true;
  }
  return {
    async bind(sessionId, binding, now) {
      return bind(sessionId, binding, now);
    },
    async inherit(fromId, toId, facts, now) {
      const from = sessions.get(fromId);
      const binding = from && bindingOfSession.get(from);
      if (!binding || from.userId !== sessions.get(toId)?.userId) return false;
      return bind(toId, { id: binding.id, key: { ...binding.key, ...facts } }, now);
    },
    async find(bindingId) {
      for (const session of sessions.values()) {
        const binding = bindingOfSession.get(session);
        const user = users.get(session.userId);
        if (binding?.id === bindingId && user && !session.revokedAt) return copy({ session, user, binding });
      }
      return null;
    },
  };
}
