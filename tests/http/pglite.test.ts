/**
 * The HTTP suite on the embedded PostgreSQL: its first suites, and with STORAGES=all every suite.
 */
import { pgliteAdapter } from 'svc-auth';
import { isThorough } from '../support/describe-adapters.js';
import { describeMatrix } from './matrix.js';
import { accounts } from './suites/accounts.js';
import { orgs } from './suites/orgs.js';
import { sessions } from './suites/sessions.js';
import { tokens } from './suites/tokens.js';

const open = async () => {
  const adapter = pgliteAdapter();
  return { adapter, release: () => adapter.close() };
};

describeMatrix(
  'PGlite',
  open,
  isThorough ? {} : { on: ['Express 5'], only: [accounts, sessions, tokens, orgs] },
);
