/** The HTTP suite on MariaDB, or on the MySQL of MYSQL_URL. */
import { describeShared } from '../http/shared-storage.js';
import { describeWithMariaDb } from '../support/mariadb.js';

describeWithMariaDb('routes on MariaDB', () => describeShared('MariaDB'));
