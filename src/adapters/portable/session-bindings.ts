/** The keys of `svc_sessions` to which sessions are bound. */
import type { BindingKey, SessionBinding } from '../../domain/session-binding.js';
import { isUuid } from '../../domain/uuid.js';
import type { SessionBindingRepository } from '../../storage/session-binding-repository.js';
import { asJsonb, asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { storedUsers } from './records.js';
import { sessionColumns, toSession } from './sessions.js';
import { columnsOf, readerOf, type Row } from './tables.js';
import { storedUserOf } from './users.js';

const bind = `
  update svc_sessions set bound_at = :now, binding_id = :bindingId, binding_key = :key
  where id = :id and bound_at is null and revoked_at is null and expires_at > :now`;

const binding = `s.binding_id as binding_id, {asJson s.binding_key} as binding_key`;

const findBinding = `
  select ${binding} from svc_sessions s join svc_sessions t on t.user_id = s.user_id
  where s.id = :fromId and t.id = :toId and s.binding_id is not null`;

// One at most is not revoked: a session that takes over a binding replaces the one that had it.
const findSession = `
  select ${sessionColumns}, ${columnsOf(storedUsers, 'u')}, ${binding}
  from svc_sessions s join svc_users u on u.id = s.user_id
  where s.binding_id = :bindingId and s.revoked_at is null order by s.bound_at desc`;

const toUser = readerOf(storedUsers, 'u');

const toBinding = (row: Row): SessionBinding => ({
  id: row['binding_id'] as string,
  key: JSON.parse(row['binding_key'] as string) as BindingKey,
});

export function sessionBindingQueries(db: Database): SessionBindingRepository {
  const bindIn = async (on: Queryable, sessionId: string, { id, key }: SessionBinding, now: Date) => {
    const bindings = { id: asUuid(sessionId), bindingId: asUuid(id), key: asJsonb({ ...key }), now };
    return (await on.execute(bind, bindings)) === 1;
  };
  return {
    bind: (sessionId, bound, now) => bindIn(db, sessionId, bound, now),
    async inherit(fromId, toId, facts, now) {
      const ids = { fromId: asUuid(fromId), toId: asUuid(toId) };
      // A binding never changes, so the two statements need no transaction.
      const bound = await db.find(findBinding, ids, toBinding);
      return bound !== null && bindIn(db, toId, { id: bound.id, key: { ...bound.key, ...facts } }, now);
    },
    async find(bindingId) {
      if (!isUuid(bindingId)) return null;
      const [found] = await db.query(findSession, { bindingId }, (row) => ({
        session: toSession(row),
        user: storedUserOf(toUser(row)),
        binding: toBinding(row),
      }));
      return found ?? null;
    },
  };
}
