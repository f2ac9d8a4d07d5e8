/**
 * Runs once before all test files. Offers them a PostgreSQL: DATABASE_URL where it is set, else one that starts
 * when the first test file asks (tests/support/postgres.ts), so that unit tests do not wait for it.
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
  // The path is a secret: whoever knows it gets the password of a superuser.
  const path = `/${randomUUID()}`;
  const broker = createServer((request, response) => {
    // Test files ask once each, some seconds apart: a kept connection would be closed here just when one of them reuses it.
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
