/**
 * `npm run bench`: how much of the speed of bare Express is left. Each figure is a ratio between two things measured in
 * turns within this run, because machines are noisy and absolute figures travel badly. Needs nothing but Node.
 */
import autocannon from 'autocannon';
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startPostgres } from '../tests/support/postgres-server.js';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 3);
const connections = 16;

interface Ready {
  port: number;
  password: string;
  users: { email: string; token: string; userId: string }[];
}

interface Load {
  path: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

const postgres = await startPostgres();
const server = fork(new URL('./server.ts', import.meta.url), {
  env: { ...process.env, BENCH_DATABASE_URL: postgres.url, NODE_ENV: 'production' },
  execArgv: ['--import', 'tsx'],
});
try {
  const ready = await message<Ready>(server);
  await measureHttp(ready);
  measureImport();
} finally {
  server.kill();
  await postgres.stop();
}

async function measureHttp({ port, users, password }: Ready): Promise<void> {
  const [user] = users;
  if (!user) throw new Error('The server made no user.');
  const cookie = { cookie: `svc_session=${user.token}` };
  const url = `http://127.0.0.1:${port}`;
  const one = (load: Load) => () => requestsPerSecond(url, [load]);
  const logins = users.map(({ email }) => ({
    path: '/api/auth/password/login',
    method: 'POST' as const,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  }));
  const targets: Record<string, () => Promise<number>> = {
    bareSelect: one({ path: `/bare-select/${user.userId}`, headers: cookie }),
    session: one({ path: '/api/auth/session', headers: cookie }),
    guarded: one({ path: '/guarded', headers: cookie }),
    bareJwt: one({ path: '/bare-jwt', headers: cookie }),
    stateless: one({ path: '/stateless', headers: cookie }),
    rawBcrypt: async () => {
      server.send(seconds * 1000);
      return (await message<{ perSecond: number }>(server)).perSecond;
    },
    login: () => loginsPerSecond(url, logins),
  };
  const samples: Record<string, number[]> = {};
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(targets)) {
      const perSecond = await measure();
      if (round > 0) (samples[name] ??= []).push(perSecond);
    }
  }
  const rate = (name: string) => median(samples[name] ?? []);
  const row = (label: string, name: string, base: string, target: string) =>
    console.log(
      `${label.padEnd(44)} ${rate(name).toFixed(0).padStart(7)}/s  ${(rate(name) / rate(base)).toFixed(2)} of ${rate(base).toFixed(0)}/s  (expected ${target})`,
    );
  console.log(
    `\n${connections} connections, median of ${rounds} rounds of ${seconds} s, Node ${process.version}`,
  );
  row('GET /session : one prepared SELECT', 'session', 'bareSelect', '1.10');
  row('requireSession : one prepared SELECT', 'guarded', 'bareSelect', '1.10');
  row('requireSession stateless : cookie + jwt', 'stateless', 'bareJwt', '0.95');
  row('POST /password/login : bcrypt.compare', 'login', 'rawBcrypt', '0.95');
}

async function requestsPerSecond(url: string, loads: readonly Load[]): Promise<number> {
  let next = 0;
  const [first] = loads;
  const result = await autocannon({
    url: `${url}${first?.path}`,
    connections,
    duration: seconds,
    method: first?.method ?? 'GET',
    headers: first?.headers,
    // A body per connection, so that logins are those of different users.
    setupClient: (client) => {
      const { body } = loads[next++ % loads.length] ?? {};
      if (body !== undefined) client.setBody(body);
    },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${loads[0]?.path}: ${result.non2xx} refused, ${result.errors} failed`);
  }
  return result['2xx'] / result.duration;
}

/**
 * In the manner of the raw side: as many loops as connections, whose last logins are waited for. Of so few and slow requests
 * a load generator that stops at a time would leave too many uncounted.
 */
async function loginsPerSecond(url: string, loads: readonly Load[]): Promise<number> {
  const start = performance.now();
  let done = 0;
  const loop = async ({ path, method, headers, body }: Load) => {
    while (performance.now() - start < seconds * 1000) {
      const answer = await fetch(`${url}${path}`, { method, headers, body });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      done += 1;
    }
  };
  await Promise.all(loads.map(loop));
  return done / ((performance.now() - start) / 1000);
}

/** `import 'svc-auth'` of the built package, in fresh processes, against an empty one. */
function measureImport(): void {
  const measure = (code: string) =>
    Array.from({ length: 9 }, () => {
      const script = `const t = performance.now(); ${code}; console.log(JSON.stringify([performance.now() - t, process.memoryUsage().rss]))`;
      const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
      });
      return JSON.parse(output) as [number, number];
    });
  const empty = measure('await import("node:crypto")');
  const loaded = measure('await import("./dist/index.js")');
  const express = measure('await import("express")');
  const ms = (samples: [number, number][]) => median(samples.map(([time]) => time));
  const mb = (samples: [number, number][]) => median(samples.map(([, rss]) => rss)) / 2 ** 20;
  console.log(
    `import 'svc-auth'                            ${ms(loaded).toFixed(0)} ms, ${(mb(loaded) - mb(empty)).toFixed(1)} MB ` +
      `(expected < 120 ms; express: ${ms(express).toFixed(0)} ms, ${(mb(express) - mb(empty)).toFixed(1)} MB)`,
  );
}

async function message<T>(child: ChildProcess): Promise<T> {
  const [received] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('The server under load ended.');
    }),
  ])) as [T];
  return received;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
