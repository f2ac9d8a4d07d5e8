/**
 * Counts the functions of `src` that one warm request runs, and their calls, with the precise coverage of V8:
 * `npx tsx bench/calls.ts [text]`, which lists the functions of the routes whose name contains the text. An async function that continues
 * counts again. The adapter is not counted. The figures do not depend on the machine.
 */
import { Session, type Profiler } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createAuthRouter, createService, memoryAdapter } from '../src/index.js';
import { outbox } from '../testing/outbox.js';

const source = new URL('../src/', import.meta.url).href;
const email = 'ada@example.com';
const passwordEmail = 'grace@example.com';
const password = 'correct horse battery staple';

const mail = outbox();
const silent = () => undefined;
const service = createService({
  adapter: memoryAdapter(),
  appName: 'Acme',
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  providers: { emailCode: { sender: mail }, emailPassword: { sender: mail } },
  rateLimit: { maxPerWindow: 1_000 },
  session: { secret: 'a secret of the benchmarks, 32 bytes or more' },
});
await service.init();
const server = express().use('/api/auth', createAuthRouter(service)).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/auth`;

interface Answer {
  status: number;
  cookie: string;
}

async function send(path: string, body?: object, cookie = ''): Promise<Answer> {
  const response = await fetch(base + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', cookie },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  const [cookies = ''] = response.headers.getSetCookie();
  return { status: response.status, cookie: cookies.split(';')[0] ?? '' };
}

async function codeBody() {
  await send('/email-code/send', { email });
  return { email, code: mail.lastCode(email) };
}

/** Each returns the request to be counted. */
const cases: Record<string, () => Promise<() => Promise<Answer>>> = {
  'POST /email-code/verify': async () => {
    const body = await codeBody();
    return () => send('/email-code/verify', body);
  },
  'POST /password/login': async () => () => send('/password/login', { email: passwordEmail, password }),
  'GET /session': async () => {
    const { cookie } = await send('/password/login', { email: passwordEmail, password });
    return () => send('/session', undefined, cookie);
  },
};

const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');

/** Returns the functions of `src` that ran, most called first. */
async function functionsOf(request: () => Promise<Answer>): Promise<{ name: string; count: number }[]> {
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const { status } = await request();
  // What follows the response belongs to the request.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  await inspector.post('Profiler.stopPreciseCoverage');
  if (status !== 200) throw new Error(`The request failed with ${status}.`);
  return result
    .filter(({ url }) => url.startsWith(source) && !url.startsWith(`${source}adapters/`))
    .flatMap(({ url, functions }) => functions.map((each) => named(url, each)))
    .filter(({ count, name }) => count > 0 && !name.endsWith(':__name'))
    .sort((a, b) => b.count - a.count);
}

function named(url: string, { functionName, ranges }: Profiler.FunctionCoverage) {
  const [range] = ranges;
  const name = functionName || `at ${range?.startOffset}`;
  return {
    name: `${fileURLToPath(url).slice(fileURLToPath(source).length)}:${name}`,
    count: range?.count ?? 0,
  };
}

await send('/password/signup', { email: passwordEmail, password });
const shown = process.argv[2];
for (const [title, prepare] of Object.entries(cases)) {
  for (let round = 0; round < 5; round += 1) await (await prepare())();
  const functions = await functionsOf(await prepare());
  const calls = functions.reduce((sum, { count }) => sum + count, 0);
  const files = new Set(functions.map(({ name }) => name.split(':')[0])).size;
  console.log(`${title}: ${files} files, ${functions.length} functions, ${calls} calls`);
  if (shown !== undefined && title.includes(shown))
    for (const { name, count } of functions) console.log(`  ${String(count).padStart(4)} ${name}`);
}
inspector.disconnect();
server.close();
server.closeAllConnections();
await service.close();
