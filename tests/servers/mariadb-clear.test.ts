// `clear(service)` of svc-auth/testing on MariaDB.
import { describeClear } from '../support/cleared-service.js';
import { describeWithMariaDb } from '../support/mariadb.js';

describeWithMariaDb('clear(service) on MariaDB', () => describeClear(['MariaDB']));
