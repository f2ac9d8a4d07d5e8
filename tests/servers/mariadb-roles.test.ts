// The split of docs/database-roles.md on MariaDB, or on the MySQL of MYSQL_URL.
import { describeDatabaseRoles } from '../deployment/database-roles.js';
import { mariaRoles } from '../deployment/role-databases.js';
import { describeWithMariaDb } from '../support/mariadb.js';

describeWithMariaDb('MariaDB', () => describeDatabaseRoles('MariaDB', mariaRoles));
