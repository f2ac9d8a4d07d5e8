/** The tables of the first release. Never edited again: every change is a new migration. */
import type { Migration } from './migration.js';

export const firstRelease: Migration = {
  id: 1,
  name: 'first-release',
  statements: [
    `create table svc_users (
      id uuid primary key,
      email text unique,
      email_verified boolean not null,
      password_hash text,
      metadata jsonb not null,
      epoch integer not null,
      sessions_valid_after timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`,

    `create table svc_identities (
      id uuid primary key,
      user_id uuid not null references svc_users (id) on delete cascade,
      provider text not null,
      provider_account_id text not null,
      created_at timestamptz(3) not null,
      unique (provider, provider_account_id)
    )`,
    `create index svc_identities_user on svc_identities (user_id)`,

    `create table svc_sessions (
      id uuid primary key,
      user_id uuid not null references svc_users (id) on delete cascade,
      device jsonb not null,
      created_at timestamptz(3) not null,
      last_seen_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      revoked_at timestamptz(3)
    )`,
    `create index svc_sessions_user on svc_sessions (user_id)`,
    `create index svc_sessions_expiry on svc_sessions (expires_at)`,
    `create index svc_sessions_revoked on svc_sessions (id) where revoked_at is not null`,

    `create table svc_one_time_codes (
      purpose text not null,
      subject text not null,
      code_hash text not null,
      attempts integer not null,
      expires_at timestamptz(3) not null,
      consumed_at timestamptz(3),
      metadata jsonb not null,
      primary key (purpose, subject)
    )`,
    `create index svc_one_time_codes_expiry on svc_one_time_codes (expires_at)`,

    // The subject is an address or a user id, so it references no table.
    `create table svc_single_use_tokens (
      digest text primary key,
      purpose text not null,
      subject text not null,
      expires_at timestamptz(3) not null,
      metadata jsonb not null
    )`,
    `create index svc_single_use_tokens_subject on svc_single_use_tokens (subject)`,
    `create index svc_single_use_tokens_expiry on svc_single_use_tokens (expires_at)`,

    `create table svc_rate_limits (
      key text primary key,
      count integer not null,
      reset_at timestamptz(3) not null
    )`,
    `create index svc_rate_limits_end on svc_rate_limits (reset_at)`,
  ],
};
