/** The OAuth server. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const oauthServer: Migration = {
  id: 2,
  name: 'oauth-server',
  statements: [
    `create table svc_oauth_clients (
      id {text 255} not null primary key,
      kind {text 32} not null,
      metadata {json} not null,
      created_at {time} not null,
      expires_at {time}
    ) {options}`,
    `create index svc_oauth_clients_expiry on svc_oauth_clients (expires_at)`,

    // No foreign key to the client: its id can be the address of its metadata.
    `create table svc_oauth_grants (
      id {id} not null primary key,
      user_id {id} not null,
      client_id {text 255} not null,
      epoch integer not null,
      scopes {json} not null,
      renewal {json},
      counter integer not null,
      rotated_at {time} not null,
      created_at {time} not null,
      last_used_at {time},
      expires_at {time} not null,
      constraint svc_oauth_grants_user foreign key (user_id) references svc_users (id) on delete cascade
    ) {options}`,
    `create index svc_oauth_grants_of_user on svc_oauth_grants (user_id, client_id)`,
    `create index svc_oauth_grants_of_client on svc_oauth_grants (client_id)`,
    `create index svc_oauth_grants_expiry on svc_oauth_grants (expires_at)`,

    // No foreign key to the grant: a token without its grant has ended.
    `create table svc_oauth_tokens (
      digest {text 128} not null primary key,
      kind {text 32} not null,
      alias {text 128},
      grant_id {id},
      data {json} not null,
      used_at {time},
      expires_at {time} not null,
      constraint svc_oauth_tokens_alias unique (alias)
    ) {options}`,
    `create index svc_oauth_tokens_of_grant on svc_oauth_tokens (grant_id)`,
    `create index svc_oauth_tokens_expiry on svc_oauth_tokens (expires_at)`,

    `create table svc_oauth_keys (
      id {text 128} not null primary key,
      secret {long} not null,
      created_at {time} not null
    ) {options}`,
  ],
};
