/** Calls of several processes on MariaDB, or on the MySQL of MYSQL_URL. */
import { describeKilledProcess } from '../contract/killed-process.js';
import { describeKilledSpenders } from '../contract/killed-spenders.js';
import { describeProcessRaces } from '../contract/process-races.js';
import { describeKilledOAuthServer } from '../oauth-server/killed-server.js';
import { describeWithMariaDb } from '../support/mariadb.js';

describeWithMariaDb('processes on MariaDB', () => {
  describeProcessRaces('MariaDB');
  describeKilledProcess('MariaDB');
  describeKilledSpenders('MariaDB');
  describeKilledOAuthServer('MariaDB');
});
