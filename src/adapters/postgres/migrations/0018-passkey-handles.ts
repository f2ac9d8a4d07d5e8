/** The user handles of passkeys that another system has registered. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const passkeyHandles: Migration = {
  id: 18,
  name: 'passkey-handles',
  // Nullable and without a default: the table is not rewritten, and the previous release ignores the column.
  statements: [`alter table svc_credentials add column user_handle text`],
};
