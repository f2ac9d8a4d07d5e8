/**
 * Creates an empty database for each test file on MariaDB or MySQL: on the server of MYSQL_URL, or on a MariaDB that
 * global-setup.ts starts if it is installed. CI_REQUIRES_MARIADB=1 makes its absence an error.
 */
import { randomBytes } from 'node:crypto';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { isMariaDbInstalled } from './mariadb-server.js';
import type { TestDatabase } from './postgres.js';

/** Whether the tests can run on MariaDB or MySQL. */
export const hasMariaDb = Boolean(process.env['MYSQL_URL']) || isMariaDbInstalled;

if (!hasMariaDb && process.env['CI_REQUIRES_MARIADB'] === '1')
  throw new Error('CI_REQUIRES_MARIADB is set, but there is no MYSQL_URL, and MariaDB is not installed.');

/** `describe` if the tests can run on MariaDB or MySQL. */
export const describeWithMariaDb = hasMariaDb ? describe : describe.skip;

export async function createMariaDatabase(): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `svc_auth_test_${randomBytes(8).toString('hex')}`;
  await runMariaSql(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => void (await runMariaSql(server, `drop database if exists ${name}`)),
  };
}

/** Runs one statement on a separate connection and returns its rows. */
export async function runMariaSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return Array.isArray(rows) ? rows : [];
  } finally {
    await connection.end();
  }
}

async function serverUrl(): Promise<string> {
  if (process.env['MYSQL_URL']) return process.env['MYSQL_URL'];
  const broker = process.env['SVC_AUTH_TEST_MARIADB'];
  if (!broker) throw new Error('No MariaDB: set MYSQL_URL, or run the tests through Jest.');
  const response = await fetch(broker);
  const body = await response.text();
  if (!response.ok) throw new Error(`MariaDB for the tests did not start. ${body}`);
  return body;
}
