// The foreign key to `svc_users` that docs/adapters.md shows, on MariaDB, or on the MySQL of MYSQL_URL.
import { describeDocumentedForeignKey } from '../support/documented-foreign-key.js';
import { describeWithMariaDb } from '../support/mariadb.js';

describeWithMariaDb('MariaDB', () => describeDocumentedForeignKey('MariaDB'));
