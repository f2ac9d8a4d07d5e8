/** `session.bearer` with DPoP (RFC 9449): bearer sessions that are bound to a key of their client. */
import { once } from 'node:events';
import http from 'node:http';
import { requireSession, type ServiceConfig } from 'svc-auth';
import express from 'express';
import { newKey, proofsOf, type ClientKey, type ProofParts } from '../oauth-server/proofs.js';
import { openSite, validPassword, type Site, type SiteOptions } from '../support/http-site.js';
import { encryptionKey } from '../support/every-provider.js';
import { license } from '../support/make-pro-service.js';

const asking = { 'svc-session': 'bearer' };
const sites: Site[] = [];
const key = newKey();

let site: Site;
const proofFor = proofsOf(() => ({ test: site }));

interface Options {
  bearer?: ServiceConfig['session']['bearer'];
  before?: SiteOptions['before'];
}

async function open({ bearer = true, before }: Options = {}) {
  site = await openSite(express, undefined, {
    pro: true,
    before: (app, test) => {
      app.get('/payouts', requireSession(test.service, { bound: true }), (req, res) => {
        res.json({ bound: req.svcAuth?.bound });
      });
      app.post('/api/private', requireSession(test.service), (_req, res) => void res.json({ ok: true }));
      app.get('/stateless', requireSession(test.service, { stateless: true }), (_req, res) => {
        res.json({ ok: true });
      });
      app.get(
        '/twice',
        requireSession(test.service),
        requireSession(test.service, { bound: true }),
        (_req, res) => void res.json({ ok: true }),
      );
      before?.(app, test);
    },
    service: {
      ...license,
      encryptionKey,
      session: { bearer },
      providers: { sessions: true, account: true, refresh: true },
    },
  });
  sites.push(site);
  return site;
}

afterEach(async () => {
  for (const each of sites.splice(0)) await each.close();
});

const urlOf = (path: string) => `${site.origin}${path}`;

async function signUp(with_: ClientKey = key, parts?: ProofParts) {
  const email = site.uniqueEmail();
  const dpop = proofFor(with_, 'POST', urlOf('/api/auth/password/signup'), undefined, parts);
  const headers = { ...asking, dpop };
  const response = await site.post('/password/signup', { email, password: validPassword }, { headers });
  return { email, response, ...(response.json.bearer as { accessToken: string; refreshToken: string }) };
}

interface Sent {
  path?: string;
  htu?: string;
  htm?: string;
  with?: ClientKey;
  /** The token that the proof names. */
  ath?: string;
  parts?: ProofParts;
}

const headersOf = (
  token: string,
  { path = '/api/auth/session', htu = urlOf(path), htm = 'GET', with: given = key, ath = token, parts }: Sent,
) => ({ authorization: `DPoP ${token}`, dpop: proofFor(given, htm, htu, ath, parts) });

/** Requests a route of the application, or the current session, with a proof. */
async function get(token: string, { path = '/api/auth/session', ...sent }: Sent = {}) {
  return send(path, headersOf(token, { path, ...sent }));
}

async function send(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await fetch(urlOf(path), { method, headers });
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, json, challenge: response.headers.get('www-authenticate') };
}

function refresh(refreshToken: string, dpop?: string) {
  const headers = { ...asking, ...(dpop !== undefined && { dpop }) };
  return site.post('/session/refresh', { refreshToken }, { headers });
}

const refreshProof = (given = key, parts?: ProofParts) =>
  proofFor(given, 'POST', urlOf('/api/auth/session/refresh'), undefined, parts);

const invalidProof = { status: 401, json: { error: 'token_invalid', diagnosis: 'dpop_proof_invalid' } };

describe('a bearer session that is bound to a key', () => {
  it.each(['ES256', 'EdDSA', 'RS256', 'PS256'] as const)(
    'is accepted with proofs of its %s key',
    async (alg) => {
      await open();
      const own = newKey(alg);
      const { response, accessToken, refreshToken } = await signUp(own);
      expect(response.json.bearer).toMatchObject({ tokenType: 'DPoP' });
      expect((await get(accessToken, { with: own })).status).toBe(200);
      expect((await get(accessToken, { with: own, path: '/payouts' })).json).toEqual({ bound: true });
      const next = await refresh(refreshToken, refreshProof(own));
      expect(next.json).toMatchObject({ tokenType: 'DPoP' });
      expect((await get(next.json.accessToken as string, { with: own })).status).toBe(200);
    },
  );

  it('is listed as bound to its device', async () => {
    await open();
    const { accessToken } = await signUp();
    const { json } = await get(accessToken, { path: '/api/auth/devices/all' });
    expect(json['devices']).toMatchObject([{ kind: 'app', bound: true, current: true }]);
  });

  it('has one statement more than an unbound one, which stores the proof', async () => {
    await open();
    const { accessToken } = await signUp();
    const claims = jest.spyOn(site.adapter.singleUseTokens, 'claim');
    await get(accessToken);
    expect(claims).toHaveBeenCalledTimes(1);
    claims.mockClear();
    const plain = await site.post(
      '/password/signup',
      { email: site.uniqueEmail(), password: validPassword },
      { headers: asking },
    );
    const { accessToken: unbound } = plain.json.bearer as { accessToken: string };
    const { status } = await send('/api/auth/session', { authorization: `Bearer ${unbound}` });
    expect(status).toBe(200);
    expect(claims).not.toHaveBeenCalled();
  });

  it('needs one proof for a request that several guards check', async () => {
    await open();
    const { accessToken } = await signUp();
    expect((await get(accessToken, { path: '/twice' })).status).toBe(200);
  });

  it('ignores the query of the address', async () => {
    await open();
    const { accessToken } = await signUp();
    const { status } = await get(accessToken, { path: '/payouts?month=5', htu: urlOf('/payouts') });
    expect(status).toBe(200);
  });

  it('remains bound to its key when a new password replaces it', async () => {
    await open();
    const { accessToken } = await signUp();
    const body = { currentPassword: validPassword, newPassword: 'another long passphrase 77' };
    const headers = headersOf(accessToken, { path: '/api/auth/account/password', htm: 'POST' });
    const changed = await site.post('/account/password', body, { headers: { ...asking, ...headers } });
    expect(changed.json.bearer).toMatchObject({ tokenType: 'DPoP' });
    const { accessToken: next } = changed.json.bearer as { accessToken: string };
    expect((await get(next)).status).toBe(200);
    expect((await send('/api/auth/session', { authorization: `Bearer ${next}` })).status).toBe(401);
  });

  it('is accepted behind a proxy that ends TLS and that the application does not know', async () => {
    await open();
    const { accessToken } = await signUp();
    const htu = urlOf('/payouts').replace('http:', 'https:');
    expect((await get(accessToken, { path: '/payouts', htu })).status).toBe(200);
  });

  it('names the configured origin in its proofs, and not the host of the request', async () => {
    await open({ bearer: { origin: 'https://api.example' } });
    const headers = { ...asking, dpop: proofFor(key, 'POST', 'https://api.example/api/auth/guest') };
    expect((await send('/api/auth/session', { ...headers })).status).toBe(401);
    const dpop = proofFor(key, 'POST', 'https://api.example/api/auth/password/signup');
    const body = { email: site.uniqueEmail(), password: validPassword };
    const response = await site.post('/password/signup', body, { headers: { ...asking, dpop } });
    expect(response.json.bearer).toMatchObject({ tokenType: 'DPoP' });
    const { accessToken } = response.json.bearer as { accessToken: string };
    expect((await get(accessToken, { path: '/payouts' })).status).toBe(401);
    expect((await get(accessToken, { path: '/payouts', htu: 'https://api.example/payouts' })).status).toBe(
      200,
    );
  });
});

describe('a token that was stolen without its key', () => {
  it.each([
    ['as a plain bearer token', (token: string) => ({ authorization: `Bearer ${token}` })],
    [
      'as a bearer token with the proof',
      (token: string) => ({ ...headersOf(token, {}), authorization: `Bearer ${token}` }),
    ],
    ['as a cookie', (token: string) => ({ cookie: `svc_session=${token}` })],
    ['without a proof', (token: string) => ({ authorization: `DPoP ${token}` })],
  ])('is refused %s', async (_, headers) => {
    await open();
    const { accessToken } = await signUp();
    for (const path of ['/api/auth/session', '/payouts', '/stateless']) {
      const refused = await send(path, headers(accessToken));
      expect([refused.status, refused.json['error']]).toEqual([401, 'token_invalid']);
    }
    expect((await send('/payouts', headers(accessToken))).challenge).toMatch(
      /^DPoP error="invalid_token", algs="ES256 /,
    );
  });

  it('is refused with a proof of another key', async () => {
    await open();
    const { accessToken } = await signUp();
    const refused = await get(accessToken, { with: newKey(), path: '/payouts' });
    expect(refused).toMatchObject({ status: 401, json: { diagnosis: 'dpop_key_other' } });
    expect(refused.challenge).toMatch(/^DPoP error="invalid_token"/);
  });

  it('is refused by functions that see no request', async () => {
    await open();
    const { accessToken } = await signUp();
    expect(() => site.service.verifyToken(accessToken)).toThrow(
      expect.objectContaining({ code: 'token_invalid' }),
    );
    await expect(site.service.getSessionUser(accessToken)).rejects.toMatchObject({ code: 'token_invalid' });
    const watched = site.service.watch(accessToken, () => undefined);
    await expect(watched).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('cannot be used by a sign-in of the thief to act for its user', async () => {
    await open();
    const { accessToken } = await signUp();
    const headers = { ...asking, authorization: `Bearer ${accessToken}` };
    const body = { email: site.uniqueEmail(), password: validPassword };
    const response = await site.post('/password/signup', body, { headers });
    expect(response.json.bearer).not.toHaveProperty('tokenType');
    // The session of the owner was not replaced.
    expect((await get(accessToken)).status).toBe(200);
  });
});

describe('a proof', () => {
  it('is accepted once', async () => {
    await open();
    const { accessToken } = await signUp();
    const headers = headersOf(accessToken, { path: '/payouts' });
    expect((await send('/payouts', headers)).status).toBe(200);
    const replayed = await send('/payouts', headers);
    expect(replayed).toMatchObject(invalidProof);
    expect(replayed.challenge).toMatch(/^DPoP error="invalid_dpop_proof"/);
  });

  it('is accepted by one of several requests at the same time', async () => {
    await open();
    const { accessToken } = await signUp();
    const headers = headersOf(accessToken, { path: '/payouts' });
    const responses = await Promise.all(Array.from({ length: 6 }, () => send('/payouts', headers)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is not used up by a request that is refused for its token', async () => {
    await open();
    const [first, second] = [await signUp(), await signUp()];
    const headers = headersOf(first.accessToken, { path: '/payouts' });
    const other = { ...headers, authorization: `DPoP ${second.accessToken}` };
    expect(await send('/payouts', other)).toMatchObject(invalidProof);
    expect((await send('/payouts', headers)).status).toBe(200);
  });

  const other = newKey();
  const refused: readonly (readonly [string, Sent])[] = [
    ['for another path', { htu: 'http://127.0.0.1/api/auth/session' }],
    ['for another host', { htu: 'https://other.example/payouts' }],
    ['for another method', { htm: 'POST' }],
    ['without the digest of the token', { parts: { payload: { ath: undefined } } }],
    ['with the digest of another token', { ath: 'another' }],
    ['from the past', { parts: { payload: { iat: 1 } } }],
    ['without a time', { parts: { payload: { iat: undefined } } }],
    ['without an id', { parts: { payload: { jti: undefined } } }],
    ['with an id that is too long', { parts: { payload: { jti: 'a'.repeat(256) } } }],
    ['with the algorithm none', { parts: { header: { alg: 'none' } } }],
    ['with a shared secret', { parts: { header: { alg: 'HS256' } } }],
    ['with another type', { parts: { header: { typ: 'JWT' } } }],
    ['with an extension that must be understood', { parts: { header: { crit: ['exp'] } } }],
    ['whose key did not sign it', { parts: { header: { jwk: other.jwk } } }],
    ['with a private key', { parts: { header: { jwk: other.privateKey.export({ format: 'jwk' }) } } }],
    ['without a key', { parts: { header: { jwk: undefined } } }],
  ];

  it.each(refused)('is refused %s', async (_, sent) => {
    await open();
    const { accessToken } = await signUp();
    const response = await get(accessToken, { path: '/payouts', ...sent });
    expect(response).toMatchObject(invalidProof);
    expect(response.challenge).toMatch(/^DPoP error="invalid_dpop_proof"/);
  });

  it.each([
    ['that is malformed', 'a.b'],
    ['that is huge', `a.${'b'.repeat(12_000)}.c`],
    ['that is empty', ''],
  ])('is refused %s, also at a sign-in', async (_, dpop) => {
    await open();
    const { accessToken } = await signUp();
    expect(await send('/payouts', { authorization: `DPoP ${accessToken}`, dpop })).toMatchObject(
      invalidProof,
    );
    const body = { email: site.uniqueEmail(), password: validPassword };
    const response = await site.post('/password/signup', body, { headers: { ...asking, dpop } });
    expect(response).toMatchObject(invalidProof);
  });

  it('is refused twice in one request', async () => {
    await open();
    const { accessToken } = await signUp();
    const { dpop, authorization } = headersOf(accessToken, { path: '/api/auth/session' });
    const headers = { authorization, dpop: [dpop, dpop] };
    expect((await site.get('/session', { headers })).status).toBe(401);
  });

  it('of another time is refused with the time of the server, for clients whose clock is wrong', async () => {
    await open();
    const { accessToken } = await signUp();
    const now = Math.floor(site.clock.now() / 1000);
    const late = await get(accessToken, { parts: { payload: { iat: now + 3600 } } });
    expect(late.json).toMatchObject({ error: 'token_invalid', serverTime: now });
    expect((await get(accessToken, { parts: { payload: { iat: now - 50 } } })).status).toBe(200);
    expect((await get(accessToken, { htm: 'POST' })).json).not.toHaveProperty('serverTime');
  });

  it('with a token that is not bound is refused', async () => {
    await open();
    const body = { email: site.uniqueEmail(), password: validPassword };
    const { json } = await site.post('/password/signup', body, { headers: asking });
    const { accessToken } = json.bearer as { accessToken: string };
    expect((await get(accessToken)).json).toMatchObject({ diagnosis: 'dpop_token_unbound' });
    const authorization = `Bearer ${accessToken}`;
    const required = await send('/payouts', { authorization });
    expect(required.json).toMatchObject({ error: 'bound_session_required' });
  });

  it('for one path opens no other, whatever the header Host is', async () => {
    await open();
    const { accessToken } = await signUp();
    const htu = urlOf('/other');
    const { host } = new URL(htu);
    const statusFor = async (given: string) => {
      const headers = { ...headersOf(accessToken, { htu }), host: given };
      const request = http.get(urlOf('/payouts'), { headers });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    for (const given of [`${host}/other?`, `${host}/other#`, `${host}/other\\?`, `a@${host}/other?`])
      expect([given, await statusFor(given)]).toEqual([given, 401]);
  });

  it('is checked by stateless guards, which store nothing', async () => {
    await open();
    const { accessToken } = await signUp();
    const headers = headersOf(accessToken, { path: '/stateless' });
    expect((await send('/stateless', headers)).status).toBe(200);
    expect((await send('/stateless', { ...headers, dpop: refreshProof() })).status).toBe(401);
  });
});

describe('the refresh token of a bound session', () => {
  it('needs a proof of the same key, and a stranger cannot end the session with it', async () => {
    await open();
    const { refreshToken } = await signUp();
    for (const [proof, reason] of [
      [undefined, 'dpop_proof_missing'],
      [refreshProof(newKey()), 'dpop_key_other'],
    ] as const) {
      const refused = await refresh(refreshToken, proof);
      expect(refused).toMatchObject({
        status: 401,
        json: { error: 'refresh_token_invalid', diagnosis: reason },
      });
    }
    const stripped = refreshToken.split('.').slice(0, 3).join('.');
    expect((await refresh(stripped)).json).toMatchObject({ diagnosis: 'refresh_token_malformed' });
    expect((await refresh(refreshToken, refreshProof())).status).toBe(200);
    // Replaced long ago, and still no reuse that a stranger could report.
    site.clock.advance(60_000);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect((await refresh(refreshToken, refreshProof(newKey()))).status).toBe(401);
    const { json } = await refresh(refreshToken, refreshProof());
    expect(json).toMatchObject({ diagnosis: 'refresh_token_reused' });
  });

  it('cannot be refreshed by a request that was recorded', async () => {
    await open();
    const { refreshToken } = await signUp();
    const proof = refreshProof();
    expect((await refresh(refreshToken, proof)).status).toBe(200);
    expect((await refresh(refreshToken, proof)).json).toMatchObject({ diagnosis: 'dpop_proof_invalid' });
  });

  it('is refused by the route of refresh tokens of apps', async () => {
    await open();
    const { refreshToken } = await signUp();
    const { json } = await site.post('/token/refresh', { refreshToken });
    expect(json).toMatchObject({ error: 'refresh_token_invalid' });
    expect((await refresh(refreshToken, refreshProof())).status).toBe(200);
  });
});

describe('`session.bearer.dpop: required`', () => {
  it('refuses a sign-in without a proof before it uses the code up', async () => {
    await open({ bearer: { dpop: 'required' } });
    const email = site.uniqueEmail();
    await site.post('/email-code/send', { email }, { headers: asking });
    const body = { email, code: site.mail.lastCode(email) };
    const refused = await site.post('/email-code/verify', body, { headers: asking });
    expect(refused).toMatchObject({ status: 401, json: { diagnosis: 'dpop_proof_missing' } });
    const dpop = proofFor(key, 'POST', urlOf('/api/auth/email-code/verify'));
    const accepted = await site.post('/email-code/verify', body, { headers: { ...asking, dpop } });
    expect(accepted.json.bearer).toMatchObject({ tokenType: 'DPoP' });
  });

  it('leaves sign-ins with a cookie as they are', async () => {
    await open({ bearer: { dpop: 'required' } });
    const { status } = await site.post('/password/signup', {
      email: site.uniqueEmail(),
      password: validPassword,
    });
    expect(status).toBe(200);
  });

  it('refuses to continue sessions that are not bound', async () => {
    await open();
    const body = { email: site.uniqueEmail(), password: validPassword };
    const { json } = await site.post('/password/signup', body, { headers: asking });
    const { refreshToken } = json.bearer as { refreshToken: string };
    expect((await refresh(refreshToken)).status).toBe(200);
    const { adapter, clock } = site;
    site = await openSite(express, adapter, {
      service: { clock, session: { bearer: { dpop: 'required' } } },
    });
    sites.push(site);
    expect((await refresh(refreshToken)).json).toMatchObject({ error: 'refresh_token_invalid' });
  });

  it('refuses to change a password in a session that is not bound, before it is changed', async () => {
    await open();
    const account = { email: site.uniqueEmail(), password: validPassword };
    const { json } = await site.post('/password/signup', account, { headers: asking });
    const { accessToken } = json.bearer as { accessToken: string };
    const { adapter, clock } = site;
    const options = { clock, session: { bearer: { dpop: 'required' as const } } };
    site = await openSite(express, adapter, { pro: true, service: options });
    sites.push(site);
    const headers = { authorization: `Bearer ${accessToken}` };
    const change = { currentPassword: validPassword, newPassword: 'another correct horse' };
    expect((await site.post('/account/password', change, { headers })).status).toBe(401);
    expect((await site.post('/password/login', account)).status).toBe(200);
  });
});
