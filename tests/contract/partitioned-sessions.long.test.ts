/** The statements of docs/scale.md make `svc_sessions` a partitioned table, on which the adapter works as before. */
import { readFile } from 'node:fs/promises';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';
import { createDatabase, querySql, type TestDatabase } from '../support/postgres.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(() => database.drop());

describeStorageAdapter('knexAdapter on PostgreSQL with partitions', async () => {
  const first = openAdapter();
  await first.init();
  await first.close();
  const page = await readFile(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  const [, statements = ''] = /```sql\n(begin;.*?)```/s.exec(page) ?? [];
  await querySql(database.url, statements);
  const partitions = await querySql(
    database.url,
    `select from pg_inherits where inhparent = 'svc_sessions'::regclass`,
  );
  expect(partitions).toHaveLength(3);
  return openAdapter();
});

const openAdapter = () => knexAdapter({ client: 'pg', connection: database.url, pool: { min: 0, max: 10 } });
