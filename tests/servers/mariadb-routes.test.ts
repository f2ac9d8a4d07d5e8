/** The HTTP suite on MariaDB, or on the MySQL of MYSQL_URL: its first suites, and every suite if `STORAGES` selects it. */
import { describeShared } from '../http/shared-storage.js';
import { describeWithMariaDb } from '../support/mariadb.js';

describeWithMariaDb('routes on MariaDB', () => describeShared('MariaDB'));
