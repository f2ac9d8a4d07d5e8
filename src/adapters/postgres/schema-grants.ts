/** The grants of PostgreSQL: for a service that changes no schema, and for the application's own role. */
import { ConfigError } from '../../errors/catalog.js';
import type { GrantedRoles, SchemaGrants } from '../../storage/schema-administration.js';
import { referableTables, visibleColumns } from '../shared/visible-columns.js';
import { tables, tablesWithRows } from './migrations/migrate.js';

/** @param qualify puts the schema in front of the name of a table. */
export function grantsOf(
  { service, application, owner }: GrantedRoles,
  schema: string,
  qualify: (table: string) => string,
): SchemaGrants {
  const all = tables.map(qualify).join(', ');
  const statements: string[] = [];
  const notes: string[] = [];
  if (service !== undefined) {
    const role = quoteRole(service);
    const withRows = tablesWithRows.map(qualify).join(', ');
    statements.push(
      `grant usage on schema ${schema} to ${role}`,
      `grant select, insert, update, delete on ${withRows} to ${role}`,
      `grant select on ${qualify('svc_migrations')} to ${role}`,
    );
    notes.push(
      `${service} changes no schema: call init({ migrate: false }), and grant again after a migration.`,
    );
  }
  if (application !== undefined) {
    const role = quoteRole(application);
    statements.push(
      `grant usage on schema ${schema} to ${role}`,
      `revoke all on ${all} from ${role}`,
      `revoke all on ${all} from public`,
      ...Object.entries(visibleColumns).map(([table, columns]) => {
        const references = referableTables.includes(table) ? ', references (id)' : '';
        return `grant select (${columns.join(', ')})${references} on ${qualify(table)} to ${role}`;
      }),
    );
    notes.push(
      `${application} must not own the tables, be a superuser, or be a member of a role that may read them.`,
    );
  }
  if (owner !== undefined) {
    const role = quoteRole(owner);
    statements.push(
      `grant usage on schema ${schema} to ${role}`,
      ...referableTables.map((table) => `grant references (id) on ${qualify(table)} to ${role}`),
    );
  }
  return { statements, notes };
}

/** @throws ConfigError if it cannot be the name of a role. */
export function quoteRole(name: string): string {
  if (/^[^"\\\p{Cc}]{1,63}$/u.test(name)) return `"${name}"`;
  const message =
    'the name of a role must be 1 to 63 characters without quotes, control characters and "\\".';
  throw new ConfigError([{ path: 'role', message }]);
}
