// The client with a bearer session that is bound to its key, against a server on another origin.
import type { webcrypto } from 'node:crypto';
import express from 'express';
import { requireSession } from 'svc-auth';
import { createClient, type AuthClientOptions, type Fetch, type ProofKeyPair } from 'svc-auth/client';
import { openSite, validPassword, type Site } from '../support/http-site.js';

const minute = 60_000;

let site: Site;

beforeEach(async () => {
  site = await openSite(express, undefined, {
    before: (app, { service }) =>
      void app.get('/payouts', requireSession(service, { bound: true }), (req, res) => {
        res.json({ bound: req.svcAuth?.bound });
      }),
    service: { session: { bearer: { dpop: 'required' } } },
  });
  // Proofs have the time of this device.
  site.clock.set(new Date().getTime());
});

afterEach(() => site.close());

interface Sent {
  url: string;
  headers: Record<string, string>;
  status: number;
}

function recorder(sent: Sent[]): Fetch {
  return async (url, init) => {
    const { signal: _, ...rest } = init;
    const response = await fetch(url, rest);
    sent.push({ url, headers: init.headers, status: response.status });
    return response;
  };
}

const open = (options: Partial<AuthClientOptions> = {}) =>
  createClient({ baseUrl: `${site.origin}/api/auth`, bearer: { dpop: true }, ...options });

const signUp = (client: ReturnType<typeof open>) =>
  client.password.signup({ email: site.uniqueEmail(), password: validPassword });

const keyStorage = () => ({
  pair: null as ProofKeyPair | null,
  get() {
    return this.pair;
  },
  set(pair: ProofKeyPair) {
    this.pair = pair;
  },
});

const proofOf = ({ headers }: Sent) =>
  JSON.parse(Buffer.from(headers['dpop']!.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

describe('the client with a key', () => {
  it('signs in, signs every request with another proof, and signs out', async () => {
    const sent: Sent[] = [];
    const client = open({ fetch: recorder(sent) });
    const { user } = await signUp(client);
    for (let round = 0; round < 3; round += 1) expect((await client.session()).user?.id).toBe(user?.id);
    expect(sent.map(({ url, status }) => [url.split('/').pop(), status])).toEqual([
      ['signup', 200],
      ['session', 200],
      ['session', 200],
      ['session', 200],
    ]);
    expect(new Set(sent.map((each) => proofOf(each)['jti'])).size).toBe(4);
    expect(proofOf(sent[1]!)).toMatchObject({ htm: 'GET', htu: `${site.origin}/api/auth/session` });
    expect(sent[1]!.headers['authorization']).toMatch(/^DPoP /);
    await client.logout();
    expect((await client.session()).user).toBeNull();
  });

  it('continues its session with proofs of the same key', async () => {
    const sent: Sent[] = [];
    const client = open({ fetch: recorder(sent) });
    const { user } = await signUp(client);
    site.clock.advance(16 * minute);
    expect((await client.session()).user?.id).toBe(user?.id);
    expect(sent.filter(({ url }) => url.endsWith('/session/refresh')).map(({ status }) => status)).toContain(
      200,
    );
  });

  it('makes a key that cannot be exported, and keeps it in the storage of the application', async () => {
    const keys = keyStorage();
    let stored: string | null = null;
    const storage = { get: () => stored, set: (value: string | null) => void (stored = value) };
    const { user } = await signUp(open({ bearer: { storage, dpop: { keys } } }));
    const privateKey = keys.pair!.privateKey as webcrypto.CryptoKey;
    expect(privateKey.extractable).toBe(false);
    await expect(crypto.subtle.exportKey('jwk', privateKey)).rejects.toThrow();
    const reloaded = open({ bearer: { storage, dpop: { keys } } });
    expect((await reloaded.session()).user?.id).toBe(user?.id);
    // The tokens were copied, and the key was not.
    const copied = open({ bearer: { storage: { get: () => stored, set: () => {} }, dpop: true } });
    expect((await copied.session()).user).toBeNull();
  });

  it.each([-3600, 3600])('repeats a request once if its clock is %d seconds off', async (seconds) => {
    site.clock.advance(seconds * 1000);
    const sent: Sent[] = [];
    const client = open({ fetch: recorder(sent) });
    await signUp(client);
    expect(sent.map(({ status }) => status)).toEqual([401, 200]);
    expect((await client.session()).user).not.toBeNull();
    expect(sent).toHaveLength(3);
  });

  it('returns the headers of a request that the application sends itself', async () => {
    const client = open();
    await signUp(client);
    const url = `${site.origin}/payouts?month=5`;
    const headers = await client.requestHeaders('get', url);
    expect(await (await fetch(url, { headers })).json()).toEqual({ bound: true });
    expect((await fetch(url, { headers })).status).toBe(401);
    const without = createClient({ baseUrl: `${site.origin}/api/auth` });
    expect(await without.requestHeaders('GET', url)).toEqual({});
  });

  it('refuses an unknown option', () => {
    expect(() => open({ bearer: { dpop: { key: 1 } as never } })).toThrow(
      'createClient(…).bearer.dpop.key is not an option; the options are keys',
    );
  });
});
