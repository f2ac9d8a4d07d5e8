/**
 * Runs once before all test files and offers them a PostgreSQL server, DATABASE_URL if it is set, and a MariaDB server, MYSQL_URL
 * if it is set. Otherwise each starts when the first test file requests it (postgres.ts, mariadb.ts), so that unit
 * tests do not wait for it.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startMariaDb } from './mariadb-server.js';
import { startPostgres } from './postgres-server.js';

declare global {
  var svcAuthStopServers: (() => Promise<void>) | undefined;
}

interface Server {
  url: string;
  stop: () => Promise<void>;
}

const servers: Readonly<Record<string, () => Promise<Server>>> = {
  SVC_AUTH_TEST_POSTGRES: () => startPostgres(),
  SVC_AUTH_TEST_MARIADB: () => startMariaDb(),
};

export default async function globalSetup(): Promise<void> {
  const starting = new Map<() => Promise<Server>, Promise<Server>>();
  // The paths are secrets: they give access to the password of a superuser.
  const paths = new Map(Object.values(servers).map((start) => [`/${randomUUID()}`, start]));
  const broker = createServer((request, response) => {
    // Each test file sends one request, seconds apart: a keep-alive connection could be closed just as it is reused.
    response.shouldKeepAlive = false;
    const start = paths.get(request.url ?? '');
    if (!start) return void response.writeHead(404).end();
    const server = starting.get(start) ?? start();
    starting.set(start, server);
    server.then(
      ({ url }) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  const { port } = broker.address() as AddressInfo;
  for (const [name, start] of Object.entries(servers)) {
    const [path = ''] = [...paths].find(([, each]) => each === start) ?? [];
    process.env[name] = `http://127.0.0.1:${port}${path}`;
  }
  globalThis.svcAuthStopServers = async () => {
    broker.closeAllConnections();
    broker.close();
    for (const server of starting.values()) await (await server.catch(() => undefined))?.stop();
  };
}
