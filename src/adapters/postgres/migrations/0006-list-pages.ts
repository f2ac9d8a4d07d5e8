/**
 * Indexes in the order of long lists, so that a page is read by index, and one on owners. Never
 * edited again, like every migration.
 */
import type { Migration } from './migration.js';

export const listPages: Migration = {
  id: 6,
  name: 'list-pages',
  statements: [],
  indexes: [
    { create: 'svc_org_memberships_by_age', on: 'svc_org_memberships (org_id, created_at, user_id)' },
    { create: 'svc_org_memberships_of_user', on: 'svc_org_memberships (user_id, created_at, org_id)' },
    {
      create: 'svc_org_invites_by_age',
      on: 'svc_org_invites (org_id, created_at, id) where accepted_at is null',
    },
    {
      create: 'svc_api_keys_of_user',
      on: 'svc_api_keys (user_id, created_at, id) where user_id is not null',
    },
    { create: 'svc_api_keys_of_org', on: 'svc_api_keys (org_id, created_at, id) where org_id is not null' },
    // Every change of a membership counts the owners under the organization's lock.
    { create: 'svc_org_memberships_owners', on: `svc_org_memberships (org_id) where role = 'owner'` },
    // Prefixes of the indexes above.
    { drop: 'svc_org_memberships_user' },
    { drop: 'svc_api_keys_user' },
    { drop: 'svc_api_keys_org' },
  ],
};
