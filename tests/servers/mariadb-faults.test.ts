/** A MariaDB server that is killed. */
import { describeKilledServer } from '../attack/faults/killed-server.js';
import { runMariaSql } from '../support/mariadb.js';
import { isMariaDbInstalled, startMariaDb } from '../support/mariadb-server.js';

const describeIfInstalled = isMariaDbInstalled ? describe : describe.skip;

// Not on the MySQL of MYSQL_URL, which the test could not kill.
describeIfInstalled('faults of MariaDB', () => {
  describeKilledServer('MariaDB', async () => {
    const server = await startMariaDb(['--innodb-flush-log-at-trx-commit=1']);
    await runMariaSql(server.url, 'create database svc_auth');
    return { ...server, url: `${server.url}svc_auth` };
  });
});
