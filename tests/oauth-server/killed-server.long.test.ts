/** A killed process of an OAuth server on PostgreSQL and SQLite; on MariaDB in tests/servers. */
import { describeKilledOAuthServer } from './killed-server.js';

for (const name of ['PostgreSQL', 'SQLite'] as const) describeKilledOAuthServer(name);
