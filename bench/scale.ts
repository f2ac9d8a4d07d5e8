/**
 * `npm run bench -- scale`: fills a PostgreSQL with a million users, each with two sessions, and prints how large tables and indexes are,
 * the time, the pages and the plan of every statement of the storage adapter, and what the purge and partitions cost. SCALE_USERS,
 * SCALE_SESSIONS and SCALE_ORGS change the sizes. SCALE_PLANS=all prints every plan, not only those of slow statements and sequential
 * scans.
 */
import knexPackage from 'knex';
import { knexAdapter } from '../src/adapters/knex-adapter.js';
import { startPostgres } from '../tests/support/postgres-server.js';
import { fill, type Sizes } from './scale-data.js';
import { collect, explainAll } from './scale-plans.js';
import { measureDrop, measurePurge, partitionSessions } from './scale-purge.js';
import { printSizes } from './scale-sizes.js';

const users = Number(process.env['SCALE_USERS'] ?? 1_000_000);
const sizes: Sizes = {
  users,
  sessions: Number(process.env['SCALE_SESSIONS'] ?? 2 * users),
  orgs: Number(process.env['SCALE_ORGS'] ?? users / 10),
};

const postgres = await startPostgres({
  shared_buffers: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '1GB',
  max_wal_size: '4GB',
  // Counts of pages and of WAL are those of the benchmark alone.
  autovacuum: 'off',
});
const knex = knexPackage({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 1 } });
try {
  await knexAdapter(knex).init();
  const start = performance.now();
  await fill(knex, sizes, console.log);
  console.log(`Filled in ${((performance.now() - start) / 1000).toFixed(0)} s: ${JSON.stringify(sizes)}`);
  await printSizes(knex);
  const sent = await collect(knex, sizes);
  await explainAll(postgres.url, sent);
  await measurePurge(knex);
  await partitionSessions(knex, sizes);
  console.log('With svc_sessions in five partitions:');
  await explainAll(
    postgres.url,
    sent.filter(({ sql }) => sql.includes('svc_sessions')),
  );
  await measureDrop(knex);
} finally {
  await knex.destroy();
  await postgres.stop();
}
