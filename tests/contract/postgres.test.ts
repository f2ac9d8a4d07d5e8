import { describeStorageAdapter } from '../../testing/storage-conformance.js';
import { adapterOn, createHostileDatabase, isHostile } from '../support/hostile-database.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await (isHostile ? createHostileDatabase() : createDatabase());
});

afterAll(() => database.drop());

describeStorageAdapter('knexAdapter on PostgreSQL', () => adapterOn(database, 10));
