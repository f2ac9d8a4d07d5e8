// A sign-in whose proof is consumed just before the pool has no free connection, on PostgreSQL.
import { describeProofWithoutConnection } from './proof-without-connection.js';

describeProofWithoutConnection('PostgreSQL');
