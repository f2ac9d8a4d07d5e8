/** The HTTP suite on the embedded PostgreSQL. */
import { pgliteAdapter } from 'svc-auth';
import { describeMatrix } from './matrix.js';

describeMatrix('PGlite', async () => {
  const adapter = pgliteAdapter();
  return { adapter, release: () => adapter.close() };
});
