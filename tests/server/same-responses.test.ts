/** Every response of `expressServer()` is the one of `app.listen()`, on Express 4 and 5. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import express5 from 'express';
import express4 from 'express4';
import { expressServer } from 'svc-auth/server';
import { httpClient, type HttpClient, type HttpRequest } from '../support/http-client.js';
import { featureApplication, requests } from './application.js';

describe.each([
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
])('expressServer with $version', ({ makeApp }) => {
  const clients: HttpClient[] = [];
  const servers: Server[] = [];

  beforeAll(async () => {
    const app = featureApplication(makeApp);
    servers.push(app.listen(0, '127.0.0.1'), expressServer(app).listen(0, '127.0.0.1'));
    for (const server of servers) {
      if (!server.listening) await once(server, 'listening');
      clients.push(httpClient((server.address() as AddressInfo).port));
    }
  });
  afterAll(() => {
    for (const client of clients) client.close();
    for (const server of servers) server.close();
  });

  const titled = requests.map((request) => [describeRequest(request), request] as const);

  it.each(titled)('responds like app.listen() to %s', async (_title, request) => {
    const [expected, actual] = await Promise.all(clients.map((client) => client.send(request)));
    expect(comparable(actual!)).toEqual(comparable(expected!));
  });

  it('responds like app.listen() with 304 to a conditional request', async () => {
    for (const client of clients) {
      const { headers } = await client.send({ method: 'GET', path: '/stream' });
      expect(headers.etag).toBeUndefined();
      const first = await client.send({ method: 'GET', path: '/request/7' });
      const conditional = { 'If-None-Match': String(first.headers.etag) };
      const second = await client.send({ method: 'GET', path: '/request/7', headers: conditional });
      expect([first.status, second.status, second.text]).toEqual([200, 304, '']);
    }
  });
});

/** Without what differs between two requests and two ports: the date, and the host of Express 5's redirects. */
function comparable({
  status,
  headers: { date, ...headers },
  text,
}: Awaited<ReturnType<HttpClient['send']>>) {
  expect(date).toBeDefined();
  return { status, headers, text };
}

function describeRequest({ method, path, headers = {}, body }: HttpRequest): string {
  const sent = [JSON.stringify(headers), body === undefined ? '' : JSON.stringify(body).slice(0, 40)];
  return `${method} ${path} ${sent.join(' ')}`.trim();
}
