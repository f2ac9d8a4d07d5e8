/** The errors of the drivers: knex puts the statement before the message, and statements can contain what users have. */
import type { Knex } from 'knex';

/** Leaves of every error of a statement only the message of the database. */
export function hideStatements(knex: Knex): void {
  knex.on('query-error', (error: unknown, { sql }: { sql?: string }) => {
    if (!(error instanceof Error)) return;
    error.message = databaseMessage(error, sql ?? '');
    error.stack = `${error.name}: ${error.message}`;
    // Of mysql2.
    if ('sql' in error) delete error.sql;
  });
}

function databaseMessage(error: Error & { sqlMessage?: unknown; code?: unknown }, sql: string): string {
  if (typeof error.sqlMessage === 'string') return error.sqlMessage;
  const prefix = `${sql} - `;
  if (sql !== '' && error.message.startsWith(prefix)) return error.message.slice(prefix.length);
  const { code } = error;
  return `The database has refused a statement (${typeof code === 'string' ? code : 'error'}).`;
}
