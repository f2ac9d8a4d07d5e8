// The split of docs/database-roles.md on PostgreSQL.
import { describeDatabaseRoles } from './database-roles.js';
import { postgresRoles } from './role-databases.js';

describeDatabaseRoles('PostgreSQL', postgresRoles);
