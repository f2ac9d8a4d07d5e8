// The memory of verified tokens spares signatures, and nothing else: revocation, keys and times are
// checked on every use (docs/performance.md; docs/security-requirements.md ).
import jwt from 'jsonwebtoken';
import { memoryAdapter } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { VerifiedTokens } from '../../src/core/sessions/verified-tokens.js';
import type { SessionClaims } from '../../src/crypto/session-jwt.js';
import { internals } from '../../src/core/internals.js';
import { makeService, testSecret } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';

const userId = '0190f6a0-0000-7000-8000-000000000001';
const now = 1_800_000_000;
const claimsOf = (sub: string): SessionClaims => ({ sub, use: 'session', iat: now, exp: now + 60 });

async function signedIn() {
  const test = await makeService();
  const { session } = await test.service.emailPassword.signup(
    { email: 'ada@example.test', password: 'correct horse battery staple' },
    { startSession: true },
  );
  return { ...test, token: session!.token };
}

describe('a service that has verified a token', () => {
  it('returns the claims of the same token without verifying it again', async () => {
    const { service } = await makeService();
    const { token } = service.createSessionToken(userId);
    expect(service.verifyToken(token)).toBe(service.verifyToken(token));
    const other = service.createSessionToken(userId, { claims: { role: 'admin' } }).token;
    expect(service.verifyToken(other)).toMatchObject({ role: 'admin' });
  });

  it('verifies a long token on every use, so that the memory has a bound in bytes', async () => {
    const { service } = await makeService();
    const { token } = service.createSessionToken(userId, { claims: { note: 'x'.repeat(1_000) } });
    const claims = service.verifyToken(token);
    expect(service.verifyToken(token)).toEqual(claims);
    expect(service.verifyToken(token)).not.toBe(claims);
    expect(Object.isFrozen(claims)).toBe(true);
  });

  it('refuses the same token with another signature, payload or header', async () => {
    const { service } = await makeService();
    const { token } = service.createSessionToken(userId);
    service.verifyToken(token);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const admin = Buffer.from(JSON.stringify({ ...claimsOf('admin') })).toString('base64url');
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const forged of [
      `${header}.${payload}.${'A'.repeat(signature.length)}`,
      `${header}.${admin}.${signature}`,
      `${unsigned}.${payload}.${signature}`,
      `${unsigned}.${payload}.`,
      `${token} `,
      token.slice(0, -1),
    ]) {
      expect(await outcomeOf(() => service.verifyToken(forged))).toBe('token_invalid');
    }
  });

  it('refuses the token of a session that was revoked since', async () => {
    const { service, token } = await signedIn();
    expect((await service.getSessionUser(token)).email).toBe('ada@example.test');
    await service[internals].sessions.endSession(token);
    expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
  });

  it('refuses the token of a user whose sessions were all revoked since', async () => {
    const { service, adapter, clock, token } = await signedIn();
    const { id } = await service.getSessionUser(token);
    await adapter.sessions.revokeAll(id, new Date(clock.now()));
    expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
  });

  it('shares nothing with a service whose secret was rotated', async () => {
    const adapter = memoryAdapter();
    const { service } = await makeService({ adapter });
    const { token } = service.createSessionToken(userId);
    expect(service.verifyToken(token).sub).toBe(userId);
    const secret = 'another secret of the tests, 32 bytes or more';
    const rotated = await makeService({ adapter, session: { secret, previousSecrets: [testSecret] } });
    expect(rotated.service.verifyToken(token).sub).toBe(userId);
    const rotatedOut = await makeService({ adapter, session: { secret } });
    expect(await outcomeOf(() => rotatedOut.service.verifyToken(token))).toBe('token_invalid');
  });

  it('compares the expiry with the clock on every use', async () => {
    const { service, clock } = await makeService();
    const { token } = service.createSessionToken(userId, { expiresInSec: 60 });
    const { exp } = service.verifyToken(token);
    clock.set(exp * 1000 - 1);
    expect(service.verifyToken(token).sub).toBe(userId);
    clock.set(exp * 1000);
    expect(await outcomeOf(() => service.verifyToken(token))).toBe('token_invalid');
  });

  it('compares nbf and iat with the clock on every use', async () => {
    for (const [times, before] of [
      [{ iat: now - 100, nbf: now }, now - 1],
      [{ iat: now }, now - 6],
    ] as const) {
      const { service } = await makeService({ clock: testClock(now * 1000) });
      const { service: behind } = await makeService({ clock: testClock(before * 1000) });
      const token = jwt.sign({ sub: userId, use: 'session', exp: now + 60, ...times }, testSecret);
      expect(service.verifyToken(token).sub).toBe(userId);
      expect(await outcomeOf(() => behind.verifyToken(token))).toBe('token_invalid');
      const { service: setBack, clock } = await makeService({ clock: testClock(now * 1000) });
      setBack.verifyToken(token);
      clock.set(before * 1000);
      expect(await outcomeOf(() => setBack.verifyToken(token))).toBe('token_invalid');
    }
  });

  it('returns frozen claims, so that a handler cannot change them for the next request', async () => {
    const { service } = await makeService();
    const { token } = service.createSessionToken(userId, { claims: { team: { role: 'member' } } });
    const claims = service.verifyToken(token) as SessionClaims & { team: { role: string } };
    expect(() => (claims.sub = 'admin')).toThrow(TypeError);
    expect(() => (claims.team.role = 'admin')).toThrow(TypeError);
    expect(service.verifyToken(token)).toMatchObject({ sub: userId, team: { role: 'member' } });
  });

  it('verifies an invalid token again on every use', async () => {
    const { service, clock } = await makeService({ clock: testClock(now * 1000) });
    const early = jwt.sign({ ...claimsOf(userId), nbf: now + 10 }, testSecret);
    expect(await outcomeOf(() => service.verifyToken(early))).toBe('token_invalid');
    clock.set((now + 10) * 1000);
    expect(service.verifyToken(early).sub).toBe(userId);
  });
});

describe('VerifiedTokens', () => {
  it('remembers 10,000 tokens, and forgets the oldest for each one more', () => {
    const tokens = new VerifiedTokens();
    for (let i = 0; i < 10_003; i += 1) tokens.remember(`token ${i}`, claimsOf(String(i)));
    const remembered = (i: number) => tokens.find(`token ${i}`, now)?.sub;
    expect([0, 1, 2].map(remembered)).toEqual([undefined, undefined, undefined]);
    expect([3, 5_000, 10_002].map(remembered)).toEqual(['3', '5000', '10002']);
  });

  it('forgets a token that has expired', () => {
    const tokens = new VerifiedTokens();
    tokens.remember('token', claimsOf(userId));
    expect(tokens.find('token', now + 60)).toBeNull();
    expect(tokens.find('token', now)).toBeNull();
  });
});
