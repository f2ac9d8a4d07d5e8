/** The conformance suite on PostgreSQL without its fast paths: what sign-ins do together is then composed of elementary methods. */
import { describeStorageAdapter } from '../../testing/storage-conformance.js';
import { adapterOn } from '../support/hostile-database.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import { withoutFastPaths } from '../support/without-fast-paths.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(() => database.drop());

describeStorageAdapter(
  'knexAdapter on PostgreSQL without fast paths',
  () => withoutFastPaths(adapterOn(database, 10)),
  undefined,
  { without: ['fastPaths'] },
);
