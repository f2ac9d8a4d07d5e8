/** The OAuth server. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const oauthServer: Migration = {
  id: 14,
  name: 'oauth-server',
  statements: [
    `create table svc_oauth_clients (
      id text primary key,
      kind text not null,
      metadata jsonb not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3)
    )`,
    `create index svc_oauth_clients_expiry on svc_oauth_clients (expires_at)`,

    // No foreign key to the client: its id can be the address of its metadata.
    `create table svc_oauth_grants (
      id uuid primary key,
      user_id uuid not null references svc_users (id) on delete cascade,
      client_id text not null,
      epoch integer not null,
      scopes jsonb not null,
      renewal jsonb,
      counter integer not null,
      rotated_at timestamptz(3) not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3),
      expires_at timestamptz(3) not null
    )`,
    `create index svc_oauth_grants_user on svc_oauth_grants (user_id, client_id)`,
    `create index svc_oauth_grants_client on svc_oauth_grants (client_id)`,
    `create index svc_oauth_grants_expiry on svc_oauth_grants (expires_at)`,

    // No foreign key to the grant: a token without its grant has ended.
    `create table svc_oauth_tokens (
      digest text primary key,
      kind text not null,
      alias text unique,
      grant_id uuid,
      data jsonb not null,
      used_at timestamptz(3),
      expires_at timestamptz(3) not null
    )`,
    `create index svc_oauth_tokens_grant on svc_oauth_tokens (grant_id)`,
    `create index svc_oauth_tokens_expiry on svc_oauth_tokens (expires_at)`,

    `create table svc_oauth_keys (
      id text primary key,
      secret text not null,
      created_at timestamptz(3) not null
    )`,
  ],
};
