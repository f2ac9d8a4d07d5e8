import { knexAdapter } from '../../src/adapters/sql/knex-adapter.js';
import { describeStorageAdapter } from '../../src/testing/storage-conformance.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(() => database.drop());

describeStorageAdapter('knexAdapter on PostgreSQL', () =>
  knexAdapter({ client: 'pg', connection: database.url }),
);
