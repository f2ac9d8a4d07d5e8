/** Reads and checks the environment variables at start. An invalid one prints one line and exits with code 1. */
import { fileURLToPath } from 'node:url';

export interface Settings {
  port: number;
  /** The maximum age of a sign-in, in ms, that may change a password or delete an account. */
  freshMs: number;
  /** PostgreSQL to use instead of SQLite. */
  databaseUrl: string | undefined;
  /** The folder of the SQLite database and the secrets. */
  folder: string;
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const port = Number(env['PORT'] || 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    exitWithError('PORT must be a number from 1 to 65535.');
  }
  const freshMs = 1000 * Number(env['FRESH_SECONDS'] || 600);
  if (!(freshMs > 0 && freshMs < Infinity)) {
    exitWithError('FRESH_SECONDS must be a number of seconds above 0, such as FRESH_SECONDS=30.');
  }
  const databaseUrl = env['DATABASE_URL'] || undefined;
  if (databaseUrl && !/^postgres(ql)?:\/\/./.test(databaseUrl)) {
    exitWithError(
      'DATABASE_URL must be the URL of a PostgreSQL database: postgres://user:password@host/name.',
    );
  }
  // Each port has its own users and secrets.
  const folder = env['DATA'] || fileURLToPath(new URL(`data/${port}`, import.meta.url));
  return { port, freshMs, databaseUrl, folder };
}

/** Prints one line that says what to do and exits with code 1. */
export function exitWithError(message: string): never {
  console.error(message);
  process.exit(1);
}
