/** Lets PostgreSQL renew a session in place (a heap-only tuple). Never edited again, as every migration. */
import type { Migration } from './migration.js';

export const renewalsInPlace: Migration = {
  id: 5,
  name: 'renewals-in-place',
  statements: [
    // A renewal moves `expires_at`, so no index may contain it. What the purge looks at instead is never later than `expires_at`:
    // the purge moves it when it finds a session that was renewed. Null until then for rows of the release before.
    `alter table svc_sessions add column if not exists purge_after timestamptz(3)`,
    // Room in every page for the new version of a row that is written again and again.
    `alter table svc_sessions set (fillfactor = 85)`,
    `alter table svc_refresh_families set (fillfactor = 85)`,
    `alter table svc_api_keys set (fillfactor = 85)`,
    `alter table svc_rate_limits set (fillfactor = 70)`,
  ],
  indexes: [
    { create: 'svc_sessions_purge', on: 'svc_sessions (purge_after)' },
    { drop: 'svc_sessions_expiry' },
  ],
};
