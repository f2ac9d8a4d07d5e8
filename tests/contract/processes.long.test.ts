/** Calls of several processes on PostgreSQL and SQLite; on MariaDB in tests/servers. */
import { describeKilledProcess } from './killed-process.js';
import { describeProcessRaces } from './process-races.js';

for (const name of ['PostgreSQL', 'SQLite'] as const) {
  describeProcessRaces(name);
  describeKilledProcess(name);
}
