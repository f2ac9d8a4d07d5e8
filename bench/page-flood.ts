/**
 * `npm run bench -- flood` measures what a view of the sign-in page costs, in processor time of the server and as a ratio to a bare route of
 * Express that sends as many bytes; and how long session checks take while 64 connections flood the page. `FLOOD_SECONDS` (default 6) is
 * the length of each load.
 */
import autocannon from 'autocannon';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../tests/support/postgres-server.js';

const seconds = Number(process.env['FLOOD_SECONDS'] ?? 6);
const floodConnections = 64;
const sessionConnections = 4;
const script = fileURLToPath(import.meta.url);

interface Ready {
  port: number;
  cookie: string;
}

if (process.send) await serve();
else await measure();

async function serve(): Promise<void> {
  const { default: express } = await import('express');
  const { createAuthRouter, createService, knexAdapter } = await import('svc-auth');
  const { createPages } = await import('svc-auth/pages');
  const sender = { send: async () => undefined };
  const service = createService({
    adapter: knexAdapter({ client: 'pg', connection: process.env['FLOOD_DATABASE_URL'] }),
    session: { secret: 'a benchmark secret, thirty-two bytes or more' },
    providers: { emailCode: { sender }, emailPassword: { sender } },
  });
  await service.init();
  const account = { email: 'owner@example.com', password: 'correct horse battery' };
  const { session } = await service.emailPassword.signup(account, { startSession: true });
  const app = express();
  app.use('/api/auth', createAuthRouter(service));
  let bare = '';
  app.get('/bare', (_req, res) => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(bare);
  });
  app.use(createPages(service, { name: 'Acme' }));
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.once('disconnect', () => process.exit());
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  bare = await (await fetch(`http://127.0.0.1:${port}/sign-in`)).text();
  process.send?.({ port, cookie: `svc_session=${session?.token}` } satisfies Ready);
}

async function measure(): Promise<void> {
  const postgres = await startPostgres();
  const server = fork(script, {
    env: { ...process.env, FLOOD_DATABASE_URL: postgres.url, NODE_ENV: 'production' },
    execArgv: ['--import', 'tsx'],
  });
  try {
    const [{ port, cookie }] = (await once(server, 'message')) as [Ready];
    const load = (path: string, connections: number, duration: number, headers = {}) =>
      autocannon({ url: `http://127.0.0.1:${port}${path}`, connections, duration, headers });
    const sessions = () => load('/api/auth/session', sessionConnections, seconds, { cookie });
    const processorMs = async () => {
      server.send('usage');
      const [{ user, system }] = (await once(server, 'message')) as [NodeJS.CpuUsage];
      return (user + system) / 1_000;
    };
    /** Processor time of one response. */
    const costOf = async (path: string) => {
      const before = await processorMs();
      const { requests } = await load(path, 16, seconds / 2);
      return ((await processorMs()) - before) / requests.total;
    };
    await load('/sign-in', 16, 2);
    await load('/bare', 16, 1);
    // In turn, so that both meet the same machine.
    const rounds = [];
    for (let round = 0; round < 3; round += 1)
      rounds.push({ bare: await costOf('/bare'), page: await costOf('/sign-in') });
    const median = (values: number[]) => values.sort((a, b) => a - b)[1] ?? NaN;
    const [bare, page] = [median(rounds.map((each) => each.bare)), median(rounds.map((each) => each.page))];
    console.log(
      `GET /sign-in: ${page.toFixed(3)} ms of processor time, ${(page / bare).toFixed(2)} of a bare route`,
    );
    const alone = await sessions();
    const [flooded, flood] = await Promise.all([sessions(), load('/sign-in', floodConnections, seconds)]);
    const times = ({ latency }: autocannon.Result) => `median ${latency.p50} ms, p99 ${latency.p99} ms`;
    console.log(`GET /session alone: ${times(alone)}`);
    console.log(
      `GET /session during a flood of ${floodConnections} connections on GET /sign-in (${Math.round(flood.requests.average)} per second): ${times(flooded)}`,
    );
  } finally {
    server.kill();
    await postgres.stop();
  }
}
