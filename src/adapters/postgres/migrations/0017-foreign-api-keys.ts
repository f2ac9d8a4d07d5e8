/** API keys of another system, which are found by their digest. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const foreignApiKeys: Migration = {
  id: 17,
  name: 'foreign-api-keys',
  // Nullable and without a default: the table is not rewritten, and the previous release ignores the column.
  statements: [`alter table svc_api_keys add column key_digest text`],
  indexes: [
    {
      create: 'svc_api_keys_key_digest',
      unique: true,
      on: 'svc_api_keys (key_digest) where key_digest is not null',
    },
  ],
};
