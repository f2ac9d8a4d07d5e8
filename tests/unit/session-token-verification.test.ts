// Which session tokens are valid (docs/security-requirements.md, fact 4, C-1): one
// table for the instance, the standalone function and the function they share, with tokens created
// by jsonwebtoken and by hand.
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
  ['verifySessionToken', (token) => verifySessionToken(token, [sessionKey(secret)], { now })],
];

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/**
 * Creates a token by hand. `header` and `payload` may be any string; the signature is valid for
 * HS256 unless `options` say otherwise.
 */
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
  //
  ['signed by hand with HS256', handMade(hs256, good)],
  ['signed by jsonwebtoken', signed(good)],
  ['without typ in the header', handMade({ alg: 'HS256' }, good)],
  //
  ['with an unknown kid', handMade({ ...hs256, kid: 'unknown' }, good)],
  [
    'with jku, jwk and x5u, which are ignored',
    handMade({ ...hs256, jku: 'https://evil.test', jwk: {}, x5u: 'x' }, good),
  ],
  //
  ['with a subject of 128 characters', withClaims({ sub: 'x'.repeat(128) })],
  ['with custom claims', withClaims({ role: 'admin' })],
];

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const attackersKey = 'a key of the attacker, 32 bytes or more, too';
const parts = signed(good).split('.') as [string, string, string];

const refused: [string, unknown][] = [
  //
  ['unsigned, alg none', `${encode({ alg: 'none', typ: 'JWT' })}.${encode(good)}.`],
  ['unsigned, alg None', `${encode({ alg: 'None' })}.${encode(good)}.`],
  ['alg none with a signature', handMade({ alg: 'none' }, good)],
  ['without alg', handMade({ typ: 'JWT' }, good)],
  ['alg hs256 in lower case', handMade({ alg: 'hs256' }, good)],
  ['signed with HS384', signed(good, { algorithm: 'HS384' })],
  ['signed with HS512', signed(good, { algorithm: 'HS512' })],
  ['HS512 in the header, HS256 in the signature', handMade({ alg: 'HS512' }, good)],
  ['HS256 in the header, HS512 in the signature', handMade(hs256, good, { hash: 'sha512' })],
  ['signed with RS256', jwt.sign(good, privateKey, { algorithm: 'RS256' })],
  ['signed with a public key as the secret', handMade(hs256, good, { key: publicKey })],
  ['signed with another secret', handMade(hs256, good, { key: attackersKey })],
  ['signed with an empty secret', handMade(hs256, good, { key: '' })],
  ['without a signature', `${parts[0]}.${parts[1]}.`],
  ['with half a signature', `${parts[0]}.${parts[1]}.${parts[2].slice(0, 20)}`],
  ['with a signature of another payload', `${parts[0]}.${encode({ ...good, sub: 'other' })}.${parts[2]}`],
  ['with padding', `${parts.join('.')}=`],
  ['with a line break', `${parts.join('.')}\n`],
  ['with a part more', `${parts.join('.')}.x`],
  //
  [
    'signed with the key in its own header',
    handMade({ ...hs256, jwk: { kty: 'oct', k: Buffer.from(attackersKey).toString('base64url') } }, good, {
      key: attackersKey,
    }),
  ],
  ['with an unknown crit', handMade({ ...hs256, crit: ['x'], x: 1 }, good)],
  ['with an empty crit', handMade({ ...hs256, crit: [] }, good)],
  ['with b64', handMade({ ...hs256, b64: true }, good)],
  //
  ['of another typ', handMade({ alg: 'HS256', typ: 'at+jwt' }, good)],
  ['whose typ is not a string', handMade({ alg: 'HS256', typ: 1 }, good)],
  ['a header that is null', handMade('null', good)],
  ['a header that is a list', handMade('["HS256"]', good)],
  ['a header that is a string', handMade('"HS256"', good)],
  ['a header that is not JSON', handMade('{', good)],
  //
  ['without exp', without('exp')],
  ['with exp 1e300', withClaims({ exp: 1e300 })],
  ['with exp as a string', withClaims({ exp: String(now + 600) })],
  ['with a broken exp', withClaims({ exp: now + 600.5 })],
  ['with exp null', withClaims({ exp: null })],
  ['expired ten seconds ago', withClaims({ iat: now - 600, exp: now - 10 })],
  ['with a future nbf', withClaims({ nbf: now + 300 })],
  ['without iat', handMade(hs256, { sub, use: 'session', exp: now + 600 })],
  ['with iat an hour ahead', withClaims({ iat: now + 3600, exp: now + 7200 })],
  ['with iat as a string', withClaims({ iat: String(now) })],
  //
  ['without use', without('use')],
  ['with another use', withClaims({ use: 'refresh' })],
  ['with use in a list', withClaims({ use: ['session'] })],
  ['a state token of next-auth’s kind', signed({ state: 'x', iat: now, exp: now + 600 })],
  //
  ['without sub', without('sub')],
  ['with sub a number', withClaims({ sub: 1 })],
  ['with sub a list', withClaims({ sub: [sub] })],
  ['with sub an object', withClaims({ sub: { id: sub } })],
  ['with sub true', withClaims({ sub: true })],
  ['with sub null', withClaims({ sub: null })],
  ['with an empty sub', withClaims({ sub: '' })],
  ['with a sub of 129 characters', withClaims({ sub: 'x'.repeat(129) })],
  ['a payload that is a string', handMade(hs256, '"text"')],
  ['a payload that is a list', handMade(hs256, [good])],
  ['a payload that is a number', handMade(hs256, '1')],
  ['a payload that is null', handMade(hs256, 'null')],
  ['a payload that is not JSON', handMade({ alg: 'HS256' }, 'text')],
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

describe.each(verifiers)('session token verification with %s', (_name, verify) => {
  it.each(accepted)('the verifier accepts a token %s', (_case, token) => {
    expect(verify(token)).toMatchObject({ use: 'session', exp: now + 600 });
  });

  it.each(refused)('the verifier refuses with token_invalid: %s', async (_case, token) => {
    expect(await outcomeOf(() => verify(token))).toBe('token_invalid');
  });
});

describe('the keys of a verification', () => {
  const previousSecret = 'the secret before it, of 32 bytes or more too';
  const keys = [sessionKey(secret), sessionKey(previousSecret)];

  //
  it('every key of a rotation verifies, with its kid, without a kid and with an unknown one', () => {
    for (const header of [
      hs256,
      { ...hs256, kid: sessionKey(previousSecret).kid },
      { ...hs256, kid: 'x' },
      { ...hs256, kid: 1 },
    ]) {
      expect(verifySessionToken(handMade(header, good, { key: previousSecret }), keys, { now }).sub).toBe(
        sub,
      );
    }
  });

  //
  it('the standalone verifyToken() accepts several secrets', async () => {
    const token = handMade(hs256, good, { key: previousSecret });
    expect(verifyToken(token, [secret, previousSecret]).sub).toBe(sub);
    expect(await outcomeOf(() => verifyToken(token, [secret]))).toBe('token_invalid');
  });

  //
  it('the kid of a token cannot select another key', async () => {
    const token = handMade({ ...hs256, kid: '../../dev/null' }, good, { key: '' });
    expect(await outcomeOf(() => verifySessionToken(token, keys, { now }))).toBe('token_invalid');
  });
});

describe('the time of a verification', () => {
  const verifyAt = (at: number, clockToleranceSec?: number) => () =>
    verifySessionToken(handMade(hs256, good), [sessionKey(secret)], { now: at, clockToleranceSec });

  //
  it('a token is invalid from the second of its exp', async () => {
    expect(await outcomeOf(verifyAt(good.exp - 1))).toBe('ok');
    expect(await outcomeOf(verifyAt(good.exp))).toBe('token_invalid');
  });

  //
  it('the clock tolerance extends a token and no more', async () => {
    expect(await outcomeOf(verifyAt(good.exp + 29, 30))).toBe('ok');
    expect(await outcomeOf(verifyAt(good.exp + 31, 30))).toBe('token_invalid');
  });
});

describe('the standalone verifyToken()', () => {
  const token = () => signed(good);
  const expiredBy = (sec: number) => withClaims({ iat: now - 600, exp: Math.floor(Date.now() / 1000) - sec });

  //
  it('verifyToken() tolerates no clock difference by default, and at most the configured one', async () => {
    expect(await outcomeOf(() => verifyToken(expiredBy(3), secret))).toBe('token_invalid');
    expect(verifyToken(expiredBy(3), secret, { clockToleranceSec: 120 }).sub).toBe(sub);
    expect(await outcomeOf(() => verifyToken(expiredBy(130), secret, { clockToleranceSec: 120 }))).toBe(
      'token_invalid',
    );
  });

  //
  it.each([-1, 301, 0.5, NaN, Infinity, '5', null])(
    'verifyToken() refuses the clock tolerance %p',
    async (clockToleranceSec) => {
      const verify = () => verifyToken(token(), secret, { clockToleranceSec: clockToleranceSec as number });
      expect(await outcomeOf(verify)).toBe('invalid_request');
    },
  );

  //
  it('verifyToken() accepts a clock tolerance of 0 and of 300', () => {
    for (const clockToleranceSec of [0, 300]) {
      expect(verifyToken(token(), secret, { clockToleranceSec }).sub).toBe(sub);
    }
  });

  //
  it.each([
    ['', ''],
    ['spaces', '  '],
    ['none', []],
    ['an empty one among others', [secret, '']],
    ['undefined', undefined],
    ['a number', 1],
  ])('verifyToken() refuses the secret: %s', async (_name, invalidSecret) => {
    // An empty key would verify this token.
    const forged = handMade(hs256, good, { key: '' });
    expect(await outcomeOf(() => verifyToken(forged, invalidSecret as string))).toBe('invalid_request');
  });

  it('verifyToken() refuses a token older than maxAgeSec, regardless of its expiry', async () => {
    const agedToken = withClaims({ iat: now - 1000 });
    expect(verifyToken(agedToken, secret, { maxAgeSec: 3000 }).sub).toBe(sub);
    expect(await outcomeOf(() => verifyToken(agedToken, secret, { maxAgeSec: 500 }))).toBe('token_invalid');
    // The clock tolerance also applies to the age.
    expect(verifyToken(agedToken, secret, { maxAgeSec: 900, clockToleranceSec: 300 }).sub).toBe(sub);
    const short = { maxAgeSec: 500, clockToleranceSec: 300 };
    expect(await outcomeOf(() => verifyToken(agedToken, secret, short))).toBe('token_invalid');
  });

  it.each([NaN, '50', -1])(
    'verifyToken() refuses the maxAgeSec %p, which would check nothing',
    async (maxAgeSec) => {
      const verify = () => verifyToken(token(), secret, { maxAgeSec: maxAgeSec as number });
      expect(await outcomeOf(verify)).not.toBe('ok');
    },
  );

  //
  it('verifyToken() checks issuer and audience if they are given', async () => {
    const tokenWithIssuer = withClaims({ iss: 'acme', aud: 'app' });
    expect(verifyToken(tokenWithIssuer, secret, { issuer: 'acme', audience: 'app' }).sub).toBe(sub);
    expect(await outcomeOf(() => verifyToken(tokenWithIssuer, secret, { issuer: 'other' }))).toBe(
      'token_invalid',
    );
    expect(await outcomeOf(() => verifyToken(tokenWithIssuer, secret, { audience: 'other' }))).toBe(
      'token_invalid',
    );
    expect(await outcomeOf(() => verifyToken(token(), secret, { issuer: 'acme' }))).toBe('token_invalid');
    expect(await outcomeOf(() => verifyToken(token(), secret, { audience: 'app' }))).toBe('token_invalid');
  });

  //
  it('service.verifyToken() checks the configured issuer and audience', async () => {
    const { service: serviceWithIssuer } = watchedService({
      adapter: memoryAdapter(),
      session: { secret, issuer: 'acme', audience: 'app' },
    });
    expect(serviceWithIssuer.verifyToken(withClaims({ iss: 'acme', aud: 'app' })).sub).toBe(sub);
    expect(await outcomeOf(() => serviceWithIssuer.verifyToken(token()))).toBe('token_invalid');
    expect(
      await outcomeOf(() => serviceWithIssuer.verifyToken(withClaims({ iss: 'acme', aud: 'other' }))),
    ).toBe('token_invalid');
  });

  it('svc-auth/token exports the same verifyToken()', async () => {
    const { verifyToken: published } = await import('svc-auth/token');
    expect(published).toBe(verifyToken);
  });
});

describe('tokens of another purpose', () => {
  const keys = createKeyring(secret);

  // T14, A-64
  it.each(['magic_link', 'password_reset', 'oauth_transaction'] as const)(
    'a token for %s is not a session token',
    async (purpose) => {
      const { token } = signToken(keys, purpose, sub, (now + 600) * 1000);
      expect(await outcomeOf(() => service.verifyToken(token))).toBe('token_invalid');
    },
  );

  // T14, A-64
  it.each(['magic_link', 'password_reset', 'one_time_code'] as const)(
    'a JWT signed with the subkey for %s is not a session token',
    async (purpose) => {
      const token = jwt.sign(good, keys.subkeys(purpose)[0]);
      expect(await outcomeOf(() => service.verifyToken(token))).toBe('token_invalid');
    },
  );

  // T14
  it('a session token is neither a magic link nor a reset token', () => {
    const { token } = service.createSessionToken(sub);
    expect(openToken(keys, 'magic_link', token, now * 1000).status).toBe('invalid');
    expect(openToken(keys, 'password_reset', token, now * 1000).status).toBe('invalid');
  });
});

it('verifyToken() accepts null as options', () => {
  expect(verifyToken(signed(good), secret, null).sub).toBe(sub);
});
