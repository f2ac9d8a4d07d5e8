/** The conformance suite, the schema and its upgrade on MariaDB, or on the MySQL of MYSQL_URL. */
import { knexAdapter } from 'svc-auth';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';
import { describePortableSchema } from '../contract/portable-schema.js';
import { describePortableUpgrade } from '../contract/portable-upgrade.js';
import { createMariaDatabase, describeWithMariaDb } from '../support/mariadb.js';
import type { TestDatabase } from '../support/postgres.js';

describeWithMariaDb('storage on MariaDB', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMariaDatabase();
  });

  afterAll(() => database.drop());

  describeStorageAdapter('knexAdapter on MariaDB', () =>
    knexAdapter({ client: 'mysql2', connection: database.url, pool: { min: 0, max: 10 } }),
  );

  describePortableSchema('MariaDB');
  describePortableUpgrade('MariaDB');
});
