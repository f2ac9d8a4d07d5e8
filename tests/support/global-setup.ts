/**
 * Runs once before all test files and offers them a PostgreSQL server, DATABASE_URL if it is set, a migrated database on it, and a
 * MariaDB server, MYSQL_URL if it is set. Each starts when the first test file requests it (postgres.ts, mariadb.ts), so that unit
 * tests do not wait for it.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startLoad } from './load.js';
import { startMariaDb } from './mariadb-server.js';
import { openStorage } from './open-storage.js';
import { copyDatabase } from './postgres.js';
import { startPostgres } from './postgres-server.js';

declare global {
  var svcAuthStopServers: (() => Promise<void>) | undefined;
}

interface Offer {
  /** What a test file receives: the URL of a server, or the name of a database. */
  text: string;
  stop: () => Promise<void>;
}

type Start = () => Promise<Offer>;

const fromServer = ({ url, stop }: { url: string; stop: () => Promise<void> }): Offer => ({
  text: url,
  stop,
});

/** Creates a database and migrates it, for test files to copy. */
async function migrateTemplate(admin: string): Promise<Offer> {
  const { url, drop } = await copyDatabase(admin, 'template0');
  const storage = openStorage(url, 1);
  await storage.init();
  // A connection would prevent copies.
  await storage.close();
  return { text: new URL(url).pathname.slice(1), stop: drop };
}

export default async function globalSetup(): Promise<void> {
  const stopLoad = process.env['STRESS'] === '1' ? startLoad() : undefined;
  const starting = new Map<Start, Promise<Offer>>();
  const offer = (start: Start): Promise<Offer> => {
    const offered = starting.get(start) ?? start();
    starting.set(start, offered);
    return offered;
  };
  const postgres: Start = async () => fromServer(await startPostgres());
  const servers: Readonly<Record<string, Start>> = {
    SVC_AUTH_TEST_POSTGRES: postgres,
    SVC_AUTH_TEST_TEMPLATE: async () =>
      migrateTemplate(process.env.DATABASE_URL || (await offer(postgres)).text),
    SVC_AUTH_TEST_MARIADB: async () => fromServer(await startMariaDb()),
  };
  // The paths are secrets: they give access to the password of a superuser.
  const paths = new Map(Object.values(servers).map((start) => [`/${randomUUID()}`, start]));
  const broker = createServer((request, response) => {
    // Each test file sends one request, seconds apart: a keep-alive connection could be closed just as it is reused.
    response.shouldKeepAlive = false;
    const start = paths.get(request.url ?? '');
    if (!start) return void response.writeHead(404).end();
    offer(start).then(
      ({ text }) => response.end(text),
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
    await stopLoad?.();
    broker.closeAllConnections();
    broker.close();
    // In reverse, because the template is dropped before its server stops.
    for (const offered of [...starting.values()].reverse())
      await (await offered.catch(() => undefined))?.stop();
  };
}
