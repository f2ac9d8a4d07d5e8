/** The clients with which tokens end. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const oauthTokenClients: Migration = {
  id: 15,
  name: 'oauth-token-clients',
  // Nullable and without a default: the table is not rewritten, and the previous release ignores the column.
  statements: [`alter table svc_oauth_tokens add column client_id text`],
};
