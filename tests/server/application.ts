/** An application that uses what Express adds to requests and responses, and requests that reach all of it. */
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import cookieParser from 'cookie-parser';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import type express5 from 'express';
import type { HttpRequest } from '../support/http-client.js';

/** Replaces methods of the response, as compression does. */
const compress: RequestHandler = (_req, res, next) => {
  const gzip = createGzip();
  const [write, end] = [res.write.bind(res), res.end.bind(res)];
  res.write = ((chunk: Buffer) => gzip.write(chunk)) as Response['write'];
  res.end = ((chunk?: Buffer) => {
    res.removeHeader('Content-Length');
    res.setHeader('Content-Encoding', 'gzip');
    gzip.on('data', write);
    gzip.on('end', () => end());
    gzip.end(chunk);
    return res;
  }) as Response['end'];
  next();
};

/** Everything that Express derives from a request. */
const describeRequest = (req: Request) => ({
  address: [req.protocol, req.secure, req.hostname, req.ip, req.ips, req.subdomains],
  path: [req.originalUrl, req.baseUrl, req.path, req.query, req.params],
  negotiation: [req.accepts('html', 'json'), req.acceptsLanguages('de', 'en'), req.is('json'), req.xhr],
  header: [req.get('X-Tag'), req.header('host') !== undefined],
  body: req.body as unknown,
  cookies: req.cookies as unknown,
  links: [req.res?.req === req, req.app === req.res?.app, req.app.get('name')],
  extensions: [(req as never)['tag'], (req.res as never)['tag']],
});

function named(app: Express, name: string): Express {
  app.set('name', name);
  return app;
}

/** Adds a property to the requests and a method to the responses of an application, as plugins do. */
export function extend(app: Express, tag: string): void {
  Object.defineProperty(app.request, 'tag', { configurable: true, get: () => `request of ${tag}` });
  Object.defineProperty(app.response, 'tag', { configurable: true, get: () => `response of ${tag}` });
}

export function featureApplication(express: typeof express5): Express {
  const app = named(express(), 'main');
  app.set('trust proxy', true);
  extend(app, 'main');
  app.use(cookieParser('secret'));
  app.use('/static', express.static(fileURLToPath(new URL('.', import.meta.url)), { maxAge: 1000 }));
  app.use(express.json(), express.urlencoded({ extended: true }), express.raw(), express.text());
  app.all('/request/:id', (req, res) => void res.json(describeRequest(req)));
  app.get('/compressed', compress, (_req, res) => void res.json({ long: 'x'.repeat(10_000) }));
  app.get('/stream', (_req, res) => void Readable.from(['a', 'b', 'c']).pipe(res.type('text')));
  app.get('/redirect', (_req, res) => res.redirect(303, '/request/1'));
  app.get('/cookies', (_req, res) => {
    res.cookie('plain', 'a b').cookie('signed', 'c', { signed: true, httpOnly: true });
    res.clearCookie('old').append('X-Many', ['1', '2']).vary('Origin').location('/x').links({ next: '/2' });
    res.status(201).send(Buffer.from('bytes'));
  });
  app.get('/formats', (_req, res) => {
    res.format({ html: () => res.send('<p>hi</p>'), json: () => res.json('hi') });
  });
  app.get('/jsonp', (_req, res) => void res.jsonp({ a: '\u2028' }));
  app.get('/file', (_req, res) => res.download(fileURLToPath(import.meta.url), 'source.ts'));
  app.get('/status', (_req, res) => void res.sendStatus(418));
  app.get('/raw', (req, res) => {
    res.writeHead(200, { 'X-Fresh': String(req.fresh), 'Transfer-Encoding': 'chunked', Trailer: 'X-Sum' });
    res.write('raw');
    res.addTrailers({ 'X-Sum': '1' });
    res.end();
  });
  app.get('/throws', () => {
    throw Object.assign(new Error('refused'), { status: 422 });
  });
  app.get('/rejects', (_req, _res, next) => void Promise.reject(new Error('late')).catch(next));

  const nested = named(express(), 'nested');
  nested.all('/request', (req, res) => void res.json(describeRequest(req)));
  const mounted = named(express(), 'mounted');
  extend(mounted, 'mounted');
  mounted.use('/nested', nested);
  mounted.all('/request', (req, res) => void res.json(describeRequest(req)));
  mounted.get('/throws', () => {
    throw new Error('of the mounted application');
  });
  app.use('/mounted', mounted);
  // Reached through the mounted application, which has no route for it.
  app.get('/mounted/elsewhere', (req, res) => void res.json(describeRequest(req)));

  app.use((error: Error & { status?: number }, req: Request, res: Response, next: NextFunction) => {
    if (error.status === undefined) next(error);
    else res.status(error.status).json({ error: error.message, app: req.app.get('name') as string });
  });
  return app;
}

const json = { 'Content-Type': 'application/json' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const proxied = { 'X-Forwarded-For': '203.0.113.7, 10.0.0.1', 'X-Forwarded-Proto': 'https' };

const get = (path: string, headers = {}): HttpRequest => ({ method: 'GET', path, headers });

export const requests: HttpRequest[] = [
  get('/request/7?a=1&b[c]=2', { 'X-Tag': 'x', Cookie: 'a=1; b=j%3A%7B%22c%22%3A2%7D' }),
  get('/request/7', { ...proxied, Host: 'a.b.example.com', 'X-Requested-With': 'XMLHttpRequest' }),
  get('/request/7', { Accept: 'application/json', 'Accept-Language': 'en' }),
  { method: 'HEAD', path: '/request/7' },
  { method: 'OPTIONS', path: '/cookies' },
  { method: 'POST', path: '/request/7', body: { a: [1] } },
  { method: 'POST', path: '/request/7', body: { a: 'chunked' }, chunked: true },
  { method: 'POST', path: '/request/7', headers: form, body: 'a=1&b[c]=2' },
  { method: 'POST', path: '/request/7', headers: { 'Content-Type': 'text/plain' }, body: 'text' },
  { method: 'POST', path: '/request/7', headers: json, body: '{' },
  { method: 'POST', path: '/request/7', headers: json, body: `"${'x'.repeat(200_000)}"` },
  { method: 'POST', path: '/request/7', headers: { ...json, Expect: '100-continue' }, body: '{"a":1}' },
  get('/static/application.ts', { Range: 'bytes=0-9' }),
  get('/static/application.ts', { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }),
  get('/static/missing.ts'),
  ...['/compressed', '/stream', '/redirect', '/cookies', '/formats', '/jsonp?callback=f', '/file'].map(
    (path) => get(path),
  ),
  get('/formats', { Accept: 'application/json' }),
  get('/raw', { 'If-None-Match': '*' }),
  ...['/status', '/throws', '/rejects', '/missing', '/%zz', '/mounted/throws'].map((path) => get(path)),
  ...['/mounted/request', '/mounted/nested/request', '/mounted/elsewhere'].map((path) => get(path)),
  get('/mounted/request', { ...proxied, Connection: 'close' }),
];
