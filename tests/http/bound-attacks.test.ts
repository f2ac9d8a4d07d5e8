/** `session.bound` under attack: what a thief has, and what it is worth. */
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { memoryAdapter, requireSession } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import {
  bind,
  challengeOf,
  deviceKey,
  offerOf,
  refresh,
  register,
  sendRefresh,
} from '../support/bound-browser.js';
import { boundSites, graceMs, sessionStatus, setsSession, signIn, ttlMs } from '../support/bound-site.js';
import { validPassword, type Site } from '../support/http-site.js';
import { openStorage } from '../support/open-storage.js';

const { newSite, closeSites } = boundSites();
afterEach(closeSites);

const day = 24 * 60 * 60_000;

async function scene(site?: Site) {
  site ??= await newSite();
  const signedIn = await signIn(site);
  return { site, ...signedIn, jar: await bind(site, signedIn.response) };
}

describe('a thief of the whole cookie jar', () => {
  it('has nothing after one lifetime, while the owner notices nothing', async () => {
    const { site, jar } = await scene();
    site.clock.advance(ttlMs);
    expect(await sessionStatus(site, jar.cookie)).toBe(401);
    expect(await sessionStatus(site, (await refresh(site, jar)).cookie())).toBe(200);
  });

  it('gets no cookie by refreshing first, and the owner still does', async () => {
    const { site, jar } = await scene();
    const challenge = challengeOf(await sendRefresh(site, jar.id, undefined, { cookie: jar.cookie }));
    const thief = await deviceKey();
    for (const proof of [
      await thief.prove(challenge),
      await thief.prove(challenge, { jwk: thief.jwk }),
      await thief.prove(challenge, { jwk: jar.key.jwk }),
    ]) {
      const refused = await sendRefresh(site, jar.id, proof, { cookie: jar.cookie });
      expect(refused.status).toBe(401);
      expect(setsSession(refused)).toBe(false);
    }
    // The thief has not used up the challenge.
    expect((await sendRefresh(site, jar.id, await jar.key.prove(challenge))).status).toBe(200);
  });

  it('cannot refresh after a lockdown of all users, which writes no session', async () => {
    const adapter = openStorage(
      String(pathToFileURL(path.join(mkdtempSync(path.join(tmpdir(), 'svc-auth-')), 'auth.db'))),
    );
    await adapter.init();
    const { site, jar } = await scene(await newSite({}, adapter));
    await site.service.lockdown({});
    expect((await refresh(site, jar)).status).toBe(401);
    const later = await scene(site);
    expect((await refresh(site, later.jar)).status).toBe(200);
    await adapter.close();
  });

  it('cannot keep the cookie from before the registration', async () => {
    const { site, cookie, jar } = await scene();
    site.clock.advance(graceMs - 1);
    expect(await sessionStatus(site, cookie)).toBe(200);
    site.clock.advance(1);
    expect(await sessionStatus(site, cookie)).toBe(401);
    expect(await sessionStatus(site, jar.cookie)).toBe(200);
  });

  it('cannot renew the cookie from before the registration in its last moments', async () => {
    const site = await newSite({ service: { session: { ttlMs: 20_000, renewAfterMs: 1 } } });
    const { cookie, response } = await signIn(site);
    await bind(site, response);
    site.clock.advance(graceMs - 1);
    const accepted = await site.get('/session', { cookie });
    expect(accepted.status).toBe(200);
    expect(setsSession(accepted)).toBe(false);
  });

  it('cannot register another key for a session that is bound', async () => {
    const { site, cookie, response } = await scene();
    const offer = offerOf(response)!;
    const refused = await register(site, offer, await deviceKey(), undefined, { cookie });
    expect(refused.status).toBe(401);
    expect(setsSession(refused)).toBe(false);
  });

  it('cannot register a key without the challenge of the sign-in', async () => {
    const site = await newSite();
    const { cookie, response } = await signIn(site);
    const other = await signIn(site);
    const offer = offerOf(response)!;
    const ofRefresh = challengeOf(await sendRefresh(site, other.userId));
    for (const challenge of ['none', cookie.split('=')[1]!, ofRefresh, `${offer.challenge}A`]) {
      const forged = { ...offer, challenge };
      const refused = await register(site, forged, await deviceKey(), undefined, { cookie });
      expect(refused.status).toBe(401);
    }
    expect((await bind(site, response)).response.status).toBe(200);
  });

  it('cannot turn a stolen cookie into a session that needs no proof', async () => {
    const { site, jar } = await scene(
      await newSite({ pro: true, service: { providers: { account: true } } }),
    );
    const passwords = { currentPassword: validPassword, newPassword: 'another horse battery' };
    const changed = await site.post('/account/password', passwords, { cookie: jar.cookie });
    site.clock.advance(ttlMs);
    expect(await sessionStatus(site, changed.cookie())).toBe(401);
  });
});

describe('a script of an attacker in the page that signs in', () => {
  it('cannot register a key of another machine, which does not have the cookie of the offer', async () => {
    const site = await newSite();
    const { cookie, response } = await signIn(site);
    const offer = offerOf(response)!;
    const { nonce } = offerOf((await signIn(site)).response)!;
    const [name, value] = offer.nonce.split('=') as [string, string];
    for (const given of ['', nonce, `${name}=`, `${name}=${value.slice(1)}A`, `other=${value}`]) {
      const forged = { ...offer, nonce: given };
      const refused = await register(site, forged, await deviceKey(), undefined, { cookie });
      expect([given, refused.status, setsSession(refused)]).toEqual([given, 401, false]);
    }
    expect((await register(site, offer, await deviceKey())).status).toBe(200);
  });

  it('cannot read the cookie of the offer', async () => {
    const { response } = await signIn(await newSite());
    const cookie = response.cookies.find(({ name }) => name === '__Host-svc_binding');
    expect(cookie?.attributes).toMatchObject({
      httponly: expect.anything() as unknown,
      secure: expect.anything() as unknown,
      samesite: 'None',
      'max-age': '300',
    });
  });

  it('cannot stop a registration with cookies of a subdomain, which have other names', async () => {
    const site = await newSite();
    const { response } = await signIn(site);
    const offer = offerOf(response)!;
    const tossed = Array.from({ length: 4 }, (_, n) => `svc_binding=${n}`).join('; ');
    const registered = await register(
      site,
      { ...offer, nonce: `${tossed}; ${offer.nonce}` },
      await deviceKey(),
    );
    expect(registered.status).toBe(200);
  });

  it('cannot register its key in the browser, which adds headers to requests of scripts', async () => {
    const site = await newSite();
    const { cookie, response } = await signIn(site);
    const offer = offerOf(response)!;
    for (const mode of ['cors', 'same-origin', 'navigate', 'websocket', 'NO-CORS', 'no-cors, cors', '']) {
      const headers = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': 'empty' };
      const refused = await register(site, offer, await deviceKey(), undefined, { cookie, headers });
      expect([refused.status, setsSession(refused)]).toEqual([401, false]);
    }
    // A program, or a browser that does not name the mode: its scripts could send the same.
    const { challenge, nonce, path: to } = offer;
    const key = await deviceKey();
    const bare = { 'Secure-Session-Response': await key.prove(challenge, { jwk: key.jwk }) };
    const unnamed = await site.send('POST', to, undefined, {
      cookie: nonce,
      headers: bare,
      skipChecks: true,
    });
    expect([unnamed.status, setsSession(unnamed)]).toEqual([401, false]);
    // As Chromium sends it.
    const headers = {
      'Sec-Fetch-Site': 'same-origin',
      'Sec-Fetch-Mode': 'no-cors',
      'Sec-Fetch-Dest': 'empty',
    };
    expect((await register(site, offer, await deviceKey(), undefined, { headers })).status).toBe(200);
  });
});

describe('a browser', () => {
  it('can bind the sessions of two tabs that sign in one after the other', async () => {
    const site = await newSite();
    const first = await signIn(site);
    const { nonce } = offerOf(first.response)!;
    const body = { email: first.email, password: validPassword };
    const second = await site.post('/password/login', body, { cookie: nonce });
    const both = offerOf(second)!;
    expect(
      (await register(site, { ...offerOf(first.response)!, nonce: both.nonce }, await deviceKey())).status,
    ).toBe(200);
    expect((await register(site, both, await deviceKey())).status).toBe(200);
  });
});

describe('a thief who records what the browser sends', () => {
  it('cannot replay the proof of a refresh', async () => {
    const { site, jar } = await scene();
    const proof = await jar.key.prove(challengeOf(await sendRefresh(site, jar.id)));
    expect((await sendRefresh(site, jar.id, proof)).status).toBe(200);
    const replayed = await sendRefresh(site, jar.id, proof);
    expect(replayed.status).toBe(403);
    expect(setsSession(replayed)).toBe(false);
    expect(challengeOf(replayed)).toBeDefined();
  });

  it('cannot replay the proof of a refresh in another process', async () => {
    const [adapter, clock] = [memoryAdapter(), testClock()];
    const sites = [
      await newSite({ service: { clock } }, adapter),
      await newSite({ service: { clock } }, adapter),
    ];
    const { jar } = await scene(sites[0]);
    const proof = await jar.key.prove(challengeOf(await sendRefresh(sites[0]!, jar.id)));
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => sendRefresh(sites[index % 2]!, jar.id, proof)),
    );
    expect(replies.filter(setsSession)).toHaveLength(1);
  });

  it('cannot replay a registration', async () => {
    const site = await newSite();
    const { response } = await signIn(site);
    const [offer, key] = [offerOf(response)!, await deviceKey()];
    const proof = await key.prove(offer.challenge, { jwk: key.jwk });
    const replies = await Promise.all([1, 2, 3].map(() => register(site, offer, key, proof)));
    expect(replies.filter(setsSession)).toHaveLength(1);
  });

  it('cannot use a proof for another session, or one of a registration for a refresh', async () => {
    const { site, jar, response } = await scene();
    const other = await bind(site, (await signIn(site)).response);
    const ofOther = await jar.key.prove(challengeOf(await sendRefresh(site, other.id)));
    expect((await sendRefresh(site, jar.id, ofOther)).status).toBe(403);
    expect((await sendRefresh(site, other.id, ofOther)).status).toBe(401);
    const registration = await jar.key.prove(offerOf(response)!.challenge, { jwk: jar.key.jwk });
    expect((await sendRefresh(site, jar.id, registration)).status).toBe(403);
  });
});

describe('a thief who reads a replica of the database', () => {
  it('finds nothing that makes a proof', async () => {
    const { site, jar } = await scene();
    const { binding, session } = (await site.adapter.sessionBindings!.find(jar.id))!;
    expect(Object.keys(binding.key.jwk).sort()).toEqual(['crv', 'kty', 'x', 'y']);
    const challenge = challengeOf(await sendRefresh(site, session.id));
    const payload = new TextEncoder().encode(JSON.stringify({ jti: challenge }));
    const confused = await new CompactSign(payload)
      .setProtectedHeader({ alg: 'HS256', typ: 'dbsc+jwt' })
      .sign(new TextEncoder().encode(JSON.stringify(binding.key.jwk).padEnd(32)));
    const unsigned = [{ alg: 'none', typ: 'dbsc+jwt' }, { jti: challenge }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    for (const proof of [confused, `${unsigned}.`, `${unsigned}.AAAA`]) {
      const refused = await sendRefresh(site, jar.id, proof);
      expect(refused.status).toBe(401);
      expect(setsSession(refused)).toBe(false);
    }
  });
});

describe('a proxy that strips the headers', () => {
  it('leaves an ordinary session, which a guard for bound sessions refuses', async () => {
    const site = await newSite({
      before(app, { service }) {
        app.use((_req, res, next) => {
          const setHeader = res.setHeader.bind(res);
          res.setHeader = (name, value) =>
            name === 'Secure-Session-Registration' ? res : setHeader(name, value);
          next();
        });
        app.get('/app/bound', requireSession(service, { bound: true }), (_req, res) => void res.json({}));
      },
    });
    const { cookie, response } = await signIn(site);
    expect(offerOf(response)).toBeUndefined();
    site.clock.advance(day - 1);
    expect(await sessionStatus(site, cookie)).toBe(200);
    expect((await site.get('/app/bound', { cookie, skipChecks: true })).status).toBe(403);
  });

  it('makes no bound session an ordinary one', async () => {
    const { site, cookie, jar } = await scene();
    site.clock.advance(graceMs);
    expect(
      (
        await site.send('POST', '/api/auth/session/bound/refresh', undefined, {
          cookie: jar.cookie,
          skipChecks: true,
        })
      ).status,
    ).toBe(401);
    const unproven = await sendRefresh(site, jar.id, undefined, { cookie });
    expect(unproven.status).toBe(403);
    expect(setsSession(unproven)).toBe(false);
  });
});

describe('a session that has ended', () => {
  it.each([
    [
      'was signed out everywhere',
      (site: Site, id: string) => site.adapter.sessions.revokeAll(id, new Date(site.clock.now())),
    ],
    ['belongs to a user who is blocked', (site: Site, id: string) => site.service.users.block(id, {})],
  ])('is not refreshed if it %s', async (_case, end) => {
    const { site, jar, userId } = await scene();
    await end(site, userId);
    expect((await refresh(site, jar)).status).toBe(401);
  });

  it('cannot be bound', async () => {
    const site = await newSite();
    const { cookie, response } = await signIn(site);
    await site.post('/logout', {}, { cookie });
    expect((await register(site, offerOf(response)!, await deviceKey())).status).toBe(401);
  });
});

describe('a proof', () => {
  it('counts for minutes only', async () => {
    const { site, jar } = await scene();
    const proof = await jar.key.prove(challengeOf(await sendRefresh(site, jar.id)));
    site.clock.advance(2 * 60_000);
    expect((await sendRefresh(site, jar.id, proof)).status).toBe(403);
    const late = await newSite();
    const { response } = await signIn(late);
    late.clock.advance(5 * 60_000);
    expect((await register(late, offerOf(response)!, await deviceKey())).status).toBe(401);
  });

  it('is refused if it is malformed, of another kind, or made with a weak or private key', async () => {
    const site = await newSite();
    const { response } = await signIn(site);
    const offer = offerOf(response)!;
    const { challenge } = offer;
    const key = await deviceKey();
    const p384 = await generateKeyPair('ES384', { extractable: true });
    const jwk = await exportJWK(p384.publicKey);
    const proofs = [
      'a.b.c',
      'x'.repeat(7_000),
      await key.prove(challenge),
      await key.prove(challenge, { jwk: key.jwk, typ: 'JWT' }),
      await key.prove(challenge, { jwk: { ...key.jwk, d: 'AAAA' } }),
      await key.prove(challenge, { jwk: { ...key.jwk, crv: 'P-384' } }),
      await key.prove(challenge, { jwk: { ...key.jwk, x: '' } }),
      await key.prove(challenge, { jwk: (await deviceKey()).jwk }),
      await key.prove(challenge, { jwk: (await deviceKey('RS256')).jwk }),
      await new CompactSign(new TextEncoder().encode(JSON.stringify({ jti: challenge })))
        .setProtectedHeader({ alg: 'ES384', typ: 'dbsc+jwt', jwk })
        .sign(p384.privateKey),
    ];
    for (const proof of proofs) expect((await register(site, offer, key, proof)).status).toBe(401);
    expect((await register(site, offer, key)).status).toBe(200);
  });

  it('is asked for whether or not there is such a session', async () => {
    const { site, jar } = await scene();
    for (const id of [jar.id, '00000000-0000-4000-8000-000000000000', 'x'])
      expect((await sendRefresh(site, id)).status).toBe(403);
    expect((await refresh(site, { ...jar, id: 'x' })).status).toBe(401);
  });
});
