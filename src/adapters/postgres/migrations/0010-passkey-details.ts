/** Names of passkeys, and where each was last used. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const passkeyDetails: Migration = {
  id: 10,
  name: 'passkey-details',
  // Nullable and without a default: the table is not rewritten, and the previous release ignores the columns.
  statements: [`alter table svc_credentials add column name text, add column last_used_from jsonb`],
};
