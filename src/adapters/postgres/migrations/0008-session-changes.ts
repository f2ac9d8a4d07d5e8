/**
 * Announces changes of sessions and users to the processes that remember checked sessions
 * (docs/decisions/session-cache.md). The triggers are disabled until a process with `session.cache`
 * enables them (session-triggers.ts). Never edited again, like every migration.
 */
import type { Migration } from './migration.js';

export const sessionChanges: Migration = {
  id: 8,
  name: 'session-changes',
  isOfTriggers: true,
  // Triggers, so that changes by the previous release, by other programs and by hand are announced
  // too. PostgreSQL sends equal notifications of one transaction once, so the id is that of the user
  // in both tables: the end of a thousand sessions of a user is one notification.
  statements: [
    `create or replace function svc_announce_user() returns trigger language plpgsql as $$
      begin
        perform pg_catalog.pg_notify('svc_session_changes', cast(old.id as text));
        return null;
      end $$`,
    `create or replace function svc_announce_session() returns trigger language plpgsql as $$
      begin
        perform pg_catalog.pg_notify('svc_session_changes', cast(old.user_id as text));
        return null;
      end $$`,
    `create or replace function svc_announce_all() returns trigger language plpgsql as $$
      begin
        perform pg_catalog.pg_notify('svc_session_changes', '*');
        return null;
      end $$`,
    // A sign-in updates only `last_sign_in_at`, and a renewed hash only `password_hash`: neither
    // starts the trigger. `*<>` compares stored bytes: the application may have added a column whose
    // type cannot be compared, such as json.
    `create or replace trigger svc_users_changed
      after update of email, email_verified, metadata, epoch, sessions_valid_after, totp_enabled, roles,
        blocked_at, blocked_until, blocked_reason, updated_at
      on svc_users for each row when (old.* *<> new.*) execute function svc_announce_user()`,
    `create or replace trigger svc_users_deleted
      after delete on svc_users for each row execute function svc_announce_user()`,
    `create or replace trigger svc_sessions_revoked
      after update of revoked_at on svc_sessions for each row
      when (old.revoked_at is distinct from new.revoked_at) execute function svc_announce_session()`,
    // The purge deletes only rows that have ended, of which no check depends.
    `create or replace trigger svc_sessions_deleted
      after delete on svc_sessions for each row
      when (old.revoked_at is null and old.expires_at > now()) execute function svc_announce_session()`,
    `create or replace trigger svc_sessions_truncated
      after truncate on svc_sessions for each statement execute function svc_announce_all()`,
    `alter table svc_users disable trigger svc_users_changed, disable trigger svc_users_deleted`,
    `alter table svc_sessions
      disable trigger svc_sessions_revoked,
      disable trigger svc_sessions_deleted,
      disable trigger svc_sessions_truncated`,
  ],
};
