/** Reads the state of the schema, of expired rows and of the pool: storage/inspection.ts. */
import type { Knex } from 'knex';
import type { StorageInspection } from '../../storage/inspection.js';
import { expectedIndexes, migrationState } from '../shared/schema-state.js';
import { maxOfPool } from '../shared/pool-size.js';
import type { Database } from './database.js';
import type { Dialect } from './dialect.js';
import { appliedIds, migrations } from './migrations/migrate.js';
import { expiring } from './purge.js';
import type { Bindings } from './statements.js';

export function portableInspection(
  db: Database,
  open: () => Promise<Knex>,
  { listIndexes, maxServerConnections }: Pick<Dialect, 'listIndexes' | 'maxServerConnections'>,
): StorageInspection {
  return {
    async migrations() {
      // The clock first: an error of the register alone means that there is no register.
      await db.find('select {now} as now_ms', {}, (row) => row);
      return migrationState(migrations, await appliedIds(db).catch(() => null));
    },
    async missingIndexes() {
      const existing = await db.query(listIndexes, {}, (row) => String(row['index_name']));
      return expectedIndexes(migrations).filter((name) => !existing.includes(name));
    },
    unpurged: (before) => unpurged(db, before),
    ...(maxServerConnections !== null && {
      async connections() {
        const max = await db.find(maxServerConnections, {}, (row) => Number(row['max_connections']));
        return { pool: maxOfPool(await open()), server: max };
      },
    }),
  };
}

async function unpurged(db: Database, before: Date): Promise<string[]> {
  const found = new Set<string>();
  for (const { table, condition } of expiring) {
    const [, column = 'revoked_at'] = /^(\w+) <= /.exec(condition) ?? [];
    const bindings: Bindings = { before };
    const first = `select 1 as found from ${table} where ${column} <= :before limit 1`;
    if (await db.find(first, bindings, () => true)) found.add(table);
  }
  return [...found];
}
