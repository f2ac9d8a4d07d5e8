/** Announces that a session was bound, like its end (0008-session-changes.ts). Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const boundSessionChanges: Migration = {
  id: 21,
  name: 'bound-session-changes',
  isOfTriggers: true,
  // A process that remembers the session must not accept its earlier cookie any longer. A replaced trigger is enabled: it stays disabled
  // until a process needs it (session-triggers.ts).
  statements: [
    `create or replace trigger svc_sessions_revoked
      after update of revoked_at, bound_at on svc_sessions for each row
      when (old.revoked_at is distinct from new.revoked_at or old.bound_at is distinct from new.bound_at)
      execute function svc_announce_session()`,
    `alter table svc_sessions disable trigger svc_sessions_revoked`,
  ],
};
