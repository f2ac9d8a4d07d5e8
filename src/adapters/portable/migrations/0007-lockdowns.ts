/** Lockdowns of everyone: their number and the time of the last one. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const lockdowns: Migration = {
  id: 7,
  name: 'lockdowns',
  statements: [
    `create table svc_lockdown (
      id integer not null primary key,
      epochs integer not null,
      started_at {time}
    ) {options}`,
    `insert into svc_lockdown (id, epochs) values (1, 0)`,
  ],
};
