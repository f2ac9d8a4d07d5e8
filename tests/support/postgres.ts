/** Creates a database for each test file. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  url: string;
  /** Removes the database and closes its connections. */
  drop: () => Promise<void>;
}

/**
 * Creates an empty database on the server of DATABASE_URL, or on the one that global-setup.ts starts.
 * @param options of `create database`.
 */
export async function createDatabase(options = ''): Promise<TestDatabase> {
  // template0 accepts no connections; a connection to the template would prevent the copy.
  return copyDatabase(await adminUrl(), 'template0', options);
}

/** Creates a database with the tables of `init()`, as a copy of one that global-setup.ts migrates once. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return copyDatabase(await adminUrl(), await ask(process.env['SVC_AUTH_TEST_TEMPLATE']));
}

/** @param admin URL of a role that may create databases. */
export async function copyDatabase(admin: string, template: string, options = ''): Promise<TestDatabase> {
  const name = `svc_auth_test_${randomBytes(8).toString('hex')}`;
  await runSql(admin, `create database ${name} template ${template} ${options}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runSql(admin, `drop database if exists ${name} with (force)`) };
}

/** Runs one statement on a separate connection. */
export async function runSql(url: string, sql: string): Promise<void> {
  await querySql(url, sql);
}

/** Runs one statement on a separate connection and returns its rows. */
export async function querySql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function adminUrl(): Promise<string> {
  return process.env.DATABASE_URL || ask(process.env['SVC_AUTH_TEST_POSTGRES']);
}

/** @param broker the URL at which global-setup.ts starts what is asked for, at the first request. */
async function ask(broker: string | undefined): Promise<string> {
  if (!broker) throw new Error('No PostgreSQL: set DATABASE_URL, or run the tests through Jest.');
  const response = await fetch(broker);
  const body = await response.text();
  if (!response.ok) throw new Error(`PostgreSQL for the tests did not start. ${body}`);
  return body;
}
