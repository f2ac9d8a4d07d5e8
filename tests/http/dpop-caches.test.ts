/** `session.bearer` with DPoP, together with `session.cache` and `expressServer`. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter } from 'svc-auth';
import { expressServer } from 'svc-auth/server';
import { newKey, proofsOf } from '../oauth-server/proofs.js';
import { openSite, validPassword, type Site, type SiteOptions } from '../support/http-site.js';

const asking = { 'svc-session': 'bearer' };
const key = newKey();
let site: Site;
const proofFor = proofsOf(() => ({ test: site }));
afterEach(() => site.close());

const open = async (session: NonNullable<SiteOptions['service']>['session']) => {
  site = await openSite(express, undefined, { service: { session: { bearer: true, ...session } } });
};

/** Requests a route with a proof. */
async function send(
  origin: string,
  method: string,
  route: string,
  { token, body, proof }: { token?: string; body?: object; proof?: string } = {},
) {
  const url = `${origin}/api/auth${route}`;
  const response = await fetch(url, {
    method,
    headers: {
      ...asking,
      dpop: proof ?? proofFor(key, method, url, token),
      ...(token !== undefined && { authorization: `DPoP ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, json, challenge: response.headers.get('www-authenticate') };
}

async function signUp(origin = site.origin) {
  const body = { email: site.uniqueEmail(), password: validPassword };
  const { json } = await send(origin, 'POST', '/password/signup', { body });
  return json['bearer'] as { accessToken: string; refreshToken: string; tokenType: string };
}

describe('a bearer session with DPoP and `session.cache`', () => {
  it('needs a new proof of its key for each request, also if the session is cached', async () => {
    await open({ cache: {} });
    const { accessToken: token } = await signUp();
    const proof = proofFor(key, 'GET', `${site.origin}/api/auth/session`, token);
    expect((await send(site.origin, 'GET', '/session', { token, proof })).status).toBe(200);
    const other = proofFor(newKey(), 'GET', `${site.origin}/api/auth/session`, token);
    for (const refused of [proof, other])
      expect((await send(site.origin, 'GET', '/session', { token, proof: refused })).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await site.get('/session', { headers })).status).toBe(401);
    expect((await send(site.origin, 'GET', '/session', { token })).status).toBe(200);
  });

  it('ends with a sign-out, and a proof does not continue it', async () => {
    await open({ cache: {} });
    const { accessToken: token, refreshToken } = await signUp();
    expect((await send(site.origin, 'GET', '/session', { token })).status).toBe(200);
    expect((await send(site.origin, 'POST', '/logout', { token, body: {} })).status).toBe(200);
    expect((await send(site.origin, 'GET', '/session', { token })).status).toBe(401);
    const body = { refreshToken };
    expect((await send(site.origin, 'POST', '/session/refresh', { body })).status).toBe(401);
  });
});

describe('a bearer session with DPoP and `expressServer`', () => {
  it('signs up, is checked, refreshed and refused as with `app.listen()`', async () => {
    await open({});
    const app = express();
    app.use('/api/auth', createAuthRouter(site.service));
    const server = expressServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { accessToken: token, refreshToken, tokenType } = await signUp(origin);
      expect(tokenType).toBe('DPoP');
      const proof = proofFor(key, 'GET', `${origin}/api/auth/session`, token);
      expect((await send(origin, 'GET', '/session', { token, proof })).status).toBe(200);
      const replayed = await send(origin, 'GET', '/session', { token, proof });
      expect(replayed.status).toBe(401);
      expect(replayed.challenge).toMatch(/^DPoP error="invalid_dpop_proof"/);
      const refreshed = await send(origin, 'POST', '/session/refresh', { body: { refreshToken } });
      expect(refreshed.json).toMatchObject({ tokenType: 'DPoP' });
      const next = String(refreshed.json['accessToken']);
      // The same session and the same proofs at the other server, whose address the proof names.
      expect((await send(site.origin, 'GET', '/session', { token: next })).status).toBe(200);
    } finally {
      server.close();
    }
  });
});
