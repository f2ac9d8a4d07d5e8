/** The databases that DATABASE_URL can name. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { knexAdapter } from '../adapters/knex-adapter.js';
import { sqliteAdapter } from '../adapters/portable/sqlite-adapter.js';
import type { StorageAdapter } from '../storage/adapter.js';
import { UsageError } from './arguments.js';

/**
 * Returns the adapter of a URL. The driver would take anything else for the name of a local database.
 * @throws UsageError, which does not repeat the URL: it may contain a password.
 */
export function adapterOfUrl(url: string): StorageAdapter {
  const [, scheme = ''] = /^([a-z\d]+):/i.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case 'postgres':
    case 'postgresql':
      return knexAdapter({ client: 'pg', connection: url });
    case 'mysql':
    case 'mariadb':
      return knexAdapter({ client: 'mysql2', connection: url });
    case 'sqlite':
    case 'file':
      return sqliteAdapter(existingFile(url));
    default:
      throw new UsageError(
        'DATABASE_URL must start with postgres://, mysql://, mariadb://, sqlite: or file:, such as file:./data/auth.db.',
      );
  }
}

/** Returns the path of `file:./auth.db`, `sqlite:auth.db`, `sqlite://./auth.db` or `file:///data/auth.db`. */
function existingFile(url: string): string {
  const [withoutQuery = ''] = url.split('?');
  const path = /^file:\/\//i.test(withoutQuery)
    ? pathOfFileUrl(withoutQuery)
    : withoutQuery.replace(/^[a-z]+:(?:\/\/)?/i, '');
  // A misspelled name would create an empty database.
  if (existsSync(path)) return path;
  throw new UsageError(
    `The database file ${path} of DATABASE_URL does not exist. Start the application first.`,
  );
}

function pathOfFileUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new UsageError('DATABASE_URL must name a file: file:./auth.db or file:///data/auth.db.');
  }
}
