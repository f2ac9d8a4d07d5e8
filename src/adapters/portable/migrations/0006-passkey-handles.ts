/** The user handles of passkeys that another system has registered. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const passkeyHandles: Migration = {
  id: 6,
  name: 'passkey-handles',
  statements: [`alter table svc_credentials add column user_handle {text 128}`],
};
