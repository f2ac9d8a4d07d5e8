/** The conformance suite on MariaDB, or on the MySQL of MYSQL_URL. */
import { knexAdapter } from 'svc-auth';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';
import { createMariaDatabase, hasMariaDb, withoutMariaDb } from '../support/mariadb.js';
import type { TestDatabase } from '../support/postgres.js';

let database: TestDatabase;

if (hasMariaDb) {
  beforeAll(async () => {
    database = await createMariaDatabase();
  }, 60_000);

  afterAll(() => database.drop());

  describeStorageAdapter('knexAdapter on MariaDB', () =>
    knexAdapter({ client: 'mysql2', connection: database.url, pool: { min: 0, max: 10 } }),
  );
} else {
  it.skip(withoutMariaDb, () => undefined);
}
