// The audit log on MariaDB when its process is killed.
import { describeKilledRecorders } from '../audit/killed-recorders.js';
import { describeWithMariaDb } from '../support/mariadb.js';

describeWithMariaDb('an audit log on MariaDB', () => describeKilledRecorders('MariaDB'));
