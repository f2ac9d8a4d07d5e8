/** The HTTP suite on PostgreSQL; `npm run test:hostile` runs it with hostile settings. */
import { isThorough } from '../support/describe-adapters.js';
import { adapterOn, createHostileDatabase, isHostile } from '../support/hostile-database.js';
import { createMigratedDatabase, querySql } from '../support/postgres.js';
import { storedSecrets } from '../support/stored-secrets.js';
import { describeMatrix } from './matrix.js';

const open = async () => {
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
};

describeMatrix('PostgreSQL', open, isThorough ? {} : { on: ['Express 5'] });
