// What a session token is when it is made (specification 5.2; docs/security-requirements.md, C-2, C-3, T7).
import jwt from 'jsonwebtoken';
import { sessionKey } from '../../src/crypto/keys.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { makeService, testSecret } from '../support/make-service.js';

const userId = '0190f6a0-0000-7000-8000-000000000001';
const start = 1_800_000_000_123;
const decoded = (token: string) => jwt.decode(token, { complete: true }) as jwt.Jwt;

describe('A session token', () => {
  it('is a JWT signed with HS256 and the configured secret, its sub the user id', async () => {
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
    // Verified by somebody who has the secret and nothing of ours.
    const read = jwt.verify(token, testSecret, { algorithms: ['HS256'], clockTimestamp: start / 1000 });
    expect(read).toMatchObject({ sub: userId });
  });

  it('A-53 lives as long as expiresInSec says', async () => {
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
  it.each([0, -1, 1.5, NaN, Infinity, 1e300, Number.MAX_SAFE_INTEGER, '60', '60000', '7d', {}, true])(
    'C-3 is refused a lifetime of %p',
    async (expiresInSec) => {
      const { service } = await makeService();
      const make = () => service.createSessionToken(userId, { expiresInSec: expiresInSec as number });
      expect(await outcomeOf(make)).toBe('invalid_request');
    },
  );

  it.each([undefined, null, '', 'x'.repeat(129), 1, ['a'], {}])(
    'A-65 is refused for the user id %p',
    async (id) => {
      const { service } = await makeService();
      expect(await outcomeOf(() => service.createSessionToken(id as string))).toBe('invalid_request');
    },
  );

  it('carries custom claims', async () => {
    const { service } = await makeService();
    const { token } = service.createSessionToken(userId, { claims: { role: 'editor', teams: ['a', 'b'] } });
    expect(service.verifyToken(token)).toMatchObject({ sub: userId, role: 'editor', teams: ['a', 'b'] });
  });

  it.each('sub iat exp nbf jti iss aud sid sv use act amr ims epoch'.split(' '))(
    'T7 A-70 is refused the reserved claim %s',
    async (claim) => {
      const { service } = await makeService();
      const error = await errorOf(() => service.createSessionToken(userId, { claims: { [claim]: 'x' } }));
      expect(error).toMatchObject({ code: 'invalid_request' });
      // The message says which, so that the developer finds it.
      expect(error.message).toContain(claim);
    },
  );

  it('T7 A-70 is refused a reserved claim that only its JSON has', async () => {
    const { service } = await makeService();
    const claims = { toJSON: () => ({ amr: ['mfa'] }) };
    expect(await outcomeOf(() => service.createSessionToken(userId, { claims }))).toBe('invalid_request');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('A-82 is refused the claim %s', async (claim) => {
    const { service } = await makeService();
    const claims = JSON.parse(`{"${claim}":{"sub":"x"}}`) as Record<string, unknown>;
    expect(await outcomeOf(() => service.createSessionToken(userId, { claims }))).toBe('invalid_request');
  });

  it.each([null, 'text', 1, ['a'], true])('is refused claims of the form %p', async (claims) => {
    const { service } = await makeService();
    const make = () => service.createSessionToken(userId, { claims: claims as never });
    expect(await outcomeOf(make)).toBe('invalid_request');
  });

  it('is refused claims that JSON does not know', async () => {
    const { service } = await makeService();
    expect(await outcomeOf(() => service.createSessionToken(userId, { claims: { n: 1n } }))).toBe(
      'invalid_request',
    );
  });

  it('A-57 fits into a cookie: 5 KB of claims are refused, 2 KB are not', async () => {
    const { service } = await makeService();
    const make = (bytes: number) =>
      service.createSessionToken(userId, { claims: { data: 'x'.repeat(bytes) } });
    expect(await outcomeOf(() => make(5 * 1024))).toBe('invalid_request');
    const longestName = 'n'.repeat(64);
    expect(`${longestName}=${make(2 * 1024).token}`.length).toBeLessThanOrEqual(4096);
    // The largest that is made still fits.
    let largest = 2 * 1024;
    while ((await outcomeOf(() => make(largest + 1))) === 'ok') largest += 1;
    expect(`svc_session=${make(largest).token}`.length).toBeLessThanOrEqual(4096);
  });

  it('A-66 names issuer and audience where they are configured', async () => {
    const { service } = await makeService({ session: { issuer: 'acme', audience: 'app' } });
    const { token } = service.createSessionToken(userId);
    expect(service.verifyToken(token)).toMatchObject({ iss: 'acme', aud: 'app' });
  });

  it('A-69 is signed with the new secret after a rotation; the old ones still verify', async () => {
    const fresh = 'the secret after the rotation, 32 bytes or more';
    const before = await makeService();
    const after = await makeService({ session: { secret: fresh, previousSecrets: [testSecret] } });
    const old = before.service.createSessionToken(userId).token;
    const made = after.service.createSessionToken(userId).token;
    expect(after.service.verifyToken(old).sub).toBe(userId);
    expect(decoded(made).header.kid).toBe(sessionKey(fresh).kid);
    expect(await outcomeOf(() => before.service.verifyToken(made))).toBe('token_invalid');
    const emergency = await makeService({ session: { secret: fresh } });
    expect(await outcomeOf(() => emergency.service.verifyToken(old))).toBe('token_invalid');
  });
});
