/** Checks where an adapter connects to, so that a variable that is not set is an error at start. */
import { refuseOption } from '../../errors/options.js';

/** The protocols of the URLs of a database, such as `postgres:`. */
export const protocols = {
  PostgreSQL: ['postgres:', 'postgresql:', 'cockroachdb:', 'redshift:'],
  mysql: ['mysql:', 'mariadb:', 'mysql2:'],
} as const;

const missing = 'is missing or empty. Is the variable that it comes from, such as DATABASE_URL, set?';

/**
 * Requires an object or function of the driver, or the URL of a database of this kind: knex would connect to the default host with
 * anything else. The message does not repeat the value, which may contain a password. @throws ConfigError
 */
export function mustBeConnection(path: string, connection: unknown, kind: keyof typeof protocols): void {
  const expected: readonly string[] = protocols[kind];
  if (connection === undefined || connection === null || connection === '') refuseOption(path, missing);
  if (typeof connection !== 'string') return mustBeSettings(path, connection);
  const protocol = URL.canParse(connection) ? new URL(connection).protocol : '';
  if (!expected.includes(protocol)) refuseOption(path, `must be a URL that starts with ${expected[0]}//`);
}

/** Requires the name of a file or folder. @throws ConfigError */
export function mustBeFile(path: string, file: unknown): void {
  if (file === undefined || file === null || file === '') refuseOption(path, missing);
  if (typeof file !== 'string') refuseOption(path, 'must be a path');
}

function mustBeSettings(path: string, connection: unknown): void {
  if (typeof connection !== 'object' && typeof connection !== 'function')
    refuseOption(path, 'must be a connection string, an object or a function');
}
