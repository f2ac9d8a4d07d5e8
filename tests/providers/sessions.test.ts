// Sessions on the instance (specification 4.2, 5; docs/security-requirements.md T3, A-47 to A-54, C-2, C-3, C-5).
import { testClock } from 'svc-auth/testing';
import { internals } from '../../src/kit/internals.js';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import type { Overrides, TestService } from '../support/make-service.js';
import { outcomeOf, race } from '../support/outcomes.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const nobody = '0190f6a0-0000-7000-8000-000000000001';

describeAdapters('A session', ({ make: makeAnytime, person, adapter, sql }) => {
  /** At a whole second: then the token, which knows no less, ends with its row to the millisecond. */
  async function make(overrides: Overrides = {}) {
    return makeAnytime({ clock: testClock(Math.ceil(Date.now() / 1000) * 1000), ...overrides });
  }

  /** Signs in and starts a session, as the routes do. */
  async function signIn(
    { service, mail }: TestService,
    context: { sessionToken?: string } = {},
    email = person(),
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

  describe('of a sign-in', () => {
    it('A-53 has a token with sub, sid, epoch, iat, exp and use, for 7 days', async () => {
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

    it('has a row with the device, for 7 days', async () => {
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
      });
      expect(await adapter().sessions.listLive(owner.id, now)).toEqual([session]);
    });

    it('is started only where it is asked for', async () => {
      const test = await make();
      const email = person();
      await test.service.emailCode.sendCode({ email });
      const result = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(result).not.toHaveProperty('session');
      expect(await adapter().sessions.listLive(result.user.id, new Date(test.clock.now()))).toEqual([]);
    });

    it('belongs to the user, who comes without what must stay inside', async () => {
      const test = await make();
      const { user: owner, token } = await signIn(test);
      const found = await test.service.getSessionUser(token);
      expect(found).toEqual(owner);
      expect(Object.keys(found).sort()).toEqual(
        'createdAt email emailVerified id metadata updatedAt'.split(' '),
      );
      expect(found.createdAt).toBeInstanceOf(Date);
    });

    it('A-48 is a new one each time, and ends the one that the request carried', async () => {
      const test = await make();
      const first = await signIn(test);
      const second = await signIn(test, { sessionToken: first.token }, first.email);
      expect(second.session.id).not.toBe(first.session.id);
      expect(await user(test, first.token)).toBe('token_invalid');
      expect(await user(test, second.token)).toBe('ok');
    });

    it('A-54 leaves those of other devices alone', async () => {
      const test = await make();
      const phone = await signIn(test);
      const laptop = await signIn(test, {}, phone.email);
      expect([await user(test, phone.token), await user(test, laptop.token)]).toEqual(['ok', 'ok']);
      expect(await adapter().sessions.listLive(phone.user.id, new Date(test.clock.now()))).toHaveLength(2);
    });

    it('is started whatever the old token is', async () => {
      const test = await make();
      for (const sessionToken of ['', 'garbage', 'a.b.c', test.service.createSessionToken(nobody).token]) {
        expect(await user(test, (await signIn(test, { sessionToken })).token)).toBe('ok');
      }
    });

    it('C-3 follows session.ttlMs, and never exceeds session.maxAgeMs', async () => {
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

  describe('that is asked for its user', () => {
    it('costs one query', async () => {
      const calls: string[] = [];
      const test = await make({ adapter: noting(adapter(), calls) });
      const { user: owner, token } = await signIn(test);
      const rowless = test.service.createSessionToken(owner.id).token;
      calls.length = 0;
      await test.service.getSessionUser(token);
      expect(calls).toEqual(['sessions.findWithUser']);
      calls.length = 0;
      await test.service.getSessionUser(rowless);
      expect(calls).toEqual(['users.findById']);
    });

    it('asks the database nothing for a token that is none', async () => {
      const calls: string[] = [];
      const test = await make({ adapter: noting(adapter(), calls) });
      const { token } = await signIn(test);
      calls.length = 0;
      for (const bad of ['', 'x', 'a.b.c', `${token}x`, token.slice(0, -1), undefined, null, {}, [token]]) {
        expect(await user(test, bad)).toBe('token_invalid');
      }
      expect(calls).toEqual([]);
    });

    it('A-49 is token_invalid when it was revoked', async () => {
      const test = await make();
      const { token, session, email } = await signIn(test);
      const other = await signIn(test, {}, email);
      await adapter().sessions.revoke(session.id, new Date(test.clock.now()));
      expect(await user(test, token)).toBe('token_invalid');
      expect(await user(test, other.token)).toBe('ok');
      // Signature, type and time are still right, and verifyToken says no more than that.
      expect(test.service.verifyToken(token).sid).toBe(session.id);
    });

    it('T3 A-52 is token_invalid when all sessions of the user were revoked', async () => {
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

    it('C-5 is token_invalid with the epoch before a revocation, though its row is live', async () => {
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

    it('A-50 is user_not_found for a user who is not there', async () => {
      const test = await make();
      expect(await user(test, test.service.createSessionToken(nobody).token)).toBe('user_not_found');
      expect(await user(test, test.service.createSessionToken('not a uuid').token)).toBe('user_not_found');
    });

    it('C-5 does not belong to another user than its row does', async () => {
      const test = await make();
      const [one, two] = [await signIn(test), await signIn(test)];
      // Our own secret in the wrong hands aside, only a bug could make such a token; the check stands all the same.
      const { default: jwt } = await import('jsonwebtoken');
      const claims = { ...test.service.verifyToken(one.token), sub: two.user.id };
      expect(await user(test, jwt.sign(claims, test.config.session.secret as string))).toBe('token_invalid');
    });
  });

  describe('of createSessionToken', () => {
    it('is one for getSessionUser as well', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      const { token } = test.service.createSessionToken(owner.id, { claims: { scope: 'read' } });
      expect(await test.service.getSessionUser(token)).toEqual(owner);
    });

    it('C-5 ends with a revocation, to the millisecond within one second', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      // In the middle of a second, so that whole seconds could not tell.
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

    it('C-2 made before the revocation is dead even where its epoch is left out', async () => {
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

  describe('in use', () => {
    const renew = async (test: TestService, token: string) =>
      sessions(test).renew(await sessions(test).authenticate(token));

    it('A-53 is renewed once it is a day old, and not before', async () => {
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

    it('A-53 is never renewed past 30 days from the sign-in', async () => {
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

    it('keeps its end where a renewal would leave it there, or bring it nearer after a shorter ttlMs', async () => {
      const test = await make({ session: { maxAgeMs: 7 * day } });
      const { token, session } = await signIn(test);
      const shorter = await make({ session: { ttlMs: 3 * day }, clock: test.clock });
      test.clock.advance(2 * day);
      expect([await renew(test, token), await renew(shorter, token)]).toEqual([null, null]);
      const row = (await adapter().sessions.findWithUser(session.id))!.session;
      expect(row.expiresAt).toEqual(session.expiresAt);
    });

    it('is never renewed with renewAfterMs 0', async () => {
      const test = await make({ session: { renewAfterMs: 0 } });
      const { token } = await signIn(test);
      test.clock.advance(6 * day);
      expect(await renew(test, token)).toBeNull();
    });

    it('A-49 is not brought back to life by a renewal that comes after its end', async () => {
      const test = await make();
      const { token } = await signIn(test);
      test.clock.advance(2 * day);
      const live = await sessions(test).authenticate(token);
      await sessions(test).end(token);
      expect(await sessions(test).renew(live)).toBeNull();
      expect(await user(test, token)).toBe('token_invalid');
    });

    it('is not renewed without a row', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      const { token } = test.service.createSessionToken(owner.id);
      test.clock.advance(2 * day);
      expect(await renew(test, token)).toBeNull();
    });
  });

  describe('that begins while all are revoked', () => {
    it('C-5 does not survive: either it does not begin, or it is dead', async () => {
      const test = await make();
      const { user: owner } = await signIn(test);
      const stored = (await adapter().users.findById(owner.id))!;
      const started: string[] = [];
      const tally = await race(20, async (i) => {
        if (i === 7) return adapter().sessions.revokeAll(owner.id, new Date(test.clock.now()));
        return started.push((await sessions(test).start(stored, {})).token);
      });
      expect(Object.keys(tally).filter((outcome) => outcome !== 'ok' && outcome !== 'token_invalid')).toEqual(
        [],
      );
      for (const token of started) expect(await user(test, token)).toBe('token_invalid');
    });
  });

  it.each(['a code', 'a link'])('C-5 by %s that races a revocation does not survive it', async (proof) => {
    const storage = adapter();
    const test = await make();
    const { email, user: owner } = await signIn(test);
    // The revocation comes while the proof is being consumed.
    const racing =
      <Args extends unknown[], Result>(consume: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        await storage.sessions.revokeAll(owner.id, new Date(test.clock.now()));
        return consume(...args);
      };
    const slow = await make({
      clock: test.clock,
      adapter: {
        ...storage,
        oneTimeCodes: {
          ...storage.oneTimeCodes,
          consume: racing((...args) => storage.oneTimeCodes.consume(...args)),
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
    it('removes what is dead and counts it by table', async () => {
      const test = await make();
      const dead = await signIn(test);
      const revoked = await signIn(test);
      await adapter().sessions.revoke(revoked.session.id, new Date(test.clock.now()));
      await test.service.magicLink.sendLink({ email: person() });
      await test.service.emailCode.sendCode({ email: person() });
      test.clock.advance(8 * day);
      const live = await signIn(test);
      const { url } = await test.service.magicLink.sendLink({ email: person() });
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
      expect(await user(test, live.token)).toBe('ok');
      expect(
        await outcomeOf(() => test.service.magicLink.verify(new URL(url).searchParams.get('token')!)),
      ).toBe('ok');
      // The users stay.
      expect(await adapter().users.findById(dead.user.id)).not.toBeNull();
      expect(await test.service.purgeExpired()).toMatchObject({
        sessions: 0,
        singleUseTokens: 0,
        oneTimeCodes: 0,
      });
    });

    it('A-29 keeps a code for a day after its end: until then it is code_expired', async () => {
      const test = await make();
      const email = person();
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
  it('A-50 of a deleted user is user_not_found, with a row and without one', async () => {
    const test = await make();
    const { user: owner, token } = await signIn(test);
    const rowless = test.service.createSessionToken(owner.id).token;
    await sql(`delete from svc_users where id = '${owner.id}'`);
    expect([await user(test, token), await user(test, rowless)]).toEqual([
      'user_not_found',
      'user_not_found',
    ]);
  });

  it('A-28 is in the database without its token', async () => {
    const test = await make();
    const { token, session } = await signIn(test);
    const rows = JSON.stringify(await sql('select * from svc_sessions'));
    expect(rows).toContain(session.id);
    for (const part of token.split('.')) expect(rows).not.toContain(part);
  });

  it('is internal_error while the database fails, not token_invalid, and recovers', async () => {
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
