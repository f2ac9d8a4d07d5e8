/**
 * Guests, refresh families, API keys and organizations. Never edited again, like every migration.
 */
import type { Migration } from './migration.js';

export const proTier: Migration = {
  id: 2,
  name: 'pro-tier',
  statements: [
    // A constant default is stored once, not per row: the table is not rewritten, and no lock lasts
    // long.
    `alter table svc_users add column is_guest boolean not null default false`,
    `create index svc_users_guests on svc_users (created_at) where is_guest`,

    // A code of any purpose is deleted with the user whom its subject names.
    `create index svc_one_time_codes_subject on svc_one_time_codes (subject)`,

    `create table svc_refresh_families (
      id uuid primary key,
      user_id uuid not null references svc_users (id) on delete cascade,
      counter integer not null,
      rotated_at timestamptz(3) not null,
      epoch integer not null,
      claims jsonb not null,
      device jsonb not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      revoked_at timestamptz(3)
    )`,
    `create index svc_refresh_families_user on svc_refresh_families (user_id)`,
    `create index svc_refresh_families_expiry on svc_refresh_families (expires_at)`,

    `create table svc_orgs (
      id uuid primary key,
      name text not null,
      slug text not null unique,
      metadata jsonb not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`,

    `create table svc_org_memberships (
      org_id uuid not null references svc_orgs (id) on delete cascade,
      user_id uuid not null references svc_users (id) on delete cascade,
      role text not null check (role in ('member', 'admin', 'owner')),
      created_at timestamptz(3) not null,
      primary key (org_id, user_id)
    )`,
    `create index svc_org_memberships_user on svc_org_memberships (user_id)`,

    `create table svc_org_invites (
      id uuid primary key,
      digest text not null unique,
      org_id uuid not null references svc_orgs (id) on delete cascade,
      email text not null,
      role text not null check (role in ('member', 'admin', 'owner')),
      invited_by_user_id uuid references svc_users (id) on delete cascade,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      accepted_at timestamptz(3)
    )`,
    `create unique index svc_org_invites_pending on svc_org_invites (org_id, email) where accepted_at is null`,
    // The index above contains pending invites only; deleting an org also deletes its accepted
    // invites.
    `create index svc_org_invites_org on svc_org_invites (org_id)`,
    `create index svc_org_invites_email on svc_org_invites (email)`,
    `create index svc_org_invites_inviter on svc_org_invites (invited_by_user_id)
      where invited_by_user_id is not null`,
    `create index svc_org_invites_expiry on svc_org_invites (expires_at)`,

    `create table svc_api_keys (
      id uuid primary key,
      name text not null,
      prefix text not null,
      secret_hash text not null,
      user_id uuid references svc_users (id) on delete cascade,
      org_id uuid references svc_orgs (id) on delete cascade,
      scopes jsonb not null,
      metadata jsonb not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3),
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      constraint svc_api_keys_one_owner check (num_nonnulls(user_id, org_id) = 1)
    )`,
    `create index svc_api_keys_user on svc_api_keys (user_id) where user_id is not null`,
    `create index svc_api_keys_org on svc_api_keys (org_id) where org_id is not null`,
  ],
};
