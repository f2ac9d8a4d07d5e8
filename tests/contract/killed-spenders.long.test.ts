/** Killed processes and single-use secrets on PostgreSQL, PGlite and SQLite; on MariaDB in tests/servers. */
import { describeKilledSpenders } from './killed-spenders.js';

for (const name of ['PostgreSQL', 'PGlite', 'SQLite'] as const) describeKilledSpenders(name);
