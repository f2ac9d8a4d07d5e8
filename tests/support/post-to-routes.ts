/** Sends one POST to the routes of a service, which listen only for that request: for limits that only the routes apply. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, createProRouter, type Service } from 'svc-auth';
import { httpClient } from './http-client.js';
import { scanResponse } from './leak-hooks.js';
import { LeakScan } from './leak-scan.js';

export interface RoutePost {
  route: string;
  /** The token of a session. */
  session: string;
  body: object;
}

const leaks = new LeakScan();

/** Returns the status, followed by the error code if there is one. */
export async function postToRoutes(service: Service, { route, session, body }: RoutePost): Promise<string> {
  const app = express();
  app.use('/api/auth', createAuthRouter(service), createProRouter(service));
  const server = await new Promise<Server>((resolve) => {
    const opened = app.listen(0, '127.0.0.1', () => resolve(opened));
  });
  const client = httpClient((server.address() as AddressInfo).port);
  try {
    const headers = { Cookie: `svc_session=${session}` };
    const response = await client.send({
      method: 'POST',
      path: `/api/auth${route}`,
      headers,
      body,
    });
    scanResponse(leaks, 'POST', route, response);
    const { status, json } = response;
    return [status, json?.error].filter((each) => each !== undefined).join(' ');
  } finally {
    client.close();
    await new Promise((resolve) => server.close(resolve));
  }
}
