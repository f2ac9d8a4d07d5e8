/** Sessions that are tokens: JSON Web Tokens of the application, and those of Auth.js. */
import { generateKeyPairSync, hkdfSync, randomUUID } from 'node:crypto';
import express from 'express';
import { EncryptJWT } from 'jose';
import jsonwebtoken from 'jsonwebtoken';
import { ConfigError, requireSession, type SessionSource } from 'svc-auth';
import { authJs, jwt, type JwtOptions } from 'svc-auth/moving';
import { openSite, type Site } from '../../support/http-site.js';

const secret = 'the secret of the former system';
const day = 86_400;
const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function siteWith(...acceptSessionsFrom: SessionSource[]): Promise<Site> {
  const site = await openSite(express, undefined, {
    service: { session: { acceptSessionsFrom } },
    before: (app, { service }) => {
      app.get('/app/me', requireSession(service), (req, res) => void res.json(req.user));
    },
  });
  open.push(site);
  return site;
}

async function newUser(site: Site, externalId: string = randomUUID()) {
  return site.service.users.create({ email: site.uniqueEmail(), emailVerified: true, externalId });
}

const seconds = (site: Site) => Math.floor(site.clock.now() / 1_000);

describe('a JSON Web Token of the former system', () => {
  const fromCookie = (options: Partial<JwtOptions> = {}) =>
    jwt({ secret, from: { cookie: 'token' }, ...options });

  const sign = (site: Site, claims: object, key: string = secret, options: jsonwebtoken.SignOptions = {}) =>
    jsonwebtoken.sign({ iat: seconds(site), exp: seconds(site) + 30 * day, ...claims }, key, options);

  const ask = (site: Site, cookie: string) => site.send('GET', '/app/me', undefined, { cookie });

  it('signs in once, from a cookie that is then cleared', async () => {
    const site = await siteWith(fromCookie());
    const user = await newUser(site, 'user-7');
    const cookie = `token=${sign(site, { sub: 'user-7' })}`;
    const response = await ask(site, cookie);
    expect([response.status, response.json.id]).toEqual([200, user.id]);
    expect(response.cookies.find(({ name }) => name === 'token')).toMatchObject({ value: '' });
    expect((await ask(site, cookie)).status).toBe(200);
    site.clock.advance(31_000);
    expect((await ask(site, cookie)).status).toBe(401);
    site.clock.advance(29 * day * 1_000);
    await site.service.purgeExpired();
    expect((await ask(site, cookie)).status).toBe(401);
  });

  it('signs in once in every spelling of its signature', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const site = await siteWith(jwt({ publicKey, from: { cookie: 'token' } }));
    await newUser(site, 'user-7');
    const token = sign(site, { sub: 'user-7' }, privateKey, { algorithm: 'RS256' });
    expect((await ask(site, `token=${token}`)).status).toBe(200);
    site.clock.advance(31_000);
    for (const ending of ['A', '=', '==', 'AA'])
      expect((await ask(site, `token=${token}${ending}`)).status).toBe(401);
  });

  it('is refused if it has expired, has another issuer, or was signed with another key or algorithm', async () => {
    const site = await siteWith(fromCookie({ issuer: 'https://old.example', audience: 'app' }));
    await newUser(site, 'user-7');
    const right = { sub: 'user-7', iss: 'https://old.example', aud: 'app' };
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
      JSON.stringify({ ...right, exp: seconds(site) + day }),
    ).toString('base64url')}.`;
    const refused = [
      sign(site, { ...right, exp: seconds(site) - 1 }),
      sign(site, { ...right, iss: 'https://other.example' }),
      sign(site, { ...right, aud: 'other' }),
      sign(site, right, 'another secret'),
      sign(site, right, secret, { algorithm: 'HS512' }),
      unsigned,
      jsonwebtoken.sign({ ...right, iat: seconds(site) }, secret),
      'x.y.z',
      'x',
    ];
    for (const token of refused) expect((await ask(site, `token=${token}`)).status).toBe(401);
    expect((await ask(site, `other=${sign(site, right)}`)).status).toBe(401);
    expect((await ask(site, `token=${sign(site, right)}`)).status).toBe(200);
  });

  it('is refused if userId returns null, as for a token that resets a password', async () => {
    const site = await siteWith(fromCookie({ userId: ({ type, sub }) => (type === 'access' ? sub : null) }));
    await newUser(site, 'user-7');
    expect((await ask(site, `token=${sign(site, { sub: 'user-7', type: 'reset' })}`)).status).toBe(401);
    expect((await ask(site, `token=${sign(site, { sub: 'user-7', type: 'access' })}`)).status).toBe(200);
  });

  it('without exp ends by maxAgeMs, and is refused without it', async () => {
    const site = await siteWith(fromCookie({ maxAgeMs: day * 1_000 }));
    await newUser(site, 'user-7');
    const endless = (age: number) =>
      `token=${jsonwebtoken.sign({ sub: 'user-7', iat: seconds(site) - age }, secret)}`;
    expect((await ask(site, endless(day + 1))).status).toBe(401);
    expect((await ask(site, endless(day - 60))).status).toBe(200);
  });

  it('signs in from a header, and the cookie of the session counts while a client still sends it', async () => {
    const site = await siteWith(jwt({ secret, from: { header: 'Bearer' } }));
    const user = await newUser(site, 'user-7');
    const headers = { Authorization: `Bearer ${sign(site, { sub: 'user-7' })}` };
    const first = await site.send('GET', '/app/me', undefined, { headers });
    expect([first.status, first.json.id]).toEqual([200, user.id]);
    const cookie = first.cookie();
    site.clock.advance(60_000);
    expect((await site.send('GET', '/app/me', undefined, { headers })).status).toBe(401);
    expect((await site.send('GET', '/app/me', undefined, { headers, cookie })).status).toBe(200);
    const other = { Authorization: 'Bearer of.another.system' };
    expect((await site.send('GET', '/app/me', undefined, { headers: other, cookie })).status).toBe(401);
  });

  it('finds the account of an address only if both systems have verified it', async () => {
    const userId: JwtOptions['userId'] = (claims) =>
      claims['verified'] === true ? { email: String(claims['email']), emailVerified: true } : null;
    const site = await siteWith(fromCookie({ userId }));
    const [verified, unverified] = [site.uniqueEmail(), site.uniqueEmail()];
    const user = await site.service.users.create({ email: verified, emailVerified: true });
    await site.service.users.create({ email: unverified });
    const status = async (claims: object) => (await ask(site, `token=${sign(site, claims)}`)).status;
    expect(await status({ email: verified, verified: false })).toBe(401);
    expect(await status({ email: unverified, verified: true })).toBe(401);
    expect(await status({ email: 'no address', verified: true })).toBe(401);
    const response = await ask(
      site,
      `token=${sign(site, { email: verified.toUpperCase(), verified: true })}`,
    );
    expect(response.json.id).toBe(user.id);
  });

  it('is refused after all sessions of the account were ended here, also if its sign-in was later', async () => {
    const site = await siteWith(fromCookie());
    const user = await newUser(site, 'user-7');
    const before = sign(site, { sub: 'user-7' });
    site.clock.advance(5_000);
    // The old system continues to accept the password that was stolen.
    await site.service.users.setPassword(user.id, 'a new password, because the old one was stolen');
    site.clock.advance(5_000);
    for (const token of [before, sign(site, { sub: 'user-7' })])
      expect((await ask(site, `token=${token}`)).status).toBe(401);
  });

  it('does not lead a stranger of the old system into the account that the owner of the address has reclaimed', async () => {
    const site = await siteWith(fromCookie());
    const email = site.uniqueEmail();
    await site.service.users.import([{ externalId: 'user-7', email, emailVerified: false }]);
    const owner = await site.signInByCode(email);
    site.clock.advance(5_000);
    expect((await ask(site, `token=${sign(site, { sub: 'user-7' })}`)).status).toBe(401);
    expect((await site.get('/session', { cookie: owner.cookie })).status).toBe(200);
  });

  it('requires options that fit each other', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const wrong: object[] = [
      {},
      { secret },
      { secret: '', from: { cookie: 'token' } },
      { secret, from: { cookie: 'a b' } },
      { secret, from: { cookie: 'token', header: 'Bearer' } },
      { secret, publicKey: 'x', from: { cookie: 'token' } },
      { publicKey: 'x', from: { cookie: 'token' } },
      { publicKey, from: { cookie: 'token' } },
      { secret, algorithms: ['RS256'], from: { cookie: 'token' } },
      { secret, algorithms: ['none'], from: { cookie: 'token' } },
      { secret, algorithms: [], from: { cookie: 'token' } },
      { secret, from: { cookie: 'token' }, userID: () => 1 },
      { secret, from: { cookie: 'token' }, secondFactor: 'never' },
      { secret, from: { cookie: 'token' }, maxAgeMs: -1 },
    ];
    for (const options of wrong) expect(() => jwt(options as JwtOptions)).toThrow(ConfigError);
  });
});

describe('a session of Auth.js', () => {
  const plain = 'authjs.session-token';

  /** As `encode` of `@auth/core/jwt`. */
  function encode(site: Site, claims: object, name: string, key = secret): Promise<string> {
    const salted = `Auth.js Generated Encryption Key (${name})`;
    return new EncryptJWT({ ...claims })
      .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
      .setIssuedAt(seconds(site))
      .setExpirationTime(seconds(site) + 30 * day)
      .setJti(randomUUID())
      .encrypt(new Uint8Array(hkdfSync('sha256', key, name, salted, 64)));
  }

  it.each([plain, `__Secure-${plain}`])('with the strategy jwt signs in once, from %s', async (name) => {
    const site = await siteWith(authJs({ secret: ['a newer secret', secret] }));
    const user = await newUser(site, 'user-7');
    const token = await encode(site, { sub: 'user-7', name: 'Vera' }, name);
    const response = await site.get('/session', { cookie: `${name}=${token}` });
    expect(response.json.user.id).toBe(user.id);
    expect(response.cookies.find((cookie) => cookie.name === name)).toMatchObject({ value: '' });
    site.clock.advance(31_000);
    // The last character of the tag has bits that do not count.
    for (const ending of ['', '=', 'A'])
      expect((await site.get('/session', { cookie: `${name}=${token}${ending}` })).status).toBe(401);
  });

  it('is refused under the name of another cookie, with another secret, or when it has expired', async () => {
    const site = await siteWith(authJs({ secret }));
    await newUser(site, 'user-7');
    const token = await encode(site, { sub: 'user-7' }, plain);
    const refused = [
      `__Secure-${plain}=${token}`,
      `other=${token}`,
      `${plain}=${await encode(site, { sub: 'user-7' }, plain, 'another secret')}`,
      `${plain}=${token.slice(0, -8)}AAAAAAAA`,
      `${plain}=x`,
    ];
    for (const cookie of refused) expect((await site.get('/session', { cookie })).status).toBe(401);
    site.clock.advance(30 * day * 1_000);
    expect((await site.get('/session', { cookie: `${plain}=${token}` })).status).toBe(401);
  });

  it('is put together from the cookies into which a long one was cut', async () => {
    const site = await siteWith(authJs({ secret }));
    const user = await newUser(site, 'user-7');
    const token = await encode(site, { sub: 'user-7', picture: 'x'.repeat(5_000) }, plain);
    const parts = token.match(/.{1,3936}/g)!;
    expect(parts).toHaveLength(2);
    const cookie = parts.map((part, index) => `${plain}.${index}=${part}`).join('; ');
    expect((await site.get('/session', { cookie })).json.user.id).toBe(user.id);
  });

  it('with the strategy database signs in once, and its row is removed', async () => {
    const rows = new Map([['a-token', { user: 'user-7' }]]);
    const source = authJs({
      findSession: (token) => rows.get(token) ?? null,
      endSession: (token) => rows.delete(token),
    });
    const site = await siteWith(source);
    const user = await newUser(site, 'user-7');
    expect((await site.get('/session', { cookie: `${plain}=__proto__` })).status).toBe(401);
    const response = await site.get('/session', { cookie: `${plain}=a-token` });
    expect(response.json.user.id).toBe(user.id);
    expect(rows.size).toBe(0);
  });

  it('requires a secret or a table, and not both', () => {
    expect(() => authJs({})).toThrow(ConfigError);
    expect(() => authJs({ secret, findSession: () => null, endSession: () => null })).toThrow(ConfigError);
    expect(() => authJs({ findSession: () => null })).toThrow(ConfigError);
  });
});
