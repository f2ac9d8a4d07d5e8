/**
 * `tsx bench/refused-flood.ts` measures the throughput of session checks while one client floods four processes on one PostgreSQL
 * with requests that a rate limit refuses. `FLOOD_SECONDS` (default 4) is the length of each round.
 */
import autocannon from 'autocannon';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres } from '../tests/support/postgres-server.js';

const processes = 4;
const floodConnections = 128;
const sessionConnections = 16;
const seconds = Number(process.env['FLOOD_SECONDS'] ?? 4);
const script = fileURLToPath(import.meta.url);

interface Ready {
  port: number;
  cookie: string;
}

interface Flood {
  name: string;
  path: string;
  body: (email: string) => object;
}

const floods: readonly Flood[] = [
  { name: 'sends', path: '/api/auth/email-code/send', body: (email) => ({ email }) },
  {
    name: 'verifications without a code',
    path: '/api/auth/email-code/verify',
    body: (email) => ({ email, code: '000000' }),
  },
  {
    name: 'logins',
    path: '/api/auth/password/login',
    body: (email) => ({ email, password: 'a wrong password' }),
  },
];

if (process.send) await serve();
else await measure();

async function serve(): Promise<void> {
  const { default: express } = await import('express');
  const { createAuthRouter, createService, knexAdapter } = await import('svc-auth');
  const sender = { send: async () => undefined };
  const service = createService({
    adapter: knexAdapter({ client: 'pg', connection: process.env['FLOOD_DATABASE_URL'] }),
    session: { secret: 'a benchmark secret, thirty-two bytes or more' },
    // A hasher without cost, because the limiter is measured.
    providers: {
      emailCode: { sender },
      emailPassword: { sender, hasher: { hash: async (plain) => plain, verify: async (a, b) => a === b } },
    },
  });
  await service.init();
  const email = `owner-${process.pid}@example.com`;
  const { session } = await service.emailPassword.signup(
    { email, password: 'correct horse battery' },
    { startSession: true },
  );
  const app = express();
  app.use('/api/auth', createAuthRouter(service));
  const server = app.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.send?.({ port, cookie: `svc_session=${session?.token}` } satisfies Ready);
  });
  process.once('disconnect', () => process.exit());
}

async function measure(): Promise<void> {
  const postgres = await startPostgres();
  const servers: ChildProcess[] = [];
  const database = new pg.Client({ connectionString: postgres.url });
  try {
    await database.connect();
    const ready: Ready[] = [];
    for (let i = 0; i < processes; i += 1) {
      const child = fork(script, {
        env: { ...process.env, FLOOD_DATABASE_URL: postgres.url, NODE_ENV: 'production' },
        execArgv: ['--import', 'tsx'],
      });
      servers.push(child);
      ready.push(((await once(child, 'message')) as [Ready])[0]);
    }
    await Promise.all(ready.map((each) => sessions(each, 1)));
    console.log(`GET /session without a flood: ${await sessionRate(ready)} per second`);
    for (const flood of floods) {
      // Uses up the client's limits.
      await Promise.all(ready.map((each) => refused(each, flood, 1)));
      const before = await rowsWritten(database);
      const [rate, counts] = await Promise.all([
        sessionRate(ready),
        Promise.all(ready.map((each) => refused(each, flood, seconds))),
      ]);
      const requests = counts.reduce((sum, count) => sum + count, 0);
      const written = (await rowsWritten(database)) - before;
      console.log(
        `GET /session under a flood of ${flood.name}: ${rate} per second; ` +
          `flood: ${Math.round(requests / seconds)} requests per second, ${written} counter rows written`,
      );
    }
  } finally {
    for (const child of servers) child.kill();
    await database.end();
    await postgres.stop();
  }
}

async function sessionRate(ready: readonly Ready[]): Promise<number> {
  const counts = await Promise.all(ready.map((each) => sessions(each, seconds)));
  return Math.round(counts.reduce((sum, count) => sum + count, 0) / seconds);
}

async function sessions({ port, cookie }: Ready, duration: number): Promise<number> {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/api/auth/session`,
    headers: { cookie },
    connections: sessionConnections / processes,
    duration,
  });
  return result['2xx'];
}

async function refused({ port }: Ready, { path, body }: Flood, duration: number): Promise<number> {
  let next = 0;
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: floodConnections / processes,
    duration,
    requests: [
      {
        method: 'POST',
        path,
        setupRequest: (request) => ({
          ...request,
          headers: { ...request.headers, 'content-type': 'application/json' },
          body: JSON.stringify(body(`user-${(next += 1)}-${port}@example.com`)),
        }),
      },
    ],
  });
  return result.requests.total;
}

/** Returns how many counter rows have been inserted or updated so far. */
async function rowsWritten(database: pg.Client): Promise<number> {
  await database.query('select pg_stat_clear_snapshot()');
  const { rows } = await database.query<{ written: string }>(
    `select coalesce(sum(n_tup_ins + n_tup_upd), 0) as written from pg_stat_user_tables where relname = 'svc_rate_limits'`,
  );
  return Number(rows[0]?.written);
}
