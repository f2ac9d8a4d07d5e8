/** The StorageAdapter for the databases other than PostgreSQL. */
import type { Knex } from 'knex';
import type { StorageAdapter } from '../../storage/adapter.js';
import { database } from './database.js';
import type { Dialect } from './dialect.js';
import { portableInspection } from './inspection.js';
import { migrate, tablesWithRows } from './migrations/migrate.js';
import { purgeQueries } from './purge.js';
import { portableRepositories } from './repositories.js';
import { portableSchema } from './schema-administration.js';
import { readMs } from './tables.js';

/** Everything that a database implements. */
export type PortableStorage = Required<Omit<StorageAdapter, 'sessionChanges' | 'close'>>;

/** @param open Called for every statement. The first call opens an instance, later calls return it. */
export function portableStorage(open: () => Promise<Knex>, dialect: Dialect): PortableStorage {
  const db = database(open, dialect);
  const check = () => dialect.check((sql) => db.query(sql, {}, (row) => row));
  return {
    ...portableRepositories(db),
    ...purgeQueries(db),
    inspection: portableInspection(db, open, dialect),
    schema: portableSchema(db, dialect, check),
    async init({ migrate: isMigrating = true } = {}) {
      await check();
      if (isMigrating) await migrate(db);
    },
    clear: () =>
      db.transaction(async (transaction) => {
        for (const table of tablesWithRows) await transaction.execute(`delete from ${table}`, {});
      }),
    async currentTime() {
      const time = await db.find('select {now} as now_ms', {}, (row) => readMs(row['now_ms']));
      return time?.getTime() ?? Number.NaN;
    },
  };
}
