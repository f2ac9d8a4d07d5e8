/** A PostgreSQL server that is killed; MariaDB in tests/servers. */
import { startPostgres } from '../../support/postgres-server.js';
import { describeKilledServer } from './killed-server.js';

describeKilledServer('PostgreSQL', () => startPostgres({ synchronous_commit: 'on' }));
