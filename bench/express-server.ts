/**
 * `npm run bench -- server` compares `expressServer()` with `app.listen()`: the same Express application in two processes, measured
 * alternately. Besides the throughput it compares the CPU time per request, which depends less on what else the machine does.
 * `BENCH_EXPRESS=express4` measures Express 4; `npx -p node@22 npm run bench -- server` measures another version of Node.
 */
import autocannon from 'autocannon';
import cookieParser from 'cookie-parser';
import type express5 from 'express';
import jwt from 'jsonwebtoken';
import { fork, type ChildProcess } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { consoleSender, createService, memoryAdapter, requireSession } from 'svc-auth';
import { expressServer } from 'svc-auth/server';
import { median } from './rounds.js';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 2);
const express = process.env['BENCH_EXPRESS'] ?? 'express';
const connections = 16;
const routes = ['/bare', '/bare-jwt', '/guarded', '/stateless'];
const kinds = ['app.listen()', 'expressServer()'] as const;
type Kind = (typeof kinds)[number];

interface Ready {
  port: number;
  token: string;
}

interface Sample {
  perSecond: number;
  cpuMicroseconds: number;
}

if (process.send) await serve(process.argv[2] as Kind);
else await compare();

async function serve(kind: Kind): Promise<void> {
  const secret = 'a benchmark secret, thirty-two bytes or more';
  const service = createService({
    adapter: memoryAdapter(),
    session: { secret },
    providers: { emailPassword: { sender: consoleSender(() => undefined) } },
  });
  await service.init();
  const account = { email: 'ada@example.com', password: 'correct horse battery staple' };
  const { session } = await service.emailPassword.signup(account, { startSession: true });
  if (!session) throw new Error('The signup started no session.');

  const { default: makeApp } = (await import(express)) as { default: typeof express5 };
  const app = makeApp();
  app.get('/bare', (_req, res) => void res.json({ ok: true }));
  const key = createSecretKey(Buffer.from(secret));
  app.get('/bare-jwt', cookieParser(), (req, res) => {
    const { svc_session: cookie = '' } = req.cookies as Record<string, string>;
    const claims = jwt.verify(cookie, key, { algorithms: ['HS256'] }) as jwt.JwtPayload;
    res.json({ sub: claims.sub });
  });
  app.get('/guarded', requireSession(service), (req, res) => void res.json({ id: req.user?.id }));
  app.get('/stateless', requireSession(service, { stateless: true }), (req, res) => {
    res.json({ sub: req.svcAuth?.claims.sub });
  });
  const server =
    kind === 'expressServer()' ? expressServer(app).listen(0, '127.0.0.1') : app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ port: (server.address() as AddressInfo).port, token: session.token } satisfies Ready);
}

async function compare(): Promise<void> {
  const children = kinds.map((kind) =>
    fork(fileURLToPath(import.meta.url), [kind], {
      env: { ...process.env, NODE_ENV: 'production' },
      execArgv: ['--import', 'tsx'],
    }),
  );
  for (const child of children) {
    child.once('exit', (code) => {
      if (code !== null) throw new Error('The server under load ended.');
    });
  }
  try {
    const ready = await Promise.all(children.map((child) => message<Ready>(child)));
    console.log(
      `${express}, Node ${process.version}, ${connections} connections, median of ${rounds} rounds of ${seconds} s`,
    );
    for (const route of routes) {
      const samples: Sample[][] = kinds.map(() => []);
      // The first round only warms up.
      for (let round = 0; round <= rounds; round += 1) {
        for (const [i, child] of children.entries()) {
          const sample = await measure(child, ready[i]!, route);
          if (round > 0) samples[i]!.push(sample);
        }
      }
      print(route, samples);
    }
  } finally {
    for (const child of children) child.kill();
  }
}

async function measure(child: ChildProcess, { port, token }: Ready, route: string): Promise<Sample> {
  const before = await cpuTime(child);
  const result = await autocannon({
    url: `http://127.0.0.1:${port}${route}`,
    connections,
    duration: seconds,
    headers: { cookie: `svc_session=${token}` },
  });
  const refused = result.non2xx + result.errors;
  if (refused > 0) throw new Error(`${route}: ${refused} requests failed`);
  return {
    perSecond: result['2xx'] / result.duration,
    cpuMicroseconds: ((await cpuTime(child)) - before) / result['2xx'],
  };
}

async function cpuTime(child: ChildProcess): Promise<number> {
  child.send('cpu');
  return message<number>(child);
}

async function message<T>(child: ChildProcess): Promise<T> {
  const [received] = (await once(child, 'message')) as [T];
  return received;
}

function print(route: string, samples: Sample[][]): void {
  const of = (field: keyof Sample) => samples.map((each) => median(each.map((sample) => sample[field])));
  const [listen = 0, server = 0] = of('perSecond');
  const [listenCpu = 0, serverCpu = 0] = of('cpuMicroseconds');
  const throughput = `${listen.toFixed(0)} -> ${server.toFixed(0)}/s (${(server / listen).toFixed(2)})`;
  const cpu = `${listenCpu.toFixed(0)} -> ${serverCpu.toFixed(0)} µs CPU (${(listenCpu / serverCpu).toFixed(2)})`;
  console.log(`${route.padEnd(11)} ${throughput.padEnd(28)} ${cpu}`);
}
