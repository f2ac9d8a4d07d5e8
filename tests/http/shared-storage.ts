/** The HTTP suite on a database that processes share, for the files that name one. */
import { createSharedDatabase, type SharedStorage } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import { storedSecrets } from '../support/stored-secrets.js';
import { describeStorage } from './matrix.js';

export function describeShared(storage: SharedStorage): void {
  describeStorage(storage, async () => {
    const database = await createSharedDatabase(storage);
    const adapter = openStorage(database.url);
    return {
      adapter,
      async release() {
        const storedPlaintext = await storedSecrets(database.sql, storage);
        await adapter.close();
        await database.drop();
        expect(storedPlaintext).toEqual([]);
      },
    };
  });
}
