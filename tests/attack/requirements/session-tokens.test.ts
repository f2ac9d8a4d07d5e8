// Tokens that an attacker forges, wherever a token is read.
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Express } from 'express';
import { optionalSession, requireSession } from 'svc-auth';
import { verifyToken } from 'svc-auth/token';
import { testClock } from 'svc-auth/testing';
import type { Site } from '../../support/http-site.js';
import { testSecret } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { issueTokens, readToken } from '../../support/site-actions.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';

const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
const hmac = (hash: string, key: string, text: string) =>
  createHmac(hash, key).update(text).digest('base64url');

/** Returns a token that is signed with HS256 and the secret, unless given another key or hash. */
function forge(header: unknown, payload: unknown, { key = testSecret, hash = 'sha256' } = {}): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${hmac(hash, key, text)}`;
}

const plain = { alg: 'HS256', typ: 'JWT' };
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = createPublicKey(rsa.privateKey).export({ type: 'spki', format: 'pem' }).toString();
const jwk = rsa.publicKey.export({ format: 'jwk' });
const attackerKey = 'the key of the attacker, 32 bytes or more';

function rs256(header: object, claims: object): string {
  const text = `${encode({ alg: 'RS256', ...header })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), rsa.privateKey).toString('base64url')}`;
}

type Forgery = (claims: object, real: string) => unknown;

/** Forgeries from the claims of a victim's token, which an attacker has read. None has a valid HS256 signature by the secret. */
const unsignedForgeries: Record<string, Forgery> = {
  'alg none': (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
  'alg NONE with the real MAC': (claims, real) =>
    `${encode({ alg: 'NONE' })}.${encode(claims)}.${real.split('.')[2]}`,
  'HS256, then alg none': (claims) => `${encode('{"alg":"HS256","alg":"none"}')}.${encode(claims)}.`,
  'no alg': (claims) => forge({ typ: 'JWT' }, claims),
  'alg in a list': (claims) => forge({ alg: ['HS256'] }, claims),
  'alg in lower case': (claims) => forge({ alg: 'hs256' }, claims),
  'HS512 with the secret': (claims) => forge({ alg: 'HS512' }, claims, { hash: 'sha512' }),
  'HS384 with the secret': (claims) => forge({ alg: 'HS384' }, claims, { hash: 'sha384' }),
  'RS256 with the attacker’s key': (claims) => rs256({}, claims),
  'RS256 with a key from the header': (claims) => rs256({ jwk }, claims),
  'HS256 with a public key': (claims) => forge(plain, claims, { key: pem }),
  'HS256 with another secret': (claims) => forge(plain, claims, { key: attackerKey }),
  'HS256 with an empty key': (claims) => forge(plain, claims, { key: '' }),
  'HS256 with the kid itself': (claims) =>
    forge({ ...plain, kid: attackerKey }, claims, { key: attackerKey }),
  'a kid that is a file path': (claims) => forge({ ...plain, kid: '../../../dev/null' }, claims, { key: '' }),
  'a kid that is SQL': (claims) => forge({ ...plain, kid: "x' union select 'k" }, claims, { key: 'k' }),
  'a kid that is not a string': (claims) =>
    forge({ ...plain, kid: { toString: null } }, claims, { key: attackerKey }),
  'a kid of __proto__': (claims) => forge({ ...plain, kid: '__proto__' }, claims, { key: '' }),
  'jku and x5u': (claims) => rs256({ jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' }, claims),
  'a symmetric jwk': (claims) =>
    forge({ ...plain, jwk: { kty: 'oct', k: encode(attackerKey) } }, claims, { key: attackerKey }),
  'another payload under the real MAC': (_claims, real) => {
    const [header, payload, mac] = real.split('.');
    return `${header}.${encode({ ...readToken(`x=.${payload}.`), exp: 9_999_999_999 })}.${mac}`;
  },
  'half a MAC': (_claims, real) => real.slice(0, -20),
  'a MAC twice as long': (_claims, real) => `${real}${real.split('.')[2]}`,
  'no MAC': (_claims, real) => real.replace(/[^.]*$/, ''),
  'four parts': (_claims, real) => `${real}.${real.split('.')[2]}`,
  'five parts': () => 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAA.AAAA.AAAA',
  'two parts': (_claims, real) => real.split('.').slice(1).join('.'),
  '7,000 dots': () => '.'.repeat(7_000),
  padding: (_claims, real) => `${real}=`,
  'a header that is a list': (claims) => forge([plain], claims),
  'a header that is null': (claims) => forge('null', claims),
  'a header that is not JSON': (claims) => forge('{"alg":"HS256"', claims),
};

/** Signed with the secret, as another application that shares it could, but not a session token. */
// A-63, A-64, A-65
const foreignForgeries: Record<string, Forgery> = {
  // A-62
  'an unknown crit': (claims) => forge({ ...plain, crit: ['x'], x: 1 }, claims),
  'a crit that lists exp': (claims) => forge({ ...plain, crit: ['exp'] }, claims),
  'an empty crit': (claims) => forge({ ...plain, crit: [] }, claims),
  'b64 set to false': (claims) => forge({ ...plain, b64: false, crit: ['b64'] }, claims),
  'b64 without crit': (claims) => forge({ ...plain, b64: false }, claims),
  'another type': (claims) => forge({ alg: 'HS256', typ: 'at+jwt' }, claims),
  ...claimForgeries('exp', [undefined, null, '9999999999', 1e300, 1.5, -1, 0, [9e9], {}, true]),
  ...claimForgeries('iat', [undefined, null, '1', 9_999_999_999, 1e300, {}]),
  ...claimForgeries('nbf', [9_999_999_999, '0', null, {}]),
  ...claimForgeries('sub', [undefined, null, '', 'x'.repeat(129), 42, ['x'], {}, true]),
  ...claimForgeries('use', [undefined, null, '', 'access', 'Session', ['session'], { session: 1 }]),
  // A-65
  'a payload that is a list': (claims) => forge(plain, [claims]),
  'a payload that is a string': () => forge(plain, '"sub"'),
  'a payload that is null': () => forge(plain, 'null'),
  'a payload that is not JSON': () => forge(plain, 'sub=x'),
};

function claimForgeries(claim: string, values: unknown[]): Record<string, Forgery> {
  return Object.fromEntries(
    values.map((value) => [
      `${claim} ${JSON.stringify(value)?.slice(0, 20) ?? 'left out'}`,
      (claims: object) => forge(plain, { ...claims, [claim]: value }),
    ]),
  );
}

describe('Session tokens', () => {
  const open = fullSiteOpener();
  let site: FullSite;
  let real: string;
  let access: string;

  const guards = (app: Express, { service }: Pick<Site, 'service'>) => {
    const [required, stateless] = [requireSession(service), requireSession(service, { stateless: true })];
    app.get('/app/required', required, (_req, res) => void res.json({}));
    app.get('/app/stateless', stateless, (_req, res) => void res.json({}));
    app.get('/app/maybe', optionalSession(service), (req, res) => void res.json({ user: req.user ?? null }));
  };

  /** Presents a token wherever one is read and returns the outcomes: `ok` or an error code. */
  async function readers(token: string): Promise<string[]> {
    const standalone = () => verifyToken(token, testSecret);
    const results = [await outcomeOf(standalone), await outcomeOf(() => site.service.verifyToken(token))];
    results.push(await outcomeOf(() => site.service.getSessionUser(token)));
    for (const options of [
      { cookie: `svc_session=${token}` },
      { headers: { Authorization: `Bearer ${token}` } },
    ]) {
      for (const path of ['/session', '/devices', '/app/required', '/app/stateless']) {
        const { status, json } = await site.send('GET', path, undefined, options);
        results.push(status === 200 ? 'ok' : (json.error as string));
      }
      const { json } = await site.send('GET', '/app/maybe', undefined, options);
      results.push(json.user ? 'ok' : 'token_invalid');
    }
    return results;
  }
  const everywhere = (outcome: string) => Array.from({ length: 13 }, () => outcome);

  beforeEach(async () => {
    site = await open({ after: guards, service: { clock: testClock(Date.now()) } });
    const me = await site.signInByCode();
    real = me.cookie.slice('svc_session='.length);
    access = (await issueTokens(site, me)).accessToken;
  });

  // A-61
  it('accepts session and access tokens at every reader, and tokens with the same claims that the secret signed', async () => {
    for (const token of [
      real,
      access,
      forge(plain, readToken(real)),
      forge({ alg: 'HS256' }, readToken(access)),
    ]) {
      expect(await readers(token)).toEqual(everywhere('ok'));
    }
  });

  // A-61, A-62
  it('rejects every token forged from a victim’s claims without the secret', async () => {
    for (const [name, make] of Object.entries(unsignedForgeries)) {
      for (const genuine of [real, access]) {
        const forged = make(readToken(genuine), genuine) as string;
        expect([name, await readers(forged)]).toEqual([name, everywhere('token_invalid')]);
      }
    }
  });

  it.each(Object.entries(foreignForgeries))(
    'rejects %s although the secret signed it',
    async (_name, make) => {
      for (const genuine of [real, access]) {
        const claims = readToken(genuine);
        expect(await readers(make(claims, genuine) as string)).toEqual(everywhere('token_invalid'));
      }
    },
  );

  // A-62
  it('ignores key references in the header of a valid token', async () => {
    const header = {
      ...plain,
      kid: 'x',
      jku: 'http://127.0.0.1:1/',
      jwk,
      x5u: 'http://127.0.0.1:1/',
      x5c: ['AAAA'],
    };
    expect(await readers(forge(header, readToken(real)))).toEqual(everywhere('ok'));
  });

  // A-63
  it('rejects a token from the second of its exp on, and limits the clock tolerance to five minutes', async () => {
    // Uses the service's clock, which stands still: real time may have moved to the next second.
    const now = Math.floor(site.clock.now() / 1000);
    const ended = forge(plain, { ...readToken(real), iat: now - 600, exp: now });
    expect(await readers(ended)).toEqual(everywhere('token_invalid'));
    const ages = [0, 300, 301, -1, 1.5, NaN, Infinity, '300', null].map((clockToleranceSec) =>
      outcomeOf(() => verifyToken(ended, testSecret, { clockToleranceSec: clockToleranceSec as number })),
    );
    const invalid = 'invalid_request';
    const expected = ['token_invalid', 'ok', ...Array.from({ length: 7 }, () => invalid)];
    expect(await Promise.all(ages)).toEqual(expected);
  });

  // A-65
  it('rejects a token of an unknown user, or of one user with the session of another', async () => {
    const other = readToken((await site.signInByCode()).cookie);
    const claims = readToken(real);
    for (const change of [
      { sub: other['sub'] },
      { sid: other['sid'] },
      { sub: 'x'.repeat(128) },
      { sub: "' or 1=1 --" },
    ]) {
      const outcome = await outcomeOf(() =>
        site.service.getSessionUser(forge(plain, { ...claims, ...change })),
      );
      expect([change, outcome]).toEqual([change, expect.stringMatching(/^(token_invalid|user_not_found)$/)]);
      const cookie = `svc_session=${forge(plain, { ...claims, ...change })}`;
      expect((await site.get('/session', { cookie })).status).toBe(401);
    }
  });

  // A-66
  it('rejects a token with another issuer or audience, or none, once they are configured', async () => {
    const [issuer, audience] = ['https://acme.test', 'acme'];
    site = await open({ service: { session: { issuer, audience }, clock: testClock(Date.now()) } });
    const { cookie } = await site.signInByCode();
    const claims = readToken(cookie);
    expect(claims).toMatchObject({ iss: issuer, aud: audience });
    const standalone = (token: string) =>
      outcomeOf(() => verifyToken(token, testSecret, { issuer, audience }));
    for (const change of [
      {},
      { iss: 'https://evil.test' },
      { aud: 'evil' },
      { iss: undefined },
      { aud: undefined },
      { aud: [] },
      { iss: [issuer] },
    ]) {
      const token = forge(plain, { ...claims, ...change });
      const { status } = await site.get('/session', { cookie: `svc_session=${token}` });
      const isUnchanged = Object.keys(change).length === 0;
      expect([change, status, await standalone(token)]).toEqual([
        change,
        isUnchanged ? 200 : 401,
        isUnchanged ? 'ok' : 'token_invalid',
      ]);
    }
  });

  // A-66
  it('rejects an empty or malformed issuer or audience option, which would check nothing', async () => {
    for (const value of ['', null, 42, [], {}, /./]) {
      for (const name of ['issuer', 'audience']) {
        const outcome = await outcomeOf(() => verifyToken(real, testSecret, { [name]: value }));
        expect([name, value, outcome]).toEqual([name, value, 'invalid_request']);
      }
    }
  });

  // A-70
  it('rejects custom claims that the engine reserves, in any disguise', async () => {
    const userId = readToken(real)['sub'] as string;
    const reserved = 'sub iat exp nbf jti iss aud sid sv use act actEpoch amr ims epoch fid'.split(' ');
    const disguises: ((name: string) => object)[] = [
      (name) => ({ [name]: 'x' }),
      (name) => JSON.parse(`{"${name}":"x"}`) as object,
      (name) => ({ toJSON: () => ({ [name]: 'x' }) }),
      (name) => ({
        harmless: 1,
        get toJSON() {
          return () => ({ [name]: ['mfa'] });
        },
      }),
    ];
    for (const name of [...reserved, '__proto__', 'constructor', 'prototype']) {
      for (const disguise of disguises) {
        const claims = disguise(name) as Record<string, unknown>;
        if (name === '__proto__' && !Object.keys(claims).length) continue;
        const sessionOutcome = await outcomeOf(() => site.service.createSessionToken(userId, { claims }));
        const refreshOutcome = await outcomeOf(() => site.service.refresh.issue({ userId, claims }));
        expect([name, disguise.toString(), sessionOutcome, refreshOutcome]).toEqual([
          name,
          disguise.toString(),
          'invalid_request',
          'invalid_request',
        ]);
      }
    }
  });
});
