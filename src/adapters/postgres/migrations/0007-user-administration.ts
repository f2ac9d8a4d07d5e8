/** User names, roles, blocks and the order of user lists. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const userAdministration: Migration = {
  id: 7,
  name: 'user-administration',
  statements: [
    // Nullable and without a default: the table is not rewritten, and no lock lasts long.
    `alter table svc_users
      add column username text,
      add column username_key text,
      add column roles text[],
      add column blocked_at timestamptz(3),
      add column blocked_until timestamptz(3),
      add column blocked_reason text,
      add column last_sign_in_at timestamptz(3)`,
    // Every sign-in updates `last_sign_in_at`, which no index contains: room for it in every page.
    `alter table svc_users set (fillfactor = 90)`,
  ],
  indexes: [
    { create: 'svc_users_by_age', on: 'svc_users (created_at, id)' },
    // With this operator class, an index of any collation finds prefixes.
    { create: 'svc_users_email_prefix', on: 'svc_users (email text_pattern_ops)' },
    {
      create: 'svc_users_username',
      unique: true,
      on: 'svc_users (username_key text_pattern_ops) where username_key is not null',
    },
    { create: 'svc_users_roles', on: 'svc_users using gin (roles) where roles is not null' },
    { create: 'svc_users_blocked', on: 'svc_users (created_at, id) where blocked_at is not null' },
    { create: 'svc_users_unverified', on: 'svc_users (created_at, id) where not email_verified' },
  ],
};
