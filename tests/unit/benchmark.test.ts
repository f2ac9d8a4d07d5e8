// The parts of `npm run bench` that decide whether its figures are true: the loads, the rounds and the tables.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { login, read } from '../../bench/loads.js';
import { toMarkdown, writeTables } from '../../bench/report.js';
import { measureInRounds, ratioOf } from '../../bench/rounds.js';
import { post, type Site } from '../../bench/site.js';

const amount = { connections: 1, seconds: 0.1 };

async function withServer<T>(listener: RequestListener, use: (origin: string) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const session = { path: '/session', expected: 'ada' };

describe('The loads of the benchmark', () => {
  it('return a rate if every response contains the user', async () => {
    const rate = await withServer(
      (_req, res) => res.end('{"user":"ada"}'),
      (origin) => read(origin, session, amount),
    );
    expect(rate).toBeGreaterThan(0);
  });

  it('ends after a number of operations', async () => {
    let requests = 0;
    const count: RequestListener = (_req, res) => {
      requests += 1;
      res.setHeader('set-cookie', 'session=1').end('{"user":"ada"}');
    };
    const site: Site = { cookie: 'session', login: post('/login', { email: '{email}' }) };
    await withServer(count, async (origin) => {
      await read(origin, session, { connections: 2, operations: 20 });
      expect(requests).toBe(20);
      await login(
        { origin, site, database: '', nextCode: async () => '' },
        { connections: 2, operations: 5 },
      );
      expect(requests).toBe(25);
    });
  });

  it.each([
    ['a session check answers 200 without the user', 200, 'null'],
    ['a session check answers 401', 401, '{"user":"ada"}'],
  ])('end the run if %s', async (_name, status, body) => {
    const run = withServer(
      (_req, res) => res.writeHead(status).end(body),
      (origin) => read(origin, session, amount),
    );
    await expect(run).rejects.toThrow('/session');
  });

  it.each([
    ['sets no cookie', 200, {}],
    ['sets another cookie', 302, { 'set-cookie': 'other=1' }],
    ['answers an error', 429, { 'set-cookie': 'session=1' }],
  ])('end the run if a login %s', async (_name, status, headers) => {
    const site: Site = { cookie: 'session', login: post('/login', { email: '{email}' }) };
    const run = withServer(
      (_req, res) => res.writeHead(status, headers).end(),
      (origin) => login({ origin, site, database: '', nextCode: async () => '' }, amount),
    );
    await expect(run).rejects.toThrow(`/login: ${status}`);
  });
});

describe('The rounds of the benchmark', () => {
  const order: string[] = [];
  const target = (name: string, rates: number[]) => ({
    name,
    measure: async () => {
      order.push(name);
      return rates.shift() ?? 0;
    },
  });

  beforeEach(() => void order.splice(0));

  it('alternate between the targets and do not count the measurement that warms up', async () => {
    const targets = [target('ours', [1, 20, 30, 90]), target('bare', [500, 10, 10, 90])];
    const samples = await measureInRounds(targets, 3);
    expect(order.join()).toBe('ours,bare,ours,bare,bare,ours,ours,bare');
    expect(ratioOf(samples, 'ours', 'bare')).toEqual({ median: 2, low: 1, high: 3, rate: 30 });
  });

  it('begin after the warm-up of each target', async () => {
    const warm = (name: string) => ({ warmUp: async () => void order.push(`${name} warms up`) });
    const targets = [
      { ...target('ours', [20]), ...warm('ours') },
      { ...target('bare', [10]), ...warm('bare') },
    ];
    const samples = await measureInRounds(targets, 1);
    expect(order.join()).toBe('ours warms up,bare warms up,ours,bare');
    expect(ratioOf(samples, 'ours', 'bare').median).toBe(2);
  });
});

describe('The tables of the benchmark', () => {
  it('replace what stands between their markers and leave the rest of the page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-auth-report-'));
    try {
      const page = join(folder, 'page.md');
      await writeFile(page, 'Before\n<!-- bench:a -->\nold\n<!-- /bench:a -->\nAfter\n');
      const table = { id: 'a', caption: '1 round', head: ['Measured'], rows: [['1.00']] };
      await writeTables(pathToFileURL(page), [table, { ...table, id: 'elsewhere' }]);
      expect(await readFile(page, 'utf8')).toBe(
        `Before\n<!-- bench:a -->\n${toMarkdown(table)}\n<!-- /bench:a -->\nAfter\n`,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
