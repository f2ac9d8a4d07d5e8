/** What the environment sets, read and checked before anything is opened: a mistake costs one line and exit code 1. */
import { fileURLToPath } from 'node:url';

export interface Settings {
  port: number;
  /** How old a sign-in may be that changes a password or deletes an account. */
  freshMs: number;
  /** PostgreSQL in place of the embedded database. */
  databaseUrl: string | undefined;
  /** Where the embedded database and the secrets are kept. */
  folder: string;
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const port = Number(env['PORT'] || 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    giveUp('PORT must be a number from 1 to 65535.');
  }
  const freshMs = 1000 * Number(env['FRESH_SECONDS'] || 600);
  if (!(freshMs > 0 && freshMs < Infinity)) {
    giveUp('FRESH_SECONDS must be a number of seconds above 0, such as FRESH_SECONDS=30.');
  }
  const databaseUrl = env['DATABASE_URL'] || undefined;
  if (databaseUrl && !/^postgres(ql)?:\/\/./.test(databaseUrl)) {
    giveUp('DATABASE_URL must be the URL of a PostgreSQL database: postgres://user:password@host/name.');
  }
  // The embedded database takes one process per folder, hence a folder for each port.
  const folder = env['DATA'] || fileURLToPath(new URL(`data/${port}`, import.meta.url));
  return { port, freshMs, databaseUrl, folder };
}

/** Ends the process with one line that says what to do. */
export function giveUp(message: string): never {
  console.error(message);
  process.exit(1);
}
