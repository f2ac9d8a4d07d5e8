/** The HTTP suite on MariaDB, or on the MySQL of MYSQL_URL: its first suites, and every suite if `STORAGES` selects it. */
import { describeShared } from './shared-storage.js';

describeShared('MariaDB');
