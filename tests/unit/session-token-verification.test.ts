// Which session tokens hold (docs/security-requirements.md, fact 4, C-1): one table for the instance, the standalone function
// and the wrapper they share, against tokens made by jsonwebtoken and by hand.
import { createHmac, generateKeyPairSync } from 'node:crypto';
import jwt, { type SignOptions } from 'jsonwebtoken';
import { memoryAdapter, verifyToken } from 'svc-auth';
import { createKeyring, sessionKey } from '../../src/crypto/keys.js';
import { verifySessionToken } from '../../src/crypto/session-jwt.js';
import { signToken, openToken } from '../../src/crypto/signed-token.js';
import { watchedService } from '../support/leak-hooks.js';
import { outcomeOf } from '../support/outcomes.js';

const secret = 'the secret that signs, of 32 bytes or more';
const sub = '0190f6a0-0000-7000-8000-000000000001';
const now = Math.floor(Date.now() / 1000);
const good = { sub, use: 'session', iat: now, exp: now + 600 };
const { service } = watchedService({ adapter: memoryAdapter(), session: { secret } });

const verifiers: [string, (token: unknown) => { sub: string }][] = [
  ['service.verifyToken', (token) => service.verifyToken(token as string)],
  ['the standalone verifyToken', (token) => verifyToken(token as string, secret)],
  ['the wrapper', (token) => verifySessionToken(token, [sessionKey(secret)], { now })],
];

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token by hand: `header` and `payload` may be any text, the signature is right for HS256 unless told. */
function handMade(header: unknown, payload: unknown, options: { key?: string; hash?: string } = {}): string {
  const { key = secret, hash = 'sha256' } = options;
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${createHmac(hash, key).update(input).digest('base64url')}`;
}

const hs256 = { alg: 'HS256', typ: 'JWT' };
const withClaims = (claims: object) => handMade(hs256, { ...good, ...claims });
const without = (claim: string) =>
  handMade(hs256, Object.fromEntries(Object.entries(good).filter(([name]) => name !== claim)));
const signed = (claims: object | string, options: SignOptions = {}) => jwt.sign(claims, secret, options);

const accepted: [string, string][] = [
  ['A-61 signed by hand with HS256', handMade(hs256, good)],
  ['A-61 signed by jsonwebtoken', signed(good)],
  ['A-61 without typ in the header', handMade({ alg: 'HS256' }, good)],
  ['A-62 with a kid that names no key of ours', handMade({ ...hs256, kid: 'unknown' }, good)],
  [
    'A-62 with jku, jwk and x5u, which are ignored',
    handMade({ ...hs256, jku: 'https://evil.test', jwk: {}, x5u: 'x' }, good),
  ],
  ['A-65 with a subject of 128 characters', withClaims({ sub: 'x'.repeat(128) })],
  ['with claims of its own', withClaims({ role: 'admin' })],
];

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const attackersKey = 'a key of the attacker, 32 bytes or more, too';
const parts = signed(good).split('.') as [string, string, string];

const refused: [string, unknown][] = [
  ['A-61 unsigned, alg none', `${encode({ alg: 'none', typ: 'JWT' })}.${encode(good)}.`],
  ['A-61 unsigned, alg None', `${encode({ alg: 'None' })}.${encode(good)}.`],
  ['A-61 alg none with a signature', handMade({ alg: 'none' }, good)],
  ['A-61 without alg', handMade({ typ: 'JWT' }, good)],
  ['A-61 alg hs256 in lower case', handMade({ alg: 'hs256' }, good)],
  ['A-61 signed with HS384', signed(good, { algorithm: 'HS384' })],
  ['A-61 signed with HS512', signed(good, { algorithm: 'HS512' })],
  ['A-61 HS512 in the header, HS256 in the signature', handMade({ alg: 'HS512' }, good)],
  ['A-61 HS256 in the header, HS512 in the signature', handMade(hs256, good, { hash: 'sha512' })],
  ['A-61 signed with RS256', jwt.sign(good, privateKey, { algorithm: 'RS256' })],
  ['A-61 signed with a public key as the secret', handMade(hs256, good, { key: publicKey })],
  ['A-61 signed with another secret', handMade(hs256, good, { key: attackersKey })],
  ['A-61 signed with an empty secret', handMade(hs256, good, { key: '' })],
  ['A-61 without a signature', `${parts[0]}.${parts[1]}.`],
  ['A-61 with half a signature', `${parts[0]}.${parts[1]}.${parts[2].slice(0, 20)}`],
  [
    'A-61 with a signature for something else',
    `${parts[0]}.${encode({ ...good, sub: 'other' })}.${parts[2]}`,
  ],
  ['A-61 with padding', `${parts.join('.')}=`],
  ['A-61 with a line break', `${parts.join('.')}\n`],
  ['A-61 with a part more', `${parts.join('.')}.x`],
  [
    'A-62 signed with the key that its own header brings',
    handMade({ ...hs256, jwk: { kty: 'oct', k: Buffer.from(attackersKey).toString('base64url') } }, good, {
      key: attackersKey,
    }),
  ],
  ['A-62 with an unknown crit', handMade({ ...hs256, crit: ['x'], x: 1 }, good)],
  ['A-62 with an empty crit', handMade({ ...hs256, crit: [] }, good)],
  ['A-62 with b64', handMade({ ...hs256, b64: true }, good)],
  ['A-64 of another type', handMade({ alg: 'HS256', typ: 'at+jwt' }, good)],
  ['A-64 whose typ is no text', handMade({ alg: 'HS256', typ: 1 }, good)],
  ['a header that is null', handMade('null', good)],
  ['a header that is a list', handMade('["HS256"]', good)],
  ['a header that is a text', handMade('"HS256"', good)],
  ['a header that is no JSON', handMade('{', good)],
  ['A-63 without exp', without('exp')],
  ['A-63 with exp 1e300', withClaims({ exp: 1e300 })],
  ['A-63 with exp as a text', withClaims({ exp: String(now + 600) })],
  ['A-63 with a broken exp', withClaims({ exp: now + 600.5 })],
  ['A-63 with exp null', withClaims({ exp: null })],
  ['A-63 expired ten seconds ago', withClaims({ iat: now - 600, exp: now - 10 })],
  ['A-63 with a future nbf', withClaims({ nbf: now + 300 })],
  ['A-63 without iat', handMade(hs256, { sub, use: 'session', exp: now + 600 })],
  ['A-63 with iat an hour ahead', withClaims({ iat: now + 3600, exp: now + 7200 })],
  ['A-63 with iat as a text', withClaims({ iat: String(now) })],
  ['A-64 without use', without('use')],
  ['A-64 with another use', withClaims({ use: 'refresh' })],
  ['A-64 with use in a list', withClaims({ use: ['session'] })],
  ['A-64 a state token of next-auth’s kind', signed({ state: 'x', iat: now, exp: now + 600 })],
  ['A-65 without sub', without('sub')],
  ['A-65 with sub a number', withClaims({ sub: 1 })],
  ['A-65 with sub a list', withClaims({ sub: [sub] })],
  ['A-65 with sub an object', withClaims({ sub: { id: sub } })],
  ['A-65 with sub true', withClaims({ sub: true })],
  ['A-65 with sub null', withClaims({ sub: null })],
  ['A-65 with an empty sub', withClaims({ sub: '' })],
  ['A-65 with a sub of 129 characters', withClaims({ sub: 'x'.repeat(129) })],
  ['a payload that is a text', handMade(hs256, '"text"')],
  ['a payload that is a list', handMade(hs256, [good])],
  ['a payload that is a number', handMade(hs256, '1')],
  ['a payload that is null', handMade(hs256, 'null')],
  ['a payload that is no JSON', handMade({ alg: 'HS256' }, 'text')],
  ['an empty payload', handMade(hs256, '')],
  ['over 8 KB', withClaims({ data: 'x'.repeat(8192) })],
  ['nothing', ''],
  ['two dots', '..'],
  ['one part', 'abc'],
  ['a megabyte of dots', '.'.repeat(1_000_000)],
  ['undefined', undefined],
  ['null', null],
  ['a number', 1],
  ['an object', { token: 'x' }],
  ['a list with a good token', [signed(good)]],
  ['a Buffer', Buffer.from(signed(good))],
];

describe.each(verifiers)('%s', (_name, verify) => {
  it.each(accepted)('accepts a token %s', (_case, token) => {
    expect(verify(token)).toMatchObject({ use: 'session', exp: now + 600 });
  });

  it.each(refused)('refuses with token_invalid %s', async (_case, token) => {
    expect(await outcomeOf(() => verify(token))).toBe('token_invalid');
  });
});

describe('The keys', () => {
  const old = 'the secret before it, of 32 bytes or more too';
  const keys = [sessionKey(secret), sessionKey(old)];

  it('A-69 of a rotation all verify, with a kid, without one and with one of nobody', () => {
    for (const header of [
      hs256,
      { ...hs256, kid: sessionKey(old).kid },
      { ...hs256, kid: 'x' },
      { ...hs256, kid: 1 },
    ]) {
      expect(verifySessionToken(handMade(header, good, { key: old }), keys, { now }).sub).toBe(sub);
    }
  });

  it('A-69 are several for the standalone function, too', async () => {
    const token = handMade(hs256, good, { key: old });
    expect(verifyToken(token, [secret, old]).sub).toBe(sub);
    expect(await outcomeOf(() => verifyToken(token, [secret]))).toBe('token_invalid');
  });

  it('A-62 cannot be chosen by a kid from outside', async () => {
    const token = handMade({ ...hs256, kid: '../../dev/null' }, good, { key: '' });
    expect(await outcomeOf(() => verifySessionToken(token, keys, { now }))).toBe('token_invalid');
  });
});

describe('Time', () => {
  const verifyAt = (at: number, clockToleranceSec?: number) => () =>
    verifySessionToken(handMade(hs256, good), [sessionKey(secret)], { now: at, clockToleranceSec });

  it('A-63 ends a token at the second of its exp', async () => {
    expect(await outcomeOf(verifyAt(good.exp - 1))).toBe('ok');
    expect(await outcomeOf(verifyAt(good.exp))).toBe('token_invalid');
  });

  it('A-63 is stretched by the tolerance and not beyond', async () => {
    expect(await outcomeOf(verifyAt(good.exp + 29, 30))).toBe('ok');
    expect(await outcomeOf(verifyAt(good.exp + 31, 30))).toBe('token_invalid');
  });
});

describe('The standalone verifyToken', () => {
  const token = () => signed(good);
  const expiredBy = (sec: number) => withClaims({ iat: now - 600, exp: Math.floor(Date.now() / 1000) - sec });

  it('A-63 tolerates nothing by default and at most what it is told', async () => {
    expect(await outcomeOf(() => verifyToken(expiredBy(3), secret))).toBe('token_invalid');
    expect(verifyToken(expiredBy(3), secret, { clockToleranceSec: 120 }).sub).toBe(sub);
    expect(await outcomeOf(() => verifyToken(expiredBy(130), secret, { clockToleranceSec: 120 }))).toBe(
      'token_invalid',
    );
  });

  it.each([-1, 301, 0.5, NaN, Infinity, '5', null])(
    'A-63 takes no tolerance of %p',
    async (clockToleranceSec) => {
      const verify = () => verifyToken(token(), secret, { clockToleranceSec: clockToleranceSec as number });
      expect(await outcomeOf(verify)).toBe('invalid_request');
    },
  );

  it('A-63 takes a tolerance of 0 and of 300', () => {
    for (const clockToleranceSec of [0, 300]) {
      expect(verifyToken(token(), secret, { clockToleranceSec }).sub).toBe(sub);
    }
  });

  it.each([
    ['', ''],
    ['spaces', '  '],
    ['none', []],
    ['an empty one among others', [secret, '']],
    ['undefined', undefined],
    ['a number', 1],
  ])('A-67 A-69 takes no secret that is %s', async (_name, bad) => {
    // A token that an empty key would verify.
    const forged = handMade(hs256, good, { key: '' });
    expect(await outcomeOf(() => verifyToken(forged, bad as string))).toBe('invalid_request');
  });

  it('refuses what is older than maxAgeSec, whatever its expiry', async () => {
    const old = withClaims({ iat: now - 100 });
    expect(verifyToken(old, secret, { maxAgeSec: 300 }).sub).toBe(sub);
    expect(await outcomeOf(() => verifyToken(old, secret, { maxAgeSec: 50 }))).toBe('token_invalid');
    // Clocks that differ differ for its age as well.
    expect(verifyToken(old, secret, { maxAgeSec: 50, clockToleranceSec: 60 }).sub).toBe(sub);
    const short = { maxAgeSec: 50, clockToleranceSec: 40 };
    expect(await outcomeOf(() => verifyToken(old, secret, short))).toBe('token_invalid');
  });

  it.each([NaN, '50', -1])('takes no maxAgeSec of %p, which would check nothing', async (maxAgeSec) => {
    const verify = () => verifyToken(token(), secret, { maxAgeSec: maxAgeSec as number });
    expect(await outcomeOf(verify)).not.toBe('ok');
  });

  it('A-66 enforces issuer and audience where they are given', async () => {
    const named = withClaims({ iss: 'acme', aud: 'app' });
    expect(verifyToken(named, secret, { issuer: 'acme', audience: 'app' }).sub).toBe(sub);
    expect(await outcomeOf(() => verifyToken(named, secret, { issuer: 'other' }))).toBe('token_invalid');
    expect(await outcomeOf(() => verifyToken(named, secret, { audience: 'other' }))).toBe('token_invalid');
    expect(await outcomeOf(() => verifyToken(token(), secret, { issuer: 'acme' }))).toBe('token_invalid');
    expect(await outcomeOf(() => verifyToken(token(), secret, { audience: 'app' }))).toBe('token_invalid');
  });

  it('A-66 is as strict on the instance', async () => {
    const { service: named } = watchedService({
      adapter: memoryAdapter(),
      session: { secret, issuer: 'acme', audience: 'app' },
    });
    expect(named.verifyToken(withClaims({ iss: 'acme', aud: 'app' })).sub).toBe(sub);
    expect(await outcomeOf(() => named.verifyToken(token()))).toBe('token_invalid');
    expect(await outcomeOf(() => named.verifyToken(withClaims({ iss: 'acme', aud: 'other' })))).toBe(
      'token_invalid',
    );
  });

  it('is the same function under svc-auth/token', async () => {
    const { verifyToken: published } = await import('svc-auth/token');
    expect(published).toBe(verifyToken);
  });
});

describe('A token of another kind', () => {
  const keys = createKeyring(secret);

  it.each(['magic_link', 'password_reset', 'oauth_transaction'] as const)(
    'T14 A-64 made for %s is no session token',
    async (purpose) => {
      const { token } = signToken(keys, purpose, sub, (now + 600) * 1000);
      expect(await outcomeOf(() => service.verifyToken(token))).toBe('token_invalid');
    },
  );

  it.each(['magic_link', 'password_reset', 'one_time_code'] as const)(
    'T14 A-64 signed as a JWT with the subkey for %s is no session token',
    async (purpose) => {
      const token = jwt.sign(good, keys.subkeys(purpose)[0]);
      expect(await outcomeOf(() => service.verifyToken(token))).toBe('token_invalid');
    },
  );

  it('T14 a session token is no link and no reset token', () => {
    const { token } = service.createSessionToken(sub);
    expect(openToken(keys, 'magic_link', token, now * 1000).status).toBe('invalid');
    expect(openToken(keys, 'password_reset', token, now * 1000).status).toBe('invalid');
  });
});

it('verifyToken takes null for no options', () => {
  expect(verifyToken(signed(good), secret, null).sub).toBe(sub);
});
