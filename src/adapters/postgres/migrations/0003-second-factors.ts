/** Authenticator apps, recovery codes and passkeys. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const secondFactors: Migration = {
  id: 3,
  name: 'second-factors',
  statements: [
    // A column of the user, which every sign-in reads, so that the check needs no additional query.
    `alter table svc_users add column totp_enabled boolean not null default false`,

    `create table svc_totp (
      user_id uuid primary key references svc_users (id) on delete cascade,
      secret text,
      last_step integer not null,
      pending_secret text,
      confirmed_at timestamptz(3)
    )`,

    `create table svc_recovery_codes (
      user_id uuid not null references svc_users (id) on delete cascade,
      code_hash text not null,
      primary key (user_id, code_hash)
    )`,

    `create table svc_credentials (
      id text primary key,
      user_id uuid not null references svc_users (id) on delete cascade,
      public_key text not null,
      counter bigint not null,
      transports jsonb not null,
      backup_eligible boolean not null,
      backed_up boolean not null,
      aaguid text not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    )`,
    `create index svc_credentials_user on svc_credentials (user_id)`,
  ],
};
