/** What `expressServer()` constructs, and what it leaves to Node and Express. */
import { once } from 'node:events';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ConnectionOptions } from 'node:tls';
import express5, { type Express } from 'express';
import express4 from 'express4';
import supertest from 'supertest';
import { createAuthRouter, requireSession } from 'svc-auth';
import { expressServer, type ExpressApplication } from 'svc-auth/server';
import { makeService } from '../support/make-service.js';
import { extend } from './application.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function portOf<S extends Server>(server: S): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Sends bytes over one connection and returns everything that the server sends until it closes. */
async function exchange(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  return text(socket);
}

const keepAlive = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const lastRequest = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

describe.each([
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
])('expressServer with $version', ({ makeApp }) => {
  it('constructs requests and responses with the prototypes of the application', async () => {
    const app = makeApp();
    app.get('/', (_req, res) => void res.send('ok'));
    const server = expressServer(app);
    const constructed: [object, object][] = [];
    server.prependListener('request', (req, res) => {
      constructed.push([Object.getPrototypeOf(req) as object, Object.getPrototypeOf(res) as object]);
      expect([req instanceof http.IncomingMessage, res instanceof http.ServerResponse]).toEqual([true, true]);
    });
    await supertest(server).get('/').expect(200, 'ok');
    expect(constructed).toHaveLength(1);
    expect(constructed[0]![0]).toBe(app.request);
    expect(constructed[0]![1]).toBe(app.response);
  });

  it('does not change the application, so that app.listen() still works', async () => {
    const app = makeApp();
    app.get('/', (req, res) => void res.json(req.app === app));
    const { request, response } = app;
    const properties = [request, response].map((each) => Reflect.ownKeys(each));
    expressServer(app);
    expect([app.request === request, app.response === response]).toEqual([true, true]);
    expect([request, response].map((each) => Reflect.ownKeys(each))).toEqual(properties);
    await supertest(app).get('/').expect('true');
  });

  it('gives requests what is added to app.request and app.response later, also between two requests', async () => {
    const app = makeApp();
    app.get('/', (req, res) => void res.json([(req as never)['tag'], (res as never)['tag']]));
    const server = expressServer(app);
    await supertest(server).get('/').expect([null, null]);
    extend(app, 'later');
    await supertest(server).get('/').expect(['request of later', 'response of later']);
  });

  it('leaves the prototypes to Express if app.request is replaced later', async () => {
    const app = makeApp();
    app.get('/', (req, res) => void res.json(Object.getPrototypeOf(req) === app.request && req.get('host')));
    const server = expressServer(app);
    app.request = Object.create(app.request, { own: { value: 1 } }) as Express['request'];
    await supertest(server).get('/').set('Host', 'a.test').expect('"a.test"');
  });

  it('restores the prototypes after a mounted application', async () => {
    const [app, mounted] = [makeApp(), makeApp()];
    const seen: unknown[] = [];
    const note = (req: object, res: object) => {
      seen.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res));
    };
    mounted.use((req, res, next) => {
      note(req, res);
      next();
    });
    app.use(mounted);
    app.get('/', (req, res) => {
      note(req, res);
      res.json(req.app === app && res.app === app);
    });
    await supertest(expressServer(app)).get('/').expect('true');
    const expected = [mounted.request, mounted.response, app.request, app.response];
    expect(seen.map((each, i) => each === expected[i])).toEqual([true, true, true, true]);
  });

  it('serves an application that is also mounted in another', async () => {
    const [outer, inner] = [makeApp(), makeApp()];
    extend(outer, 'outer');
    inner.get('/', (req, res) => void res.json([req.app === inner, (req as never)['tag']]));
    outer.use(inner);
    await supertest(expressServer(inner)).get('/').expect([true, 'request of outer']);
    await supertest(expressServer(outer)).get('/').expect([true, 'request of outer']);
  });

  it('serves several requests over one connection, also pipelined', async () => {
    const app = makeApp();
    const sockets = new Set<unknown>();
    app.get('/:n', (req, res) => {
      sockets.add(req.socket);
      res.send(`<${req.params['n']}>`);
    });
    const port = await portOf(expressServer(app));
    const received = await exchange(port, keepAlive('/1') + keepAlive('/2') + lastRequest('/3'));
    expect(received.match(/<\d>/g)).toEqual(['<1>', '<2>', '<3>']);
    expect(sockets.size).toBe(1);
  });

  it('hands upgrades to their listener', async () => {
    const server = expressServer(makeApp());
    server.on('upgrade', (req, socket) => {
      socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${req.url} ${req.headers.upgrade}`);
    });
    const port = await portOf(server);
    const upgrade = 'GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
    expect(await exchange(port, upgrade)).toMatch(/^HTTP\/1\.1 101 [^]*\/socket echo$/);
  });

  it('calls the application for an upgrade if there is no listener', async () => {
    const app = makeApp();
    app.get('/socket', (req, res) => void res.send(`no ${req.get('Upgrade')}`));
    const port = await portOf(expressServer(app));
    const upgrade = 'GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
    const received = await exchange(port, upgrade + lastRequest('/socket'));
    expect(received).toContain('no echo');
  });

  it('emits close on the request if the client disconnects', async () => {
    const app = makeApp();
    const closed = new Promise<boolean>((resolve) => {
      app.get('/', (req) => void req.once('close', () => resolve(req.destroyed)));
    });
    const port = await portOf(expressServer(app));
    const socket = connect(port, '127.0.0.1');
    socket.write(keepAlive('/'), () => socket.destroySoon());
    expect(await closed).toBe(true);
  });

  it('passes its options to http.createServer()', async () => {
    const server = expressServer(makeApp(), { keepAliveTimeout: 1234, maxHeaderSize: 1000 });
    expect(server.keepAliveTimeout).toBe(1234);
    const port = await portOf(server);
    const long = `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(2000)}\r\n\r\n`;
    expect(await exchange(port, long)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('serves HTTPS with the options of https.createServer()', async () => {
    const app = makeApp();
    app.get('/', (req, res) => void res.json([req.protocol, Object.getPrototypeOf(req) === app.request]));
    // A shared key instead of a certificate.
    const tls = { psk: Buffer.from('0123456789abcdef'), identity: 'client' };
    const server = expressServer(app, {
      keepAliveTimeout: 1234,
      https: { ciphers: 'PSK', pskCallback: () => tls.psk },
    });
    const constructed: object[] = [];
    server.prependListener('request', (req) => {
      constructed.push(Object.getPrototypeOf(req) as object);
    });
    expect([server instanceof https.Server, server.keepAliveTimeout]).toEqual([true, 1234]);
    const port = await portOf(server);
    const options: https.RequestOptions & ConnectionOptions = {
      host: '127.0.0.1',
      port,
      agent: false,
      ciphers: 'PSK',
      pskCallback: () => tls,
      checkServerIdentity: () => undefined,
    };
    const [response] = (await once(https.get(options), 'response')) as [IncomingMessage];
    expect(await text(response)).toBe('["https",true]');
    expect(constructed.map((each) => each === app.request)).toEqual([true]);
  });

  it('serves the routes and guards of svc-auth', async () => {
    const { service, mail } = await makeService();
    const app = makeApp();
    app.use('/api/auth', createAuthRouter(service));
    app.get('/me', requireSession(service), (req, res) => void res.json(req.user?.email));
    const agent = supertest.agent(expressServer(app));
    const email = 'ada@example.com';
    await agent.get('/me').expect(401);
    await agent.post('/api/auth/email-code/send').send({ email }).expect(200);
    await agent
      .post('/api/auth/email-code/verify')
      .send({ email, code: mail.lastCode(email) })
      .expect(200);
    await agent.get('/me').expect(200, JSON.stringify(email));
  });
});

describe('expressServer', () => {
  it.each<[string, unknown]>([
    ['a request listener', (_req: IncomingMessage, res: ServerResponse) => res.end()],
    ['an Express router', express5.Router()],
    ['an object that is not a prototype of requests', { request: {}, response: {} }],
    ['nothing', undefined],
  ])('throws a TypeError for %s', (_name, app) => {
    expect(() => expressServer(app as ExpressApplication)).toThrow('must be an Express application');
  });
});
