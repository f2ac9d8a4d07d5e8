/** The grants of MariaDB and MySQL: for a service that changes no schema, and for the application's own user. */
import { ConfigError } from '../../errors/catalog.js';
import type { GrantedRoles, SchemaGrants } from '../../storage/schema-administration.js';
import { referableTables, visibleColumns } from '../shared/visible-columns.js';
import { tablesWithRows } from './migrations/migrate.js';

export function grantsOf({ service, application, owner }: GrantedRoles, database: string): SchemaGrants {
  const qualify = (table: string) => `${quote(database)}.${table}`;
  const statements: string[] = [];
  const notes: string[] = [];
  if (service !== undefined) {
    const account = quoteAccount(service);
    const rights = 'select, insert, update, delete';
    statements.push(
      ...tablesWithRows.map((table) => `grant ${rights} on ${qualify(table)} to ${account}`),
      `grant select on ${qualify('svc_migrations')} to ${account}`,
    );
    notes.push(
      `${service} changes no schema: call init({ migrate: false }), and grant again after a migration.`,
    );
  }
  if (application !== undefined) {
    const account = quoteAccount(application);
    for (const [table, columns] of Object.entries(visibleColumns))
      statements.push(`grant select (${columns.join(', ')}) on ${qualify(table)} to ${account}`);
    notes.push(
      `${application} must not have rights on the whole database ${database} or on all databases: these statements take none away.`,
      // The server looks for a right on the table, and finds that on columns first.
      `Let another account create foreign keys to users (--app-owner): the server refuses it to one that may read columns only.`,
    );
  }
  if (owner !== undefined) {
    const account = quoteAccount(owner);
    statements.push(...referableTables.map((table) => `grant references on ${qualify(table)} to ${account}`));
  }
  return { statements, notes };
}

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** @param name `user` or `user@host`. @throws ConfigError if it cannot be the name of an account. */
function quoteAccount(name: string): string {
  const [, user, host = '%'] = /^([^'"`\\@\p{Cc}]{1,80})(?:@([^'"`\\@\p{Cc}]{1,255}))?$/u.exec(name) ?? [];
  if (user !== undefined) return `'${user}'@'${host}'`;
  const message =
    'the name of an account must be user or user@host, without quotes, control characters and "\\".';
  throw new ConfigError([{ path: 'role', message }]);
}
