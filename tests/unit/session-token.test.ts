// The content of a new session token (specification 5.2; docs/security-requirements.md,
// C-2, C-3, T7).
import jwt from 'jsonwebtoken';
import { sessionKey } from '../../src/crypto/keys.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { makeService, testSecret } from '../support/make-service.js';

const userId = '0190f6a0-0000-7000-8000-000000000001';
const start = 1_800_000_000_123;
const decoded = (token: string) => jwt.decode(token, { complete: true }) as jwt.Jwt;

describe('createSessionToken()', () => {
  it('a session token is a JWT signed with HS256 and the configured secret, with the user id as sub', async () => {
    const { service, clock } = await makeService();
    clock.set(start);
    const { token, expiresAt } = service.createSessionToken(userId);
    const { header, payload } = decoded(token);
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: sessionKey(testSecret).kid });
    expect(payload).toEqual({
      sub: userId,
      use: 'session',
      iat: 1_800_000_000,
      ims: start,
      exp: 1_800_000_000 + 604_800,
    });
    expect(expiresAt).toEqual(new Date((1_800_000_000 + 604_800) * 1000));
    // Verified with the secret and without this package.
    const claims = jwt.verify(token, testSecret, { algorithms: ['HS256'], clockTimestamp: start / 1000 });
    expect(claims).toMatchObject({ sub: userId });
  });

  //
  it('expiresInSec sets the lifetime of a session token', async () => {
    const { service, clock } = await makeService();
    const { token, expiresAt } = service.createSessionToken(userId, { expiresInSec: 60 });
    const { exp, iat } = service.verifyToken(token);
    expect(exp - iat).toBe(60);
    expect(expiresAt.getTime()).toBe(exp * 1000);
    clock.set(exp * 1000 - 1);
    expect(service.verifyToken(token).sub).toBe(userId);
    clock.set(exp * 1000);
    expect(await outcomeOf(() => service.verifyToken(token))).toBe('token_invalid');
  });

  // C-3: jsonwebtoken would read a text as milliseconds, and 0 as an hour ago.
  // C-3
  it.each([0, -1, 1.5, NaN, Infinity, 1e300, Number.MAX_SAFE_INTEGER, '60', '60000', '7d', {}, true])(
    'createSessionToken() refuses the lifetime %p',
    async (expiresInSec) => {
      const { service } = await makeService();
      const make = () => service.createSessionToken(userId, { expiresInSec: expiresInSec as number });
      expect(await outcomeOf(make)).toBe('invalid_request');
    },
  );

  //
  it.each([undefined, null, '', 'x'.repeat(129), 1, ['a'], {}])(
    'createSessionToken() refuses the user id %p',
    async (id) => {
      const { service } = await makeService();
      expect(await outcomeOf(() => service.createSessionToken(id as string))).toBe('invalid_request');
    },
  );

  it('a session token contains custom claims', async () => {
    const { service } = await makeService();
    const { token } = service.createSessionToken(userId, { claims: { role: 'editor', teams: ['a', 'b'] } });
    expect(service.verifyToken(token)).toMatchObject({ sub: userId, role: 'editor', teams: ['a', 'b'] });
  });

  // T7, A-70
  it.each('sub iat exp nbf jti iss aud sid sv use act amr ims epoch'.split(' '))(
    'createSessionToken() refuses the reserved claim %s',
    async (claim) => {
      const { service } = await makeService();
      const error = await errorOf(() => service.createSessionToken(userId, { claims: { [claim]: 'x' } }));
      expect(error).toMatchObject({ code: 'invalid_request' });
      // The message names the claim for the developer.
      expect(error.message).toContain(claim);
    },
  );

  // T7, A-70
  it('createSessionToken() refuses a reserved claim that toJSON() adds', async () => {
    const { service } = await makeService();
    const claims = { toJSON: () => ({ amr: ['mfa'] }) };
    expect(await outcomeOf(() => service.createSessionToken(userId, { claims }))).toBe('invalid_request');
  });

  //
  it.each(['__proto__', 'constructor', 'prototype'])(
    'createSessionToken() refuses the claim %s',
    async (claim) => {
      const { service } = await makeService();
      const claims = JSON.parse(`{"${claim}":{"sub":"x"}}`) as Record<string, unknown>;
      expect(await outcomeOf(() => service.createSessionToken(userId, { claims }))).toBe('invalid_request');
    },
  );

  it.each([null, 'text', 1, ['a'], true])('createSessionToken() refuses the claims %p', async (claims) => {
    const { service } = await makeService();
    const make = () => service.createSessionToken(userId, { claims: claims as never });
    expect(await outcomeOf(make)).toBe('invalid_request');
  });

  it('createSessionToken() refuses claims that JSON does not support', async () => {
    const { service } = await makeService();
    expect(await outcomeOf(() => service.createSessionToken(userId, { claims: { n: 1n } }))).toBe(
      'invalid_request',
    );
  });

  //
  it('a session token fits into a cookie: 5 KB of claims are refused, 2 KB are accepted', async () => {
    const { service } = await makeService();
    const make = (bytes: number) =>
      service.createSessionToken(userId, { claims: { data: 'x'.repeat(bytes) } });
    expect(await outcomeOf(() => make(5 * 1024))).toBe('invalid_request');
    const longestName = 'n'.repeat(64);
    expect(`${longestName}=${make(2 * 1024).token}`.length).toBeLessThanOrEqual(4096);
    // The largest accepted token still fits.
    let largest = 2 * 1024;
    while ((await outcomeOf(() => make(largest + 1))) === 'ok') largest += 1;
    expect(`svc_session=${make(largest).token}`.length).toBeLessThanOrEqual(4096);
  });

  //
  it('a session token contains the configured issuer and audience', async () => {
    const { service } = await makeService({ session: { issuer: 'acme', audience: 'app' } });
    const { token } = service.createSessionToken(userId);
    expect(service.verifyToken(token)).toMatchObject({ iss: 'acme', aud: 'app' });
  });

  //
  it('after a rotation the new secret signs, and tokens of the earlier secret remain valid', async () => {
    const newSecret = 'the secret after the rotation, 32 bytes or more';
    const before = await makeService();
    const after = await makeService({ session: { secret: newSecret, previousSecrets: [testSecret] } });
    const oldToken = before.service.createSessionToken(userId).token;
    const newToken = after.service.createSessionToken(userId).token;
    expect(after.service.verifyToken(oldToken).sub).toBe(userId);
    expect(decoded(newToken).header.kid).toBe(sessionKey(newSecret).kid);
    expect(await outcomeOf(() => before.service.verifyToken(newToken))).toBe('token_invalid');
    const emergency = await makeService({ session: { secret: newSecret } });
    expect(await outcomeOf(() => emergency.service.verifyToken(oldToken))).toBe('token_invalid');
  });
});
