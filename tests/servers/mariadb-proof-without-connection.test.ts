// A sign-in whose proof is consumed just before the pool has no free connection, on MariaDB.
import { describeProofWithoutConnection } from '../attack/faults/proof-without-connection.js';
import { describeWithMariaDb } from '../support/mariadb.js';

describeWithMariaDb('MariaDB', () => describeProofWithoutConnection('MariaDB'));
