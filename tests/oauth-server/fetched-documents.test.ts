// What the service fetches in the name of a stranger, and from where.
import { createSocket, type Socket } from 'node:dgram';
import { getServers, setServers } from 'node:dns';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { FetchError, fetchJson } from '../../src/oauth-server/metadata-documents/fetch-json.js';
import { freshnessOf } from '../../src/oauth-server/metadata-documents/freshness.js';
import { openDocumentSite, type DocumentSite } from '../support/document-site.js';

const json = { 'content-type': 'application/json' };

describe('A fetched document', () => {
  let site: DocumentSite;
  beforeEach(async () => {
    site = await openDocumentSite();
  });
  afterEach(() => site.close());

  const load = (network: Parameters<typeof fetchJson>[1] = site.network, path = '/client.json') =>
    fetchJson(new URL(site.origin + path), network);

  it('arrives with its headers', async () => {
    site.publish({ client_name: 'Notes' }, { 'cache-control': 'max-age=60' });
    const { body, headers } = await load();
    expect(JSON.parse(body.toString())).toEqual({ client_name: 'Notes' });
    expect(headers['cache-control']).toBe('max-age=60');
    expect(site.requests).toEqual(['/client.json']);
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00:ec2::254'])(
    'is not asked of %s, not even with a connection',
    async (address) => {
      site.publish({});
      const family = address.includes(':') ? 6 : 4;
      const resolve = () => Promise.resolve([{ address, family }]);
      const { ca } = site.network;
      await expect(load({ resolve, ca: ca! })).rejects.toThrow(FetchError);
      // One special address among public ones is enough.
      const mixed = () =>
        Promise.resolve([
          { address: '8.8.8.8', family: 4 },
          { address, family },
        ]);
      await expect(load({ resolve: mixed, ca: ca! })).rejects.toThrow('the host has the address');
      expect(site.requests).toEqual([]);
    },
  );

  it('comes from the address that was checked, although the name leads elsewhere a moment later', async () => {
    // 127.0.0.2 plays the public address, and 127.0.0.1 the one that must not be reached.
    const outside = await openDocumentSite('127.0.0.2');
    outside.publish({ from: 'outside' });
    site.publish({ from: 'inside' });
    const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.1'];
    let lookups = 0;
    const resolve = () => Promise.resolve([{ address: answers[lookups++]!, family: 4 }]);
    const { body } = await fetchJson(new URL(`https://client.test:${outside.port}/c`), {
      ...outside.network,
      resolve,
    });
    expect([body.toString(), lookups]).toEqual(['{"from":"outside"}', 1]);
    const again = fetchJson(new URL(`${site.origin}/c`), { ...outside.network, resolve });
    await expect(again).rejects.toThrow('the host has the address 127.0.0.1');
    expect(site.requests).toEqual([]);
    await outside.close();
  });

  it('needs a certificate of its name, whatever the environment allows', async () => {
    site.publish({});
    const { isAllowed, resolve } = site.network;
    await expect(load({ isAllowed, resolve })).rejects.toThrow(/self.signed/);
    const other = fetchJson(new URL(`https://other.test:${site.port}/c`), site.network);
    await expect(other).rejects.toThrow(/altnames|does not match/i);
    const former = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    await expect(load({ isAllowed, resolve }))
      .rejects.toThrow(/self.signed/)
      .finally(() => {
        if (former === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
        else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = former;
      });
    expect(site.requests).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %d', async (status) => {
    site.answer((_req, res) =>
      res.writeHead(status, { ...json, location: `${site.origin}/other` }).end('{}'),
    );
    await expect(load()).rejects.toThrow(`the status is ${status}`);
    expect(site.requests).toEqual(['/client.json']);
  });

  it.each([
    ['another status', 201, json, '{}', 'the status is 201'],
    ['an error', 500, json, '{}', 'the status is 500'],
    ['another type', 200, { 'content-type': 'text/html' }, '{}', 'the type is not JSON'],
    ['no type', 200, {}, '{}', 'the type is not JSON'],
    ['a stated size that is too large', 200, { ...json, 'content-length': '10241' }, 'x', 'too large'],
    ['a size that is too large', 200, json, 'x'.repeat(10_241), 'too large'],
    ['a gzip bomb', 200, { ...json, 'content-encoding': 'gzip' }, gzipSync('x'.repeat(1e6)), 'compressed'],
  ] as const)('is refused with %s', async (_name, status, headers, body, reason) => {
    site.answer((_req, res) => res.writeHead(status, headers).end(body));
    await expect(load()).rejects.toThrow(reason);
  });

  it('is refused if it has no end', async () => {
    let sent = 0;
    let isClosed = false;
    site.answer((_req, res) => {
      res.writeHead(200, json);
      const send = () => {
        if (isClosed) return;
        res.write('x'.repeat(1_000));
        sent++;
        setImmediate(send);
      };
      res.on('close', () => (isClosed = true));
      send();
    });
    await expect(load()).rejects.toThrow('too large');
    for (let wait = 0; !isClosed && wait < 100; wait++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isClosed).toBe(true);
    expect(sent).toBeGreaterThan(10);
  });

  it('is given up after five seconds, although a byte comes now and then', async () => {
    site.answer((_req, res) => {
      res.writeHead(200, json);
      const drip = setInterval(() => res.write(' '), 100);
      res.on('close', () => clearInterval(drip));
    });
    const slow = load();
    const stuck = load({ ...site.network, resolve: () => new Promise(() => undefined) });
    await expect(slow).rejects.toThrow(FetchError);
    await expect(stuck).rejects.toThrow('the time is over');
  });

  it('has the types of JSON, and may have ten kilobytes', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/cimd+json', 'APPLICATION/JSON']) {
      site.answer((_req, res) => res.writeHead(200, { 'content-type': type }).end('x'.repeat(10_240)));
      expect((await load()).body.length).toBe(10_240);
    }
  });
});

describe('freshnessOf()', () => {
  const minute = 60_000;
  it.each([
    [{}, 10 * minute],
    [{ 'cache-control': 'max-age=3600' }, 60 * minute],
    [{ 'cache-control': 'public, MAX-AGE="3600"' }, 60 * minute],
    [{ 'cache-control': 'max-age=60, s-maxage=7200' }, 120 * minute],
    [{ 'cache-control': 'max-age=3600', age: '1800' }, 30 * minute],
    [{ 'cache-control': 'max-age=1' }, minute],
    [{ 'cache-control': 'no-store' }, minute],
    [{ 'cache-control': 'no-cache, max-age=3600' }, minute],
    [{ 'cache-control': 'max-age=31536000, immutable' }, 24 * 60 * minute],
    [{ 'cache-control': 'max-age=99999999999999' }, 10 * minute],
    [{ expires: 'Thu, 01 Jan 2026 01:00:00 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, 60 * minute],
    [{ expires: '0' }, minute],
  ])('of %j is %d milliseconds', (headers, expected) => {
    expect(freshnessOf(headers)).toBe(expected);
  });
});

describe('The name of a host', () => {
  const systemServers = getServers();
  let server: Socket;
  let asked: number;
  /** @param answer null for a server that does not answer. */
  async function openNameServer(answer: ((query: Buffer) => Buffer) | null) {
    asked = 0;
    server = createSocket('udp4');
    server.on('message', (query, { port }) => {
      asked++;
      if (answer) server.send(answer(query), port, '127.0.0.1');
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    setServers([`127.0.0.1:${server.address().port}`]);
  }
  afterEach(() => {
    setServers(systemServers);
    server.close();
  });

  it('is asked of the name servers, and its address is checked', async () => {
    // RFC 1035, 4: one A record for 127.0.0.1, and no record of another type.
    await openNameServer((query) => {
      const isV4 = query.readUInt16BE(query.indexOf(0, 12) + 1) === 1;
      const end = query.indexOf(0, 12) + 5;
      const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0]);
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
      return Buffer.concat([header, query.subarray(12, end), ...(isV4 ? [record] : [])]);
    });
    const load = fetchJson(new URL('https://inside.test/client.json'));
    await expect(load).rejects.toThrow('the host has the address 127.0.0.1');
  });

  it('keeps no thread of the process while its servers do not answer', async () => {
    await openNameServer(null);
    const started = Date.now();
    const loads = Array.from({ length: 8 }, (_, at) =>
      fetchJson(new URL(`https://silent-${at}.test/client.json`)),
    );
    const ends = await Promise.allSettled(loads);
    expect(ends.map(({ status }) => status)).toEqual(Array(8).fill('rejected'));
    // Each name is asked for at once, although none is answered: nothing waits in line.
    expect(asked).toBeGreaterThanOrEqual(16);
    expect(Date.now() - started).toBeLessThan(5_000);
  });
});
