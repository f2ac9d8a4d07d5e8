/** Counters of what has happened. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const statistics: Migration = {
  id: 23,
  name: 'statistics',
  statements: [
    `create table svc_statistics (
      period text not null,
      series text not null,
      hits bigint not null,
      expires_at timestamptz(3),
      primary key (period, series)
    )`,
    `create index svc_statistics_expiry on svc_statistics (expires_at)`,

    `create table svc_active_users (
      user_id uuid not null references svc_users (id) on delete cascade,
      period text not null,
      expires_at timestamptz(3) not null,
      primary key (user_id, period)
    )`,
    `create index svc_active_users_expiry on svc_active_users (expires_at)`,
  ],
};
