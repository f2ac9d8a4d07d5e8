// A-61 to A-63, A-65, A-66, A-70: tokens that an attacker makes, wherever a token is read.
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Express } from 'express';
import { optionalSession, requireSession } from 'svc-auth';
import { verifyToken } from 'svc-auth/token';
import { testClock } from 'svc-auth/testing';
import type { Site } from '../../support/http-site.js';
import { testSecret } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { issueTokens, readToken } from '../../support/people.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';

const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
const hmac = (hash: string, key: string, text: string) =>
  createHmac(hash, key).update(text).digest('base64url');

/** Signed rightly, for HS256 and with the secret, unless told otherwise. */
function forge(header: unknown, payload: unknown, { key = testSecret, hash = 'sha256' } = {}): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${hmac(hash, key, text)}`;
}

const plain = { alg: 'HS256', typ: 'JWT' };
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = createPublicKey(rsa.privateKey).export({ type: 'spki', format: 'pem' }).toString();
const jwk = rsa.publicKey.export({ format: 'jwk' });
const theirs = 'the key of the attacker, 32 bytes or more';

function rs256(header: object, claims: object): string {
  const text = `${encode({ alg: 'RS256', ...header })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), rsa.privateKey).toString('base64url')}`;
}

type Forgery = (claims: object, real: string) => unknown;

/** Of the claims of a victim's token, which an attacker has read. None is signed by us, or not in the way that counts. */
const unsignedForgeries: Record<string, Forgery> = {
  'alg none': (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
  'alg NONE with the real MAC': (claims, real) =>
    `${encode({ alg: 'NONE' })}.${encode(claims)}.${real.split('.')[2]}`,
  'HS256, then alg none': (claims) => `${encode('{"alg":"HS256","alg":"none"}')}.${encode(claims)}.`,
  'no alg': (claims) => forge({ typ: 'JWT' }, claims),
  'alg in a list': (claims) => forge({ alg: ['HS256'] }, claims),
  'alg in lower case': (claims) => forge({ alg: 'hs256' }, claims),
  'HS512 by the secret': (claims) => forge({ alg: 'HS512' }, claims, { hash: 'sha512' }),
  'HS384 by the secret': (claims) => forge({ alg: 'HS384' }, claims, { hash: 'sha384' }),
  'RS256 by a key of theirs': (claims) => rs256({}, claims),
  'RS256 by a key that the header brings': (claims) => rs256({ jwk }, claims),
  'HS256 by a public key': (claims) => forge(plain, claims, { key: pem }),
  'HS256 by another secret': (claims) => forge(plain, claims, { key: theirs }),
  'HS256 by nothing': (claims) => forge(plain, claims, { key: '' }),
  'HS256 by the kid itself': (claims) => forge({ ...plain, kid: theirs }, claims, { key: theirs }),
  'a kid that is a file': (claims) => forge({ ...plain, kid: '../../../dev/null' }, claims, { key: '' }),
  'a kid that is a query': (claims) => forge({ ...plain, kid: "x' union select 'k" }, claims, { key: 'k' }),
  'a kid that is no text': (claims) => forge({ ...plain, kid: { toString: null } }, claims, { key: theirs }),
  'a kid of every prototype': (claims) => forge({ ...plain, kid: '__proto__' }, claims, { key: '' }),
  'jku and x5u': (claims) => rs256({ jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' }, claims),
  'jwk of a secret': (claims) =>
    forge({ ...plain, jwk: { kty: 'oct', k: encode(theirs) } }, claims, { key: theirs }),
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
  'a megabyte of dots': () => '.'.repeat(7_000),
  padding: (_claims, real) => `${real}=`,
  'a header that is a list': (claims) => forge([plain], claims),
  'a header that is null': (claims) => forge('null', claims),
  'a header that is no JSON': (claims) => forge('{"alg":"HS256"', claims),
};

/** Signed by the secret, as whoever shares it for other things would, and still none of our sessions. */
const foreignForgeries: Record<string, Forgery> = {
  'A-62 an unknown crit': (claims) => forge({ ...plain, crit: ['x'], x: 1 }, claims),
  'A-62 crit of exp': (claims) => forge({ ...plain, crit: ['exp'] }, claims),
  'A-62 an empty crit': (claims) => forge({ ...plain, crit: [] }, claims),
  'A-62 b64 false': (claims) => forge({ ...plain, b64: false, crit: ['b64'] }, claims),
  'A-62 b64 without crit': (claims) => forge({ ...plain, b64: false }, claims),
  'A-62 another type': (claims) => forge({ alg: 'HS256', typ: 'at+jwt' }, claims),
  ...claimForgeries('A-63', 'exp', [undefined, null, '9999999999', 1e300, 1.5, -1, 0, [9e9], {}, true]),
  ...claimForgeries('A-63', 'iat', [undefined, null, '1', 9_999_999_999, 1e300, {}]),
  ...claimForgeries('A-63', 'nbf', [9_999_999_999, '0', null, {}]),
  ...claimForgeries('A-65', 'sub', [undefined, null, '', 'x'.repeat(129), 42, ['x'], {}, true]),
  ...claimForgeries('A-64', 'use', [undefined, null, '', 'access', 'Session', ['session'], { session: 1 }]),
  'A-65 a payload that is a list': (claims) => forge(plain, [claims]),
  'A-65 a payload that is a text': () => forge(plain, '"sub"'),
  'A-65 a payload that is null': () => forge(plain, 'null'),
  'A-65 a payload that is no JSON': () => forge(plain, 'sub=x'),
};

function claimForgeries(id: string, claim: string, values: unknown[]): Record<string, Forgery> {
  return Object.fromEntries(
    values.map((value) => [
      `${id} ${claim} ${JSON.stringify(value)?.slice(0, 20) ?? 'left out'}`,
      (claims: object) => forge(plain, { ...claims, [claim]: value }),
    ]),
  );
}

describe('A token', () => {
  const open = wholeProduct();
  let site: WholeSite;
  let real: string;
  let access: string;

  const guards = (app: Express, { service }: Pick<Site, 'service'>) => {
    const [required, unasked] = [requireSession(service), requireSession(service, { stateless: true })];
    app.get('/app/required', required, (_req, res) => void res.json({}));
    app.get('/app/stateless', unasked, (_req, res) => void res.json({}));
    app.get('/app/maybe', optionalSession(service), (req, res) => void res.json({ user: req.user ?? null }));
  };

  /** Wherever a token is read, what it is taken for: `in` or the code of the refusal. */
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

  it('A-61 of ours is taken everywhere, a session’s and an access token’s, and so is one that is made again by hand', async () => {
    for (const token of [
      real,
      access,
      forge(plain, readToken(real)),
      forge({ alg: 'HS256' }, readToken(access)),
    ]) {
      expect(await readers(token)).toEqual(everywhere('ok'));
    }
  });

  it('A-61 A-62 that an attacker makes of a victim’s claims is taken nowhere, whatever its header says', async () => {
    for (const [name, make] of Object.entries(unsignedForgeries)) {
      for (const genuine of [real, access]) {
        const forged = make(readToken(genuine), genuine) as string;
        expect([name, await readers(forged)]).toEqual([name, everywhere('token_invalid')]);
      }
    }
  });

  it.each(Object.entries(foreignForgeries))(
    '%s is taken nowhere, although the secret signed it',
    async (_name, make) => {
      for (const genuine of [real, access]) {
        const claims = readToken(genuine);
        expect(await readers(make(claims, genuine) as string)).toEqual(everywhere('token_invalid'));
      }
    },
  );

  it('A-62 whose header names keys of others is read by ours, and nobody is asked for theirs', async () => {
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

  it('A-63 is dead in the second that its exp names, and a tolerance is at most five minutes', async () => {
    // The service’s own second, which stands still: the world’s may be the next by now.
    const now = Math.floor(site.clock.now() / 1000);
    const ended = forge(plain, { ...readToken(real), iat: now - 600, exp: now });
    expect(await readers(ended)).toEqual(everywhere('token_invalid'));
    const ages = [0, 300, 301, -1, 1.5, NaN, Infinity, '300', null].map((clockToleranceSec) =>
      outcomeOf(() => verifyToken(ended, testSecret, { clockToleranceSec: clockToleranceSec as number })),
    );
    const refused = 'invalid_request';
    const expected = ['token_invalid', 'ok', ...Array.from({ length: 7 }, () => refused)];
    expect(await Promise.all(ages)).toEqual(expected);
  });

  it('A-65 of a user who is not there, or of one user in the session of another, signs nobody in', async () => {
    const other = readToken((await site.signInByCode()).cookie);
    const claims = readToken(real);
    for (const lie of [
      { sub: other['sub'] },
      { sid: other['sid'] },
      { sub: 'x'.repeat(128) },
      { sub: "' or 1=1 --" },
    ]) {
      const outcome = await outcomeOf(() => site.service.getSessionUser(forge(plain, { ...claims, ...lie })));
      expect([lie, outcome]).toEqual([lie, expect.stringMatching(/^(token_invalid|user_not_found)$/)]);
      const cookie = `svc_session=${forge(plain, { ...claims, ...lie })}`;
      expect((await site.get('/session', { cookie })).status).toBe(401);
    }
  });

  it('A-66 for another issuer or audience, or for none, is taken nowhere once they are set', async () => {
    const [issuer, audience] = ['https://acme.test', 'acme'];
    site = await open({ service: { session: { issuer, audience }, clock: testClock(Date.now()) } });
    const { cookie } = await site.signInByCode();
    const claims = readToken(cookie);
    expect(claims).toMatchObject({ iss: issuer, aud: audience });
    const standalone = (token: string) =>
      outcomeOf(() => verifyToken(token, testSecret, { issuer, audience }));
    for (const lie of [
      {},
      { iss: 'https://evil.test' },
      { aud: 'evil' },
      { iss: undefined },
      { aud: undefined },
      { aud: [] },
      { iss: [issuer] },
    ]) {
      const token = forge(plain, { ...claims, ...lie });
      const { status } = await site.get('/session', { cookie: `svc_session=${token}` });
      const isTrue = Object.keys(lie).length === 0;
      expect([lie, status, await standalone(token)]).toEqual([
        lie,
        isTrue ? 200 : 401,
        isTrue ? 'ok' : 'token_invalid',
      ]);
    }
  });

  it('A-66 is not verified by an issuer or audience that is set to nothing, which would check nothing', async () => {
    for (const value of ['', null, 42, [], {}, /./]) {
      for (const name of ['issuer', 'audience']) {
        const outcome = await outcomeOf(() => verifyToken(real, testSecret, { [name]: value }));
        expect([name, value, outcome]).toEqual([name, value, 'invalid_request']);
      }
    }
  });

  it('A-70 cannot be given a claim that the engine sets, by whatever object it is handed in', async () => {
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
        const made = await outcomeOf(() => site.service.createSessionToken(userId, { claims }));
        const issued = await outcomeOf(() => site.service.refresh.issue({ userId, claims }));
        expect([name, disguise.toString(), made, issued]).toEqual([
          name,
          disguise.toString(),
          'invalid_request',
          'invalid_request',
        ]);
      }
    }
  });
});
