/**
 * The tables of the first release with these databases. Never edited again: every change is a new
 * migration. The marks in braces are types of the dialect.
 */
import type { Migration } from './migration.js';

const ofUser = 'foreign key (user_id) references svc_users (id) on delete cascade';
const ofOrg = 'foreign key (org_id) references svc_orgs (id) on delete cascade';

export const firstRelease: Migration = {
  id: 1,
  name: 'first-release',
  statements: [
    `create table svc_users (
      id {id} not null primary key,
      email {text 320},
      email_verified {boolean} not null,
      password_hash {long},
      metadata {json} not null,
      epoch integer not null,
      sessions_valid_after {time},
      totp_enabled {boolean} not null,
      blocked_at {time},
      blocked_until {time},
      blocked_reason {long},
      roles {json} not null,
      is_guest {boolean} not null,
      username {text 255},
      username_key {text 255},
      last_sign_in_at {time},
      language {text 255},
      created_at {time} not null,
      updated_at {time} not null,
      constraint svc_users_email unique (email),
      constraint svc_users_username_key unique (username_key)
    ) {options}`,
    `create index svc_users_by_age on svc_users (created_at, id)`,
    `create index svc_users_guests on svc_users (is_guest, created_at)`,

    `create table svc_identities (
      id {id} not null primary key,
      user_id {id} not null,
      provider {text 255} not null,
      provider_account_id {text 500} not null,
      created_at {time} not null,
      constraint svc_identities_provider_provider_account_id unique (provider, provider_account_id),
      constraint svc_identities_user ${ofUser}
    ) {options}`,
    `create index svc_identities_of_user on svc_identities (user_id)`,

    // No foreign key to the trusted browser: a session that names a removed one does no harm.
    `create table svc_sessions (
      id {id} not null primary key,
      user_id {id} not null,
      device {json} not null,
      created_at {time} not null,
      last_seen_at {time} not null,
      expires_at {time} not null,
      revoked_at {time},
      trusted_browser_id {id},
      constraint svc_sessions_user ${ofUser}
    ) {options}`,
    `create index svc_sessions_of_user on svc_sessions (user_id, created_at, id)`,
    `create index svc_sessions_expiry on svc_sessions (expires_at)`,
    `create index svc_sessions_revoked on svc_sessions (revoked_at)`,

    `create table svc_one_time_codes (
      purpose {text 40} not null,
      subject {text 320} not null,
      code_hash {long} not null,
      attempts integer not null,
      expires_at {time} not null,
      consumed_at {time},
      metadata {json} not null,
      link_digest {text 128},
      primary key (purpose, subject)
    ) {options}`,
    `create index svc_one_time_codes_subject on svc_one_time_codes (subject)`,
    `create index svc_one_time_codes_expiry on svc_one_time_codes (expires_at)`,

    // The subject is an address or a user id, so it references no table.
    `create table svc_single_use_tokens (
      digest {text 128} not null primary key,
      purpose {text 40} not null,
      subject {text 320} not null,
      expires_at {time} not null,
      metadata {json} not null,
      account_epoch integer,
      account_has_password {boolean}
    ) {options}`,
    `create index svc_single_use_tokens_subject on svc_single_use_tokens (subject)`,
    `create index svc_single_use_tokens_expiry on svc_single_use_tokens (expires_at)`,

    `create table svc_rate_limits (
      counter_key {text 700} not null primary key,
      hits integer not null,
      reset_at {time} not null
    ) {options}`,
    `create index svc_rate_limits_end on svc_rate_limits (reset_at)`,

    `create table svc_refresh_families (
      id {id} not null primary key,
      kind {text 40},
      user_id {id} not null,
      counter integer not null,
      rotated_at {time} not null,
      epoch integer not null,
      claims {json} not null,
      device {json} not null,
      created_at {time} not null,
      expires_at {time} not null,
      revoked_at {time},
      constraint svc_refresh_families_user ${ofUser}
    ) {options}`,
    `create index svc_refresh_families_of_user on svc_refresh_families (user_id, created_at, id)`,
    `create index svc_refresh_families_expiry on svc_refresh_families (expires_at)`,

    `create table svc_orgs (
      id {id} not null primary key,
      name {long} not null,
      slug {text 255} not null,
      metadata {json} not null,
      created_at {time} not null,
      updated_at {time} not null,
      constraint svc_orgs_slug unique (slug)
    ) {options}`,

    `create table svc_org_memberships (
      org_id {id} not null,
      user_id {id} not null,
      role {text 16} not null,
      created_at {time} not null,
      primary key (org_id, user_id),
      constraint svc_org_memberships_role check (role in ('member', 'admin', 'owner')),
      constraint svc_org_memberships_org ${ofOrg},
      constraint svc_org_memberships_user ${ofUser}
    ) {options}`,
    `create index svc_org_memberships_by_age on svc_org_memberships (org_id, created_at, user_id)`,
    `create index svc_org_memberships_of_user on svc_org_memberships (user_id, created_at, org_id)`,

    // An org has at most one pending invite to an address: its lock ensures it (locks.ts).
    `create table svc_org_invites (
      id {id} not null primary key,
      digest {text 128} not null,
      org_id {id} not null,
      email {text 320} not null,
      role {text 16} not null,
      invited_by_user_id {id},
      created_at {time} not null,
      expires_at {time} not null,
      accepted_at {time},
      constraint svc_org_invites_digest unique (digest),
      constraint svc_org_invites_role check (role in ('member', 'admin', 'owner')),
      constraint svc_org_invites_org ${ofOrg},
      constraint svc_org_invites_inviter foreign key (invited_by_user_id) references svc_users (id) on delete cascade
    ) {options}`,
    `create index svc_org_invites_by_age on svc_org_invites (org_id, created_at, id)`,
    `create index svc_org_invites_email on svc_org_invites (email)`,
    `create index svc_org_invites_of_inviter on svc_org_invites (invited_by_user_id)`,
    `create index svc_org_invites_expiry on svc_org_invites (expires_at)`,

    `create table svc_api_keys (
      id {id} not null primary key,
      name {long} not null,
      prefix {text 128} not null,
      secret_hash {text 128} not null,
      user_id {id},
      org_id {id},
      scopes {json} not null,
      metadata {json} not null,
      created_at {time} not null,
      last_used_at {time},
      expires_at {time},
      revoked_at {time},
      constraint svc_api_keys_user ${ofUser},
      constraint svc_api_keys_org ${ofOrg}
    ) {options}`,
    `create index svc_api_keys_of_user on svc_api_keys (user_id, created_at, id)`,
    `create index svc_api_keys_of_org on svc_api_keys (org_id, created_at, id)`,

    `create table svc_totp (
      user_id {id} not null primary key,
      pending_secret {long},
      email_factor {boolean} not null,
      preferred_method {text 40},
      constraint svc_totp_user ${ofUser}
    ) {options}`,

    `create table svc_totp_apps (
      id {id} not null primary key,
      user_id {id} not null,
      place integer not null,
      name {long},
      secret {long} not null,
      last_step {bigint} not null,
      created_at {time} not null,
      last_used_at {time},
      constraint svc_totp_apps_user foreign key (user_id) references svc_totp (user_id) on delete cascade
    ) {options}`,
    `create index svc_totp_apps_of_user on svc_totp_apps (user_id, place)`,

    `create table svc_recovery_codes (
      user_id {id} not null,
      code_hash {text 255} not null,
      primary key (user_id, code_hash),
      constraint svc_recovery_codes_user ${ofUser}
    ) {options}`,

    `create table svc_trusted_browsers (
      id {id} not null primary key,
      user_id {id} not null,
      secret_hash {text 128} not null,
      epoch integer not null,
      device {json} not null,
      created_at {time} not null,
      last_used_at {time},
      expires_at {time} not null,
      constraint svc_trusted_browsers_secret_hash unique (secret_hash),
      constraint svc_trusted_browsers_user ${ofUser}
    ) {options}`,
    `create index svc_trusted_browsers_of_user on svc_trusted_browsers (user_id)`,
    `create index svc_trusted_browsers_expiry on svc_trusted_browsers (expires_at)`,

    // An id has up to 1,023 bytes (WebAuthn Level 3, 4), as base64url.
    `create table svc_credentials (
      id {ascii 1400} not null primary key,
      user_id {id} not null,
      public_key {long} not null,
      counter {bigint} not null,
      transports {json} not null,
      backup_eligible {boolean} not null,
      backed_up {boolean} not null,
      aaguid {text 64} not null,
      name {long},
      last_used_from {json},
      created_at {time} not null,
      last_used_at {time},
      constraint svc_credentials_user ${ofUser}
    ) {options}`,
    `create index svc_credentials_of_user on svc_credentials (user_id)`,
  ],
};
