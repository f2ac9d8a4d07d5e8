/** The keys of browsers to which sessions are bound. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const boundSessions: Migration = {
  id: 8,
  name: 'bound-sessions',
  statements: [
    `alter table svc_sessions add column bound_at {time}`,
    `alter table svc_sessions add column binding_id {id}`,
    `alter table svc_sessions add column binding_key {json}`,
    `create index svc_sessions_of_binding on svc_sessions (binding_id)`,
  ],
};
