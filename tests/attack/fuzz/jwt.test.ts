// Session tokens: no change of a good one verifies, and of those with the right key only what the engine would sign.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { verifyToken } from 'svc-auth';
import { createKeyring } from '../../../src/crypto/keys.js';
import { signSessionToken, verifySessionToken, type SessionClaims } from '../../../src/crypto/session-jwt.js';
import { anyJson, anyMutations, anyText, mutate } from './arbitraries.js';
import { holds } from './pass.js';

const secret = 'a secret of these tests, 32 bytes or more';
const keys = createKeyring(secret, ['an older one of these tests, 32 bytes or more']);
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
/** As whoever holds the secret might sign it, whatever it says. */
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

/** The engine's rule, said once more. */
function isAcceptable({ sub, use, iat, exp, nbf }: Record<string, unknown>): boolean {
  const isTime = (value: unknown): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value);
  const isSubject = typeof sub === 'string' && sub !== '' && sub.length <= 128;
  const isNow = isTime(exp) && exp > now && isTime(iat) && iat <= now + 5;
  return use === 'session' && isSubject && isNow && (nbf === undefined || (isTime(nbf) && nbf <= now));
}

describe('A session token', () => {
  holds(
    'does not verify after any change of it',
    () =>
      fc.property(fc.nat(1), anyMutations, (which, changes) => {
        const token = mutate(good[which]!, changes, others);
        expect(accepted(token) !== undefined).toBe(others.includes(token));
      }),
    { runs: 3_000 },
  );

  holds(
    'with the right key verifies with its own header alone',
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

  holds(
    'with the right key verifies with claims that the engine could have signed',
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
          const said = JSON.parse(text) as Record<string, unknown>;
          const read = accepted(token);
          if (token.length > 8192) return expect(read).toBeUndefined();
          expect(read !== undefined).toBe(isAcceptable(said));
          if (read) expect(read).toEqual(said);
        },
      ),
    { runs: 800 },
  );

  holds('that names a claim twice says what its last one says', () =>
    fc.property(fc.constantFrom('sub', 'use', 'exp', 'iat'), odd, (name, value) => {
      const text = JSON.stringify(claims);
      const twice = `${text.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}}`;
      const read = accepted(signed(JSON.stringify(header), twice));
      expect(read !== undefined).toBe(isAcceptable(JSON.parse(twice) as Record<string, unknown>));
    }),
  );

  holds('with the right key does not verify where its parts are no JSON objects', () =>
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

  holds('by any other hash does not verify', () =>
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

  holds('is judged alike by the service and by whoever has the secret alone', () =>
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
