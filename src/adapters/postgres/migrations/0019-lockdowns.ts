/** Lockdowns of everyone: their number and the time of the last one. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const lockdowns: Migration = {
  id: 19,
  name: 'lockdowns',
  statements: [
    `create table svc_lockdown (
      id smallint primary key check (id = 1),
      epochs integer not null,
      started_at timestamptz(3)
    )`,
    `insert into svc_lockdown (id, epochs) values (1, 0)`,
  ],
};
