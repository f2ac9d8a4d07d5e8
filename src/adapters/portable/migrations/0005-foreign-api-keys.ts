/** API keys of another system, which are found by their digest. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const foreignApiKeys: Migration = {
  id: 5,
  name: 'foreign-api-keys',
  statements: [
    `alter table svc_api_keys add column key_digest {text 128}`,
    `create unique index svc_api_keys_key_digest on svc_api_keys (key_digest)`,
  ],
};
