/** The ids of users and organizations in the application or in an earlier system. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const externalIds: Migration = {
  id: 4,
  name: 'external-ids',
  // Any number of rows have none: null is equal to nothing in a unique index of all these databases.
  statements: [
    `alter table svc_users add column external_id {text 255}`,
    `create unique index svc_users_external_id on svc_users (external_id)`,
    `alter table svc_orgs add column external_id {text 255}`,
    `create unique index svc_orgs_external_id on svc_orgs (external_id)`,
  ],
};
