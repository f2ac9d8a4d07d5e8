/** Counters of what has happened. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const statistics: Migration = {
  id: 10,
  name: 'statistics',
  statements: [
    `create table svc_statistics (
      period {text 16} not null,
      series {text 128} not null,
      hits {bigint} not null,
      expires_at {time},
      primary key (period, series)
    ) {options}`,
    `create index svc_statistics_expiry on svc_statistics (expires_at)`,

    `create table svc_active_users (
      user_id {id} not null,
      period {text 16} not null,
      expires_at {time} not null,
      primary key (user_id, period),
      constraint svc_active_users_user foreign key (user_id) references svc_users (id) on delete cascade
    ) {options}`,
    `create index svc_active_users_expiry on svc_active_users (expires_at)`,
  ],
};
