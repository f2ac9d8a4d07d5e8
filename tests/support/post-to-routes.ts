/** One POST to the routes of a service, which listen for as long as it takes: for what only the routes count. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, createProRouter, type Service } from 'svc-auth';
import { httpClient } from './http-client.js';
import { lookAtAnswer } from './leak-hooks.js';
import { LeakScan } from './leak-scan.js';

export interface RoutePost {
  route: string;
  /** The token of a session. */
  session: string;
  body: object;
}

const leaks = new LeakScan();

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
    const answer = await client.send({
      method: 'POST',
      path: `/api/auth${route}`,
      headers,
      body,
    });
    lookAtAnswer(leaks, 'POST', route, answer);
    const { status, json } = answer;
    return [status, json?.error].filter((each) => each !== undefined).join(' ');
  } finally {
    client.close();
    await new Promise((resolve) => server.close(resolve));
  }
}
