/**
 * Runs once before all test files and offers them a PostgreSQL server: DATABASE_URL if it is set, otherwise one that
 * starts when the first test file requests it (tests/support/postgres.ts), so that unit tests do not wait for it.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PostgresServer, startPostgres } from './postgres-server.js';

declare global {
  var svcAuthStopPostgres: (() => Promise<void>) | undefined;
}

export default async function globalSetup(): Promise<void> {
  if (process.env.DATABASE_URL) return;
  let starting: Promise<PostgresServer> | undefined;
  // The path is a secret: it gives access to the password of a superuser.
  const path = `/${randomUUID()}`;
  const broker = createServer((request, response) => {
    // Each test file sends one request, seconds apart: a keep-alive connection could be closed just as it is reused.
    response.shouldKeepAlive = false;
    if (request.url !== path) return void response.writeHead(404).end();
    starting ??= startPostgres();
    starting.then(
      ({ url }) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  process.env.SVC_AUTH_TEST_POSTGRES = `http://127.0.0.1:${(broker.address() as AddressInfo).port}${path}`;
  globalThis.svcAuthStopPostgres = async () => {
    broker.closeAllConnections();
    broker.close();
    await (await starting?.catch(() => undefined))?.stop();
  };
}
