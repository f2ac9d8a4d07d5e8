/**
 * Lets PostgreSQL renew a session in place (a heap-only tuple). Never edited again, like every
 * migration.
 */
import type { Migration } from './migration.js';

export const renewalsInPlace: Migration = {
  id: 5,
  name: 'renewals-in-place',
  statements: [
    // A renewal changes `expires_at`, so no index may contain it. The purge uses this column
    // instead, which is never later than `expires_at`; the purge updates it for sessions that were
    // renewed. Null in rows of the previous release until the next purge.
    `alter table svc_sessions add column if not exists purge_after timestamptz(3)`,
    // Leaves room in every page for new versions of rows that are updated often.
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
