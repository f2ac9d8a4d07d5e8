/** The ids of users and organizations in the application or in an earlier system. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const externalIds: Migration = {
  id: 16,
  name: 'external-ids',
  // Nullable and without a default: the tables are not rewritten, and the previous release ignores the columns.
  statements: [
    `alter table svc_users add column external_id text`,
    `alter table svc_orgs add column external_id text`,
  ],
  indexes: [
    {
      create: 'svc_users_external_id',
      unique: true,
      on: 'svc_users (external_id) where external_id is not null',
    },
    {
      create: 'svc_orgs_external_id',
      unique: true,
      on: 'svc_orgs (external_id) where external_id is not null',
    },
  ],
};
