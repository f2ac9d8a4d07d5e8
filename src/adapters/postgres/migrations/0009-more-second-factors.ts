/**
 * Several authenticator apps, the choices of the second step, and trusted browsers. Never edited
 * again, like every migration.
 */
import type { Migration } from './migration.js';

export const moreSecondFactors: Migration = {
  id: 9,
  name: 'more-second-factors',
  statements: [
    // The first app of a user stays in this table, where the previous release reads it. Without an
    // `app_id`, its id is that of the user. The choices end with the row, also if the previous
    // release deletes it.
    `alter table svc_totp
      add column app_id uuid,
      add column name text,
      add column last_used_at timestamptz(3),
      add column email_factor boolean not null default false,
      add column preferred_method text`,

    // The other apps. The key refers to the first app: whatever removes the second factor of a user,
    // the previous release included, removes them too.
    `create table svc_totp_apps (
      id uuid primary key,
      user_id uuid not null references svc_totp (user_id) on delete cascade,
      name text,
      secret text not null,
      last_step integer not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    )`,
    `create index svc_totp_apps_user on svc_totp_apps (user_id)`,

    `create table svc_trusted_browsers (
      id uuid primary key,
      user_id uuid not null references svc_users (id) on delete cascade,
      secret_hash text not null unique,
      epoch integer not null,
      device jsonb not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3),
      expires_at timestamptz(3) not null
    )`,
    `create index svc_trusted_browsers_user on svc_trusted_browsers (user_id)`,
    `create index svc_trusted_browsers_expiry on svc_trusted_browsers (expires_at)`,
  ],
};
