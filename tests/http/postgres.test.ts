/** The HTTP suite on PostgreSQL. */
import { knexAdapter } from 'svc-auth';
import { createDatabase, querySql } from '../support/postgres.js';
import { storedSecrets } from '../support/stored-secrets.js';
import { describeMatrix } from './matrix.js';

describeMatrix('PostgreSQL', async () => {
  const database = await createDatabase();
  const adapter = knexAdapter({ client: 'pg', connection: database.url, pool: { min: 0, max: 5 } });
  return {
    adapter,
    async release() {
      const found = await storedSecrets((text) => querySql(database.url, text));
      await adapter.close();
      await database.drop();
      expect(found).toEqual([]);
    },
  };
});
