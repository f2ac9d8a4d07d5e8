/** The keys of browsers to which sessions are bound. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const boundSessions: Migration = {
  id: 20,
  name: 'bound-sessions',
  // Nullable and without a default: the table is not rewritten, and the previous release ignores the columns.
  statements: [
    `alter table svc_sessions
      add column bound_at timestamptz,
      add column binding_id uuid,
      add column binding_key jsonb`,
  ],
  indexes: [
    { create: 'svc_sessions_of_binding', on: 'svc_sessions (binding_id) where binding_id is not null' },
  ],
};
