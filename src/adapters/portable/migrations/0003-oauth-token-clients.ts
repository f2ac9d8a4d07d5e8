/** The clients with which tokens end. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const oauthTokenClients: Migration = {
  id: 3,
  name: 'oauth-token-clients',
  statements: [`alter table svc_oauth_tokens add column client_id {text 255}`],
};
