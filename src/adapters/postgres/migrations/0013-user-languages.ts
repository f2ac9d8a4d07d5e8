/** The languages that users have chosen. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const userLanguages: Migration = {
  id: 13,
  name: 'user-languages',
  // Nullable and without a default: the table is not rewritten, and the previous release ignores the column.
  statements: [`alter table svc_users add column language text`],
};
