/** The HTTP suite on PostgreSQL, also with hostile settings. */
import { adapterOn, createHostileDatabase, isHostile } from '../support/hostile-database.js';
import { createMigratedDatabase, querySql } from '../support/postgres.js';
import { storedSecrets } from '../support/stored-secrets.js';
import { describeStorage } from './matrix.js';

describeStorage('PostgreSQL', async () => {
  const database = await (isHostile ? createHostileDatabase() : createMigratedDatabase());
  const adapter = adapterOn(database, 5);
  return {
    adapter,
    async release() {
      const storedPlaintext = await storedSecrets((text) => querySql(database.url, text));
      await adapter.close();
      await database.drop();
      expect(storedPlaintext).toEqual([]);
    },
  };
});
