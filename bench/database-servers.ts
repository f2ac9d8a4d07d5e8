/** The databases of the servers under load: private servers that end with the benchmark, and files of SQLite. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { isMariaDbInstalled, startMariaDb } from '../tests/support/mariadb-server.js';
import { startPostgres } from '../tests/support/postgres-server.js';

export type DatabaseKind = 'PostgreSQL' | 'MariaDB' | 'SQLite';

/** The databases that this machine can start. */
export const databaseKinds: readonly DatabaseKind[] = isMariaDbInstalled
  ? ['PostgreSQL', 'MariaDB', 'SQLite']
  : ['PostgreSQL', 'SQLite'];

export interface DatabaseServers {
  /** Creates an empty database and returns its URL. */
  create: (kind: DatabaseKind, name: string) => Promise<string>;
  stop: () => Promise<void>;
}

/** Starts PostgreSQL, which every benchmark needs, and MariaDB if it is one of `kinds`. */
export async function startDatabases(kinds: readonly DatabaseKind[]): Promise<DatabaseServers> {
  const postgres = await startPostgres();
  const mariaDb = kinds.includes('MariaDB') ? await startMariaDb() : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-bench-'));
  return {
    async create(kind, name) {
      if (kind === 'PostgreSQL') return createDatabase(postgres.url, name);
      if (kind === 'SQLite') return pathToFileURL(join(folder, `${name}.db`)).href;
      if (!mariaDb) throw new Error('MariaDB was not started.');
      const connection = await createConnection(mariaDb.url);
      await connection.query(`create database ${name}`);
      await connection.end();
      return Object.assign(new URL(mariaDb.url), { pathname: `/${name}` }).href;
    },
    async stop() {
      await Promise.all([postgres.stop(), mariaDb?.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).toString();
}
