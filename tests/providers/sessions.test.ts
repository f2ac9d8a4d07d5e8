// Sessions on the instance (specification 4.2, 5; docs/security-requirements.md T3, A-47 to A-54,
// C-2, C-3, C-5).
import { testClock } from 'svc-auth/testing';
import { internals } from '../../src/core/internals.js';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import type { Overrides, TestService } from '../support/make-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { withoutFastPaths } from '../support/without-fast-paths.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const nobody = '0190f6a0-0000-7000-8000-000000000001';

describeAdapters('Sessions', ({ make: makeAnytime, uniqueEmail, adapter, sql }) => {
  /** At a whole second, so that a token in seconds ends with its row to the millisecond. */
  async function make(overrides: Overrides = {}) {
    return makeAnytime({ clock: testClock(Math.ceil(Date.now() / 1000) * 1000), ...overrides });
  }

  /** Signs in and starts a session, as the routes do. */
  async function signIn(
    { service, mail }: TestService,
    context: { sessionToken?: string } = {},
    email = uniqueEmail(),
  ) {
    await service.emailCode.sendCode({ email });
    const input = { email, code: mail.lastCode(email)! };
    const { user, session } = await service.emailCode.verify(input, {
      ip: '192.0.2.9',
      userAgent: 'Test/1',
      startSession: true,
      ...context,
    });
    return { email, user, token: session!.token, session: session!.session };
  }
  const user = ({ service }: TestService, token: unknown) =>
    outcomeOf(() => service.getSessionUser(token as string));
  const sessions = ({ service }: TestService) => service[internals].sessions;

  describe('a session of a sign-in', () => {
    //
    it('a session has a token with sub, sid, epoch, iat, exp and use, for 7 days', async () => {
      const test = await make();
      const { user: owner, token, session } = await signIn(test);
      const iat = Math.floor(test.clock.now() / 1000);
      expect(test.service.verifyToken(token)).toEqual({
        sub: owner.id,
        sid: session.id,
        epoch: 0,
        iat,
        exp: iat + 604_800,
        use: 'session',
      });
    });

    it('a session has a row with the device, for 7 days', async () => {
      const test = await make();
      const { user: owner, session } = await signIn(test);
      const now = new Date(test.clock.now());
      expect(session).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        userId: owner.id,
        device: { ip: '192.0.2.9', userAgent: 'Test/1' },
        createdAt: now,
        lastSeenAt: now,
        expiresAt: new Date(now.getTime() + 7 * day),
        revokedAt: null,
        boundAt: null,
      });
      expect(await adapter().sessions.listLive(owner.id, now)).toEqual([session]);
    });

    it('a session is started only with startSession', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.emailCode.sendCode({ email });
      const result = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(result).not.toHaveProperty('session');
      expect(await adapter().sessions.listLive(result.user.id, new Date(test.clock.now()))).toEqual([]);
    });

    it('returns its user without internal fields', async () => {
      const test = await make();
      const { user: owner, token } = await signIn(test);
      const sessionUser = await test.service.getSessionUser(token);
      expect(sessionUser).toEqual(owner);
      expect(Object.keys(sessionUser).sort()).toEqual(
        'createdAt email emailVerified id metadata updatedAt'.split(' '),
      );
      expect(sessionUser.createdAt).toBeInstanceOf(Date);
    });

    //
    it('a session is new at each sign-in, and replaces the session of the request', async () => {
      const test = await make();
      const first = await signIn(test);
      const second = await signIn(test, { sessionToken: first.token }, first.email);
      expect(second.session.id).not.toBe(first.session.id);
      expect(await user(test, first.token)).toBe('token_invalid');
      expect(await user(test, second.token)).toBe('ok');
    });

    //
    it('does not affect the sessions of other devices', async () => {
      const test = await make();
      const phone = await signIn(test);
      const laptop = await signIn(test, {}, phone.email);
      expect([await user(test, phone.token), await user(test, laptop.token)]).toEqual(['ok', 'ok']);
      expect(await adapter().sessions.listLive(phone.user.id, new Date(test.clock.now()))).toHaveLength(2);
    });

    it('a session is started with any previous token', async () => {
      const test = await make();
      for (const sessionToken of ['', 'garbage', 'a.b.c', test.service.createSessionToken(nobody).token]) {
        expect(await user(test, (await signIn(test, { sessionToken })).token)).toBe('ok');
      }
    });

    // C-3
    it('applies session.ttlMs, and never exceeds session.maxAgeMs', async () => {
      const short = await make({ session: { ttlMs: 60_000 } });
      const { token, session } = await signIn(short);
      expect(session.expiresAt.getTime()).toBe(short.clock.now() + 60_000);
      short.clock.advance(60_000 - 1);
      expect(await user(short, token)).toBe('ok');
      short.clock.advance(1);
      expect(await user(short, token)).toBe('token_invalid');
      const capped = await make({ session: { ttlMs: 10 * day, maxAgeMs: day } });
      expect((await signIn(capped)).session.expiresAt.getTime()).toBe(capped.clock.now() + day);
    });
  });

  describe('getSessionUser', () => {
    it('executes one query', async () => {
      const calls: string[] = [];
      const test = await make({ adapter: recordCalls(adapter(), calls) });
      const { user: owner, token } = await signIn(test);
      const rowless = test.service.createSessionToken(owner.id).token;
      calls.length = 0;
      await test.service.getSessionUser(token);
      expect(calls).toEqual(['sessions.findWithUser']);
      calls.length = 0;
      await test.service.getSessionUser(rowless);
      expect(calls).toEqual(['users.findById']);
    });

    it('executes no query for a malformed token', async () => {
      const calls: string[] = [];
      const test = await make({ adapter: recordCalls(adapter(), calls) });
      const { token } = await signIn(test);
      calls.length = 0;
      for (const bad of ['', 'x', 'a.b.c', `${token}x`, token.slice(0, -1), undefined, null, {}, [token]]) {
        expect(await user(test, bad)).toBe('token_invalid');
      }
      expect(calls).toEqual([]);
    });

    //
    it('rejects a revoked session with token_invalid', async () => {
      const test = await make();
      const { token, session, email } = await signIn(test);
      const other = await signIn(test, {}, email);
      await adapter().sessions.revoke(session.id, new Date(test.clock.now()));
      expect(await user(test, token)).toBe('token_invalid');
      expect(await user(test, other.token)).toBe('ok');
      // verifyToken checks only signature, type and time, which are still valid.
      expect(test.service.verifyToken(token).sid).toBe(session.id);
    });

    // T3, A-52
    it('rejects every token with token_invalid after all sessions of the user are revoked', async () => {
      const test = await make();
      const { user: owner, token } = await signIn(test);
      const rowless = test.service.createSessionToken(owner.id).token;
      test.clock.advance(1);
      await adapter().sessions.revokeAll(owner.id, new Date(test.clock.now()));
      expect([await user(test, token), await user(test, rowless)]).toEqual([
        'token_invalid',
        'token_invalid',
      ]);
    });

    // C-5
    it('rejects the epoch before a revocation with token_invalid, even with an active row', async () => {
      const test = await make();
      const { user: owner, email } = await signIn(test);
      await adapter().sessions.revokeAll(owner.id, new Date(test.clock.now()));
      const { token } = await signIn(test, {}, email);
      expect(await user(test, token)).toBe('ok');
      const { default: jwt } = await import('jsonwebtoken');
      const { epoch, ...claims } = test.service.verifyToken(token);
      expect(epoch).toBe(1);
      for (const other of [0, 2]) {
        const forged = jwt.sign({ ...claims, epoch: other }, test.config.session.secret as string);
        expect(await user(test, forged)).toBe('token_invalid');
      }
    });

    //
    it('rejects the token of an unknown user with user_not_found', async () => {
      const test = await make();
      expect(await user(test, test.service.createSessionToken(nobody).token)).toBe('user_not_found');
      expect(await user(test, test.service.createSessionToken('not a uuid').token)).toBe('user_not_found');
    });

    // C-5
    it('rejects a token whose row belongs to another user', async () => {
      const test = await make();
      const [first, second] = [await signIn(test), await signIn(test)];
      // Only a bug could create such a token without the secret; it is checked nevertheless.
      const { default: jwt } = await import('jsonwebtoken');
      const claims = { ...test.service.verifyToken(first.token), sub: second.user.id };
      expect(await user(test, jwt.sign(claims, test.config.session.secret as string))).toBe('token_invalid');
    });
  });

  describe('createSessionToken', () => {
    it('returns a token that getSessionUser accepts', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      const { token } = test.service.createSessionToken(owner.id, { claims: { scope: 'read' } });
      expect(await test.service.getSessionUser(token)).toEqual(owner);
    });

    // C-5
    it('returns a token that a revocation ends, to the millisecond within one second', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      // In the middle of a second, so that whole seconds could not distinguish them.
      test.clock.set(Math.ceil(test.clock.now() / 1000) * 1000 + 500);
      const at = (ms: number) => {
        test.clock.advance(ms);
        return test.service.createSessionToken(owner.id).token;
      };
      const before = at(0);
      const during = at(1);
      await adapter().sessions.revokeAll(owner.id, new Date(test.clock.now()));
      const after = at(1);
      expect(test.service.verifyToken(after).iat).toBe(test.service.verifyToken(before).iat);
      expect([await user(test, before), await user(test, during), await user(test, after)]).toEqual([
        'token_invalid',
        'token_invalid',
        'ok',
      ]);
    });

    // C-2
    it('returns a token that a revocation ends even without its epoch', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      const { default: jwt } = await import('jsonwebtoken');
      const { ims: _ims, ...claims } = test.service.verifyToken(
        test.service.createSessionToken(owner.id).token,
      );
      test.clock.advance(1000);
      await adapter().sessions.revokeAll(owner.id, new Date(test.clock.now()));
      expect(await user(test, jwt.sign(claims, test.config.session.secret as string))).toBe('token_invalid');
    });
  });

  describe('a session in use', () => {
    const renew = async (test: TestService, token: string) =>
      sessions(test).renewSession(await sessions(test).authenticate(token));

    //
    it('a session is renewed once it is a day old, and not before', async () => {
      const test = await make();
      const { token, session } = await signIn(test);
      test.clock.advance(day - 1000);
      expect(await renew(test, token)).toBeNull();
      test.clock.advance(1000);
      const renewed = await renew(test, token);
      expect(renewed?.session).toMatchObject({
        id: session.id,
        createdAt: session.createdAt,
        expiresAt: new Date(test.clock.now() + 7 * day),
      });
      expect(await user(test, renewed?.token)).toBe('ok');
      test.clock.advance(7 * day - 1);
      expect([await user(test, token), await user(test, renewed?.token)]).toEqual(['token_invalid', 'ok']);
    });

    //
    it('a session is never renewed past 30 days from the sign-in', async () => {
      const test = await make();
      const signedIn = await signIn(test);
      const start = test.clock.now();
      let { token } = signedIn;
      for (let i = 0; i < 29; i += 1) {
        test.clock.advance(day);
        token = (await renew(test, token))?.token ?? token;
      }
      expect(test.service.verifyToken(token).exp * 1000).toBeLessThan(start + 30 * day + 1000);
      test.clock.set(start + 30 * day - 1);
      expect(await user(test, token)).toBe('ok');
      expect(await renew(test, token)).toBeNull();
      test.clock.set(start + 30 * day);
      expect(await user(test, token)).toBe('token_invalid');
    });

    it('a session keeps its expiry if a renewal would not extend it, also with a shorter ttlMs', async () => {
      const test = await make({ session: { maxAgeMs: 7 * day } });
      const { token, session } = await signIn(test);
      const shorter = await make({ session: { ttlMs: 3 * day }, clock: test.clock });
      test.clock.advance(2 * day);
      expect([await renew(test, token), await renew(shorter, token)]).toEqual([null, null]);
      const row = (await adapter().sessions.findWithUser(session.id))!.session;
      expect(row.expiresAt).toEqual(session.expiresAt);
    });

    it('a session is never renewed with renewAfterMs 0', async () => {
      const test = await make({ session: { renewAfterMs: 0 } });
      const { token } = await signIn(test);
      test.clock.advance(6 * day);
      expect(await renew(test, token)).toBeNull();
    });

    //
    it('a session is not restored by a renewal after its end', async () => {
      const test = await make();
      const { token } = await signIn(test);
      test.clock.advance(2 * day);
      const authenticated = await sessions(test).authenticate(token);
      await sessions(test).endSession(token);
      expect(await sessions(test).renewSession(authenticated)).toBeNull();
      expect(await user(test, token)).toBe('token_invalid');
    });

    it('a session is not renewed without a row', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      const { token } = test.service.createSessionToken(owner.id);
      test.clock.advance(2 * day);
      expect(await renew(test, token)).toBeNull();
    });
  });

  describe('a session that starts while all are revoked', () => {
    // C-5
    it('a session is not started, or is revoked', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      const stored = (await adapter().users.findById(owner.id))!;
      const started: string[] = [];
      const tally = await race(20, async (i) => {
        if (i === 7) return adapter().sessions.revokeAll(owner.id, new Date(test.clock.now()));
        return started.push((await sessions(test).issueSession(stored, {})).token);
      });
      expect(Object.keys(tally).filter((outcome) => outcome !== 'ok' && outcome !== 'token_invalid')).toEqual(
        [],
      );
      for (const token of started) expect(await user(test, token)).toBe('token_invalid');
    });
  });

  // C-5
  it.each(['a code', 'a link'])('starts no session by %s that a revocation overtakes', async (proof) => {
    const storage = adapter();
    const test = await make();
    const { email, user: owner } = await signIn(test);
    // All sessions are revoked while the proof is being consumed.
    const racing =
      <Args extends unknown[], Result>(consume: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        await storage.sessions.revokeAll(owner.id, new Date(test.clock.now()));
        return consume(...args);
      };
    const slow = await make({
      clock: test.clock,
      adapter: {
        ...withoutFastPaths(storage),
        oneTimeCodes: {
          ...storage.oneTimeCodes,
          attempt: racing((...args) => storage.oneTimeCodes.attempt(...args)),
        },
        singleUseTokens: {
          ...storage.singleUseTokens,
          consume: racing((...args) => storage.singleUseTokens.consume(...args)),
        },
      },
    });
    const outcome = await outcomeOf(async () => {
      if (proof === 'a code') return (await signIn(slow, {}, email)).token;
      const { url } = await slow.service.magicLink.sendLink({ email });
      return slow.service.magicLink.verify(new URL(url).searchParams.get('token')!, { startSession: true });
    });
    expect(outcome).toBe('token_invalid');
    expect(await storage.sessions.listLive(owner.id, new Date(test.clock.now()))).toEqual([]);
  });

  describe('purgeExpired', () => {
    it('removes expired rows and counts them by table', async () => {
      const test = await make();
      const expired = await signIn(test);
      const revoked = await signIn(test);
      await adapter().sessions.revoke(revoked.session.id, new Date(test.clock.now()));
      await test.service.magicLink.sendLink({ email: uniqueEmail() });
      await test.service.emailCode.sendCode({ email: uniqueEmail() });
      test.clock.advance(8 * day);
      const activeSession = await signIn(test);
      const { url } = await test.service.magicLink.sendLink({ email: uniqueEmail() });
      const counts = await test.service.purgeExpired();
      expect(counts).toMatchObject({
        sessions: expect.any(Number),
        singleUseTokens: expect.any(Number),
        oneTimeCodes: expect.any(Number),
        rateLimits: expect.any(Number),
      });
      for (const table of ['sessions', 'singleUseTokens', 'oneTimeCodes', 'rateLimits']) {
        expect(counts[table]).toBeGreaterThanOrEqual(1);
      }
      expect(counts['sessions']).toBeGreaterThanOrEqual(2);
      expect(await user(test, activeSession.token)).toBe('ok');
      expect(
        await outcomeOf(() => test.service.magicLink.verify(new URL(url).searchParams.get('token')!)),
      ).toBe('ok');
      // Users remain.
      expect(await adapter().users.findById(expired.user.id)).not.toBeNull();
      expect(await test.service.purgeExpired()).toMatchObject({
        sessions: 0,
        singleUseTokens: 0,
        oneTimeCodes: 0,
      });
    });

    //
    it('keeps a code for a day after its expiry, so that it is code_expired until then', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.emailCode.sendCode({ email });
      const verify = () => test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      test.clock.advance(10 * minute + day - 1);
      await test.service.purgeExpired();
      expect(await outcomeOf(verify)).toBe('code_expired');
      test.clock.advance(1);
      await test.service.purgeExpired();
      expect(await outcomeOf(verify)).toBe('code_not_found');
    });

    it('removes at most limit rows of each table', async () => {
      const test = await make();
      for (let i = 0; i < 3; i += 1) await signIn(test);
      test.clock.advance(60 * day);
      expect((await test.service.purgeExpired({ limit: 2 }))['sessions']).toBe(2);
      expect((await test.service.purgeExpired({ limit: 2 }))['sessions']).toBeGreaterThanOrEqual(1);
    });
  });

  if (!sql) return;
  //
  it('rejects the sessions of a deleted user with user_not_found, with a row and without one', async () => {
    const test = await make();
    const { user: owner, token } = await signIn(test);
    const rowless = test.service.createSessionToken(owner.id).token;
    await sql(`delete from svc_users where id = '${owner.id}'`);
    expect([await user(test, token), await user(test, rowless)]).toEqual([
      'user_not_found',
      'user_not_found',
    ]);
  });

  //
  it('stores sessions without their tokens', async () => {
    const test = await make();
    const { token, session } = await signIn(test);
    const rows = JSON.stringify(await sql('select * from svc_sessions'));
    expect(rows).toContain(session.id);
    for (const part of token.split('.')) expect(rows).not.toContain(part);
  });

  it('rejects with internal_error while the database fails, and recovers', async () => {
    const test = await make();
    const { token } = await signIn(test);
    await sql('alter table svc_sessions rename to svc_sessions_away');
    try {
      expect(await user(test, token)).toBe('internal_error');
    } finally {
      await sql('alter table svc_sessions_away rename to svc_sessions');
    }
    expect(await user(test, token)).toBe('ok');
  });
});
