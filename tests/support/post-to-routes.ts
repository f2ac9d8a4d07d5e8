/** One POST to the routes of a service, which listen for as long as it takes: for what only the routes count. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, createProRouter, type Service } from 'svc-auth';
import { httpClient } from './http-client.js';

export interface RoutePost {
  route: string;
  /** The token of a session. */
  session: string;
  body: object;
}

/** `200`, or a status and its code. */
export async function postToRoutes(service: Service, { route, session, body }: RoutePost): Promise<string> {
  const app = express();
  app.use('/api/auth', createAuthRouter(service), createProRouter(service));
  const server = await new Promise<Server>((resolve) => {
    const opened = app.listen(0, '127.0.0.1', () => resolve(opened));
  });
  const client = httpClient((server.address() as AddressInfo).port);
  try {
    const headers = { Cookie: `svc_session=${session}` };
    const { status, json } = await client.send({
      method: 'POST',
      path: `/api/auth${route}`,
      headers,
      body,
    });
    return [status, json?.error].filter((each) => each !== undefined).join(' ');
  } finally {
    client.close();
    await new Promise((resolve) => server.close(resolve));
  }
}
