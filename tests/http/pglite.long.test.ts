/**
 * The HTTP suite on the embedded PostgreSQL: its first suites, and with STORAGES=all every suite.
 */
import { pgliteAdapter } from 'svc-auth';
import { isThorough } from '../support/describe-adapters.js';
import { describeMatrix, firstSuites } from './matrix.js';

const open = async () => {
  const adapter = pgliteAdapter();
  return { adapter, release: () => adapter.close() };
};

describeMatrix('PGlite', open, isThorough ? {} : { on: ['Express 5'], only: firstSuites });
