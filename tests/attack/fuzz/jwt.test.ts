// Session tokens: no mutation of a valid one verifies, and with the right key only claims that the engine would sign.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { verifyToken } from 'svc-auth';
import { createKeyring } from '../../../src/crypto/keys.js';
import { signSessionToken, verifySessionToken, type SessionClaims } from '../../../src/crypto/session-jwt.js';
import { anyJson, anyMutations, anyText, mutate } from './arbitraries.js';
import { itHolds } from './pass.js';

const secret = 'a secret of these tests, 32 bytes or more';
const keys = createKeyring(secret, ['an older secret of these tests, 32 bytes or more']);
const now = 1_700_000_000;
const claims: SessionClaims = { sub: 'ada', use: 'session', iat: now, exp: now + 60, sid: 'x', epoch: 0 };
const good = keys.sessionKeys.map((key) => signSessionToken(claims, key));
const others = [...good, signSessionToken({ ...claims, sub: 'eve' }, keys.sessionKeys[0])];

function accepted(token: unknown): SessionClaims | undefined {
  try {
    return verifySessionToken(token, keys.sessionKeys, { now });
  } catch (error) {
    expect(error).toMatchObject({ code: 'token_invalid' });
    return undefined;
  }
}

const encode = (text: string) => Buffer.from(text).toString('base64url');
/** Signs any header and payload with the secret, as another holder of it could. */
function signed(header: string, payload: string, hash = 'sha256'): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}

const header = { alg: 'HS256', typ: 'JWT', kid: keys.sessionKeys[0].kid };
const odd = fc.oneof(
  anyJson,
  fc.constantFrom<unknown>(0, -1, 1.5, 1e20, now + 1, now + 61, String(now), 'session', [], {}, true, null),
);
const change = (names: string[]) => fc.tuple(fc.oneof(fc.constantFrom(...names), anyText), odd);

/** The rule of the engine, restated. */
function isAcceptable({ sub, use, iat, exp, nbf }: Record<string, unknown>): boolean {
  const isTime = (value: unknown): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value);
  const isSubject = typeof sub === 'string' && sub !== '' && sub.length <= 128;
  const isNow = isTime(exp) && exp > now && isTime(iat) && iat <= now + 5;
  return use === 'session' && isSubject && isNow && (nbf === undefined || (isTime(nbf) && nbf <= now));
}

describe('Session token', () => {
  itHolds(
    'rejects a session token after any mutation',
    () =>
      fc.property(fc.nat(1), anyMutations, (which, changes) => {
        const token = mutate(good[which]!, changes, others);
        expect(accepted(token) !== undefined).toBe(others.includes(token));
      }),
    { runs: 3_000 },
  );

  itHolds(
    'accepts a token signed with the right key only with the expected header',
    () =>
      fc.property(
        change(['alg', 'typ', 'kid', 'crit', 'b64', 'jwk', 'jku', 'x5c', 'zip', 'cty']),
        ([name, value]) => {
          const changed: Record<string, unknown> = Object.fromEntries([
            ...Object.entries(header),
            [name, value],
          ]);
          const { alg, typ } = JSON.parse(JSON.stringify(changed)) as typeof changed;
          const isOurs =
            alg === 'HS256' && (typ === undefined || typ === 'JWT') && name !== 'crit' && name !== 'b64';
          const token = signed(JSON.stringify(changed), JSON.stringify(claims));
          expect(accepted(token) !== undefined).toBe(isOurs && token.length <= 8192);
        },
      ),
    { runs: 500 },
  );

  itHolds(
    'accepts a token signed with the right key only with claims that the engine could sign',
    () =>
      fc.property(
        fc.array(change(['sub', 'use', 'iat', 'exp', 'nbf', 'aud', 'iss', 'act']), { maxLength: 3 }),
        (changes) => {
          const changed = Object.fromEntries([...Object.entries(claims), ...changes]) as Record<
            string,
            unknown
          >;
          const text = JSON.stringify(changed);
          const token = signed(JSON.stringify(header), text);
          const parsed = JSON.parse(text) as Record<string, unknown>;
          const read = accepted(token);
          if (token.length > 8192) return expect(read).toBeUndefined();
          expect(read !== undefined).toBe(isAcceptable(parsed));
          if (read) expect(read).toEqual(parsed);
        },
      ),
    { runs: 800 },
  );

  itHolds('uses the last value of a claim that a token contains twice', () =>
    fc.property(fc.constantFrom('sub', 'use', 'exp', 'iat'), odd, (name, value) => {
      const text = JSON.stringify(claims);
      const twice = `${text.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}}`;
      const read = accepted(signed(JSON.stringify(header), twice));
      expect(read !== undefined).toBe(isAcceptable(JSON.parse(twice) as Record<string, unknown>));
    }),
  );

  itHolds('rejects a token signed with the right key if a part is not a JSON object', () =>
    fc.property(
      fc.oneof(
        anyText,
        anyJson.map((value) => JSON.stringify([value])),
      ),
      fc.boolean(),
      (junk, isHeader) => {
        const parts = isHeader
          ? ([junk, JSON.stringify(claims)] as const)
          : ([JSON.stringify(header), junk] as const);
        expect(accepted(signed(...parts))).toBeUndefined();
      },
    ),
  );

  itHolds('rejects a token signed with another hash', () =>
    fc.property(
      fc.constantFrom('sha1', 'sha384', 'sha512', 'md5'),
      fc.constantFrom('HS256', 'HS384', 'HS512', 'none', 'None'),
      (hash, alg) => {
        expect(
          accepted(signed(JSON.stringify({ ...header, alg }), JSON.stringify(claims), hash)),
        ).toBeUndefined();
      },
    ),
  );

  itHolds('verifies a token alike with the standalone function and the key ring', () =>
    fc.property(anyMutations, (changes) => {
      const real = Math.floor(Date.now() / 1000);
      const fresh = signSessionToken({ ...claims, iat: real, exp: real + 600 }, keys.sessionKeys[0]);
      const token = mutate(fresh, changes, others);
      const verified = () => verifyToken(token, secret);
      if (token === fresh) expect(verified()).toMatchObject({ sub: 'ada' });
      else expect(verified).toThrow(expect.objectContaining({ code: 'token_invalid' }) as Error);
    }),
  );
});
