/** The HTTP suite on the embedded PostgreSQL. */
import { pgliteAdapter } from 'svc-auth';
import { describeStorage } from './matrix.js';

describeStorage('PGlite', async () => {
  const adapter = pgliteAdapter();
  return { adapter, release: () => adapter.close() };
});
