/**
 * The state of the account that a reset link is bound to. Never edited again, like every migration.
 */
import type { Migration } from './migration.js';

export const accountStates: Migration = {
  id: 4,
  name: 'account-states',
  statements: [
    // Null in rows of the previous release: such a reset link is rejected, and expires within 30
    // minutes.
    `alter table svc_single_use_tokens
      add column account_email text,
      add column account_epoch integer,
      add column account_has_password boolean`,
  ],
};
