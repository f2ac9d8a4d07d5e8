// Refresh tokens: issue and rotation (specification 4.3 `refresh`; docs/security-requirements.md
// A-98, C-33).
import { verifyToken } from 'svc-auth/token';
import { describeAdapters } from '../support/describe-adapters.js';
import { testSecret } from '../support/make-service.js';
import { day, minute, unknownId, invalidIds, proFixtures } from '../support/make-pro-service.js';
import { refreshFixtures } from '../support/refresh-tokens.js';
import { outcomeOf, race } from '../support/outcomes.js';

const second = 1000;

describeAdapters('Rotation of refresh tokens', ({ make, uniqueEmail, adapter }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const { alive, refresh, issued } = refreshFixtures({ makePro, verifiedUser });
  const families = (userId: string) => adapter().refreshFamilies!.listForUser(userId);

  describe('issue', () => {
    it('returns access for 15 minutes and refresh for 30 days, in one family', async () => {
      const { test, user, pair } = await issued();
      const now = test.clock.now();
      expect(pair).toEqual({
        accessToken: expect.stringMatching(/^eyJ/),
        accessExpiresAt: new Date(now + 15 * minute),
        refreshToken: expect.stringMatching(/^[0-9a-f-]{36}\.0\.[\w-]{43}$/),
        refreshExpiresAt: new Date(now + 30 * day),
        familyId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      });
      expect(pair.refreshToken.startsWith(`${pair.familyId}.`)).toBe(true);
      expect(await test.takeEvents()).toEqual([
        { name: 'refresh.issued', payload: { userId: user.id, familyId: pair.familyId } },
      ]);
    });

    it('returns a session token of the family, with custom claims', async () => {
      const { test, user, pair } = await issued({}, { claims: { plan: 'team', roles: ['a'] } });
      const iat = test.clock.now() / 1000;
      const claims = {
        sub: user.id,
        fid: pair.familyId,
        epoch: 0,
        plan: 'team',
        roles: ['a'],
        iat,
        exp: iat + 900,
        use: 'session',
      };
      expect(test.service.verifyToken(pair.accessToken)).toEqual(claims);
      expect(await test.service.getSessionUser(pair.accessToken)).toEqual(user);
      expect(verifyToken(pair.accessToken, testSecret, { clockToleranceSec: 300 }).sub).toBe(user.id);
    });

    //
    it('rejects an access token when it expires, to the second', async () => {
      const { test, pair } = await issued();
      test.clock.advance(15 * minute - 1);
      expect(await alive(test, pair.accessToken)).toBe('ok');
      test.clock.advance(1);
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
    });

    it('applies accessTtlMs and ttlMs, and never extends access beyond the family', async () => {
      const { test, pair } = await issued({
        providers: { refresh: { accessTtlMs: 5 * minute, ttlMs: 7 * minute } },
      });
      const now = test.clock.now();
      expect(pair.accessExpiresAt.getTime()).toBe(now + 5 * minute);
      expect(pair.refreshExpiresAt.getTime()).toBe(now + 7 * minute);
      test.clock.advance(4 * minute);
      const next = await test.service.refresh.refresh(pair.refreshToken);
      expect(next.accessExpiresAt.getTime()).toBe(now + 7 * minute);
      expect(next.refreshExpiresAt).toEqual(pair.refreshExpiresAt);
    });

    it('stores the device with the family', async () => {
      const device = { name: 'Phone', userAgent: 'Test/1', ip: '192.0.2.1' };
      const { test, user, pair } = await issued({}, { device });
      expect(await families(user.id)).toMatchObject([{ id: pair.familyId, device }]);
      await test.service.refresh.refresh(pair.refreshToken, { device: { name: 'Phone 2' } });
      expect(await families(user.id)).toMatchObject([{ device: { name: 'Phone 2' } }]);
      expect(await test.service.sessionsProvider.listDevices(user.id)).toEqual([]);
    });

    it('creates a separate family at each call', async () => {
      const { test, user, pair } = await issued();
      const other = await test.service.refresh.issue({ userId: user.id });
      expect(other.familyId).not.toBe(pair.familyId);
      await test.service.refresh.revoke(pair.refreshToken);
      expect(await refresh(test, other.refreshToken)).toBe('ok');
    });

    it('rejects an unknown user with user_not_found', async () => {
      const test = await makePro();
      for (const userId of invalidIds) {
        expect(await outcomeOf(() => test.service.refresh.issue({ userId: userId as string }))).toBe(
          'user_not_found',
        );
      }
    });

    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    it.each([
      // T7
      ['the reserved claim sub', { claims: { sub: unknownId } }],
      ['the reserved claim fid', { claims: { fid: 'x' } }],
      ['the reserved claim act', { claims: { act: { sub: 'x' } } }],
      ['the reserved claim epoch', { claims: { epoch: 99 } }],
      ['claims that are a string', { claims: 'admin' }],
      ['claims that are a list', { claims: ['admin'] }],
      ['claims that are null', { claims: null }],
      ['a claim outside JSON', { claims: { n: 1n } }],
      ['circular claims', { claims: cycle }],
      ['a claim that a database cannot store', { claims: { text: 'nul\0' } }],
      ['claims that are too large for a cookie', { claims: { data: 'x'.repeat(5000) } }],
      ['a device that is a string', { device: 'phone' }],
      ['a device with a number', { device: { name: 1 } }],
    ])('rejects %s with invalid_request and creates no family', async (_name, input) => {
      const test = await makePro();
      const user = await verifiedUser(test);
      await test.takeEvents();
      expect(await outcomeOf(() => test.service.refresh.issue({ userId: user.id, ...input } as never))).toBe(
        'invalid_request',
      );
      expect(await families(user.id)).toEqual([]);
      expect(await test.takeEvents()).toEqual([]);
    });
  });

  describe('refresh', () => {
    //
    it('returns a new pair of the same family without extending its lifetime', async () => {
      const { test, pair } = await issued();
      test.clock.advance(day);
      const next = await test.service.refresh.refresh(pair.refreshToken);
      expect(next).toEqual({
        accessToken: expect.stringMatching(/^eyJ/),
        accessExpiresAt: new Date(test.clock.now() + 15 * minute),
        refreshToken: expect.stringMatching(new RegExp(`^${pair.familyId}\\.1\\.`)),
        refreshExpiresAt: pair.refreshExpiresAt,
        familyId: pair.familyId,
      });
      expect(await alive(test, next.accessToken)).toBe('ok');
      expect(await test.takeEventNames()).toEqual(['refresh.issued']);
    });

    //
    it('accepts rotated tokens for 30 days from the issue', async () => {
      const { test, pair } = await issued();
      let { refreshToken } = pair;
      for (let i = 0; i < 29; i += 1) {
        test.clock.advance(day);
        ({ refreshToken } = await test.service.refresh.refresh(refreshToken));
      }
      test.clock.advance(day - 1);
      const last = await test.service.refresh.refresh(refreshToken);
      expect(await alive(test, last.accessToken)).toBe('ok');
      test.clock.advance(1);
      expect(await refresh(test, last.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, last.accessToken)).toBe('token_invalid');
      // The end of a family is not a reuse.
      expect(await test.takeEventNames()).toEqual(['refresh.issued']);
    });

    // C-33
    it.each([
      ['0 ms later', 0],
      ['9999 ms later', 9_999],
    ])('returns the current token again for the previous one, %s', async (_name, later) => {
      const { test, pair } = await issued();
      const next = await test.service.refresh.refresh(pair.refreshToken);
      test.clock.advance(later);
      const again = await test.service.refresh.refresh(pair.refreshToken);
      expect(again.refreshToken).toBe(next.refreshToken);
      expect(await alive(test, again.accessToken)).toBe('ok');
      expect(await refresh(test, again.refreshToken)).toBe('ok');
      expect(await test.takeEventNames()).toEqual(['refresh.issued']);
    });

    //
    it.each([
      ['10 s later', 10 * second],
      ['a day later', day],
    ])('revokes the family and reports reuse of the previous token, %s', async (_name, later) => {
      const { test, user, pair } = await issued();
      const next = await test.service.refresh.refresh(pair.refreshToken);
      test.clock.advance(later);
      await test.takeEvents();
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await refresh(test, next.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, next.accessToken)).toBe('token_invalid');
      const about = { userId: user.id, familyId: pair.familyId };
      expect(await test.takeEvents()).toEqual([{ name: 'refresh.reuse_detected', payload: about }]);
      expect(test.log.filter(({ fields }) => fields['event'] === 'refresh_reuse')).toEqual([
        { level: 'warn', fields: { event: 'refresh_reuse', ...about }, message: expect.any(String) },
      ]);
    });

    //
    it('revokes the family for an older token, within the grace period too', async () => {
      const { test, pair } = await issued();
      const second = await test.service.refresh.refresh(pair.refreshToken);
      const third = await test.service.refresh.refresh(second.refreshToken);
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await refresh(test, third.refreshToken)).toBe('refresh_token_invalid');
      expect(await test.takeEventNames()).toEqual(['refresh.issued', 'refresh.reuse_detected']);
    });

    //
    it('revokes only the family of a reused token, and reports it once', async () => {
      const { test, user, pair } = await issued();
      const other = await test.service.refresh.issue({ userId: user.id });
      await test.service.refresh.refresh(pair.refreshToken);
      test.clock.advance(minute);
      await test.takeEvents();
      for (let i = 0; i < 3; i += 1)
        expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await test.takeEventNames()).toEqual(['refresh.reuse_detected']);
      expect(await refresh(test, other.refreshToken)).toBe('ok');
    });

    //
    it('revokes the family for any used token with graceMs 0', async () => {
      const { test, pair } = await issued({ providers: { refresh: { graceMs: 0 } } });
      const next = await test.service.refresh.refresh(pair.refreshToken);
      expect(await refresh(test, next.refreshToken)).toBe('ok');
      expect(await refresh(test, next.refreshToken)).toBe('refresh_token_invalid');
      expect(await test.takeEventNames()).toEqual(['refresh.issued', 'refresh.reuse_detected']);
    });

    it('counts the grace period from the rotation', async () => {
      const { test, pair } = await issued({ providers: { refresh: { graceMs: 5 * second } } });
      test.clock.advance(day);
      await test.service.refresh.refresh(pair.refreshToken);
      test.clock.advance(5 * second - 1);
      expect(await refresh(test, pair.refreshToken)).toBe('ok');
      test.clock.advance(1);
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
    });

    // C-33
    //
    it('returns the same current token for 50 concurrent calls', async () => {
      const { test, pair } = await issued();
      const tokens = new Set<string>();
      const access = new Set<string>();
      const tally = await race(50, async () => {
        const next = await test.service.refresh.refresh(pair.refreshToken);
        tokens.add(next.refreshToken);
        access.add(next.accessToken);
      });
      expect([tally, tokens.size]).toEqual([{ ok: 50 }, 1]);
      for (const token of access) expect(await alive(test, token)).toBe('ok');
      const [currentToken] = tokens;
      expect(currentToken).toMatch(/\.1\./);
      expect(await refresh(test, currentToken)).toBe('ok');
      expect(await test.takeEventNames()).toEqual(['refresh.issued']);
    });

    // C-33
    it('returns one pair and revokes the family for 50 concurrent calls with graceMs 0', async () => {
      const { test, pair } = await issued({ providers: { refresh: { graceMs: 0 } } });
      const given: string[] = [];
      const tally = await race(50, async () =>
        given.push((await test.service.refresh.refresh(pair.refreshToken)).refreshToken),
      );
      expect(tally).toEqual({ ok: 1, refresh_token_invalid: 49 });
      expect(await refresh(test, given[0])).toBe('refresh_token_invalid');
      expect(await test.takeEventNames()).toEqual(['refresh.issued', 'refresh.reuse_detected']);
    });

    // C-33
    it('never leaves two current tokens when tokens are presented repeatedly', async () => {
      const { test, pair } = await issued();
      const refreshTokens = [pair.refreshToken];
      for (let i = 0; i < 5; i += 1) {
        const results = await Promise.all(
          Array.from({ length: 10 }, () => test.service.refresh.refresh(refreshTokens.at(-1)!)),
        );
        const next = new Set(results.map(({ refreshToken }) => refreshToken));
        expect(next.size).toBe(1);
        refreshTokens.push([...next][0]!);
      }
      const [family] = await families(test.service.verifyToken(pair.accessToken).sub);
      expect(family).toMatchObject({ counter: 5, revokedAt: null });
    });

    it('keeps the claims until others are given, and those from then on', async () => {
      const { test, pair } = await issued({}, { claims: { plan: 'free', team: { id: 7 } } });
      const plan = (token: string) => {
        const { plan, team } = test.service.verifyToken(token);
        return { plan, team };
      };
      const second = await test.service.refresh.refresh(pair.refreshToken);
      expect(plan(second.accessToken)).toEqual({ plan: 'free', team: { id: 7 } });
      const third = await test.service.refresh.refresh(second.refreshToken, { claims: { plan: 'pro' } });
      expect(plan(third.accessToken)).toEqual({ plan: 'pro', team: undefined });
      // Within the grace period, claims do not change.
      const again = await test.service.refresh.refresh(second.refreshToken, { claims: { plan: 'stolen' } });
      expect(plan(again.accessToken)).toEqual({ plan: 'pro', team: undefined });
      const fourth = await test.service.refresh.refresh(third.refreshToken);
      expect(plan(fourth.accessToken)).toEqual({ plan: 'pro', team: undefined });
      const fifth = await test.service.refresh.refresh(fourth.refreshToken, { claims: {} });
      expect(plan(fifth.accessToken)).toEqual({ plan: undefined, team: undefined });
    });

    it.each([
      ['reserved claims', { claims: { sub: unknownId } }],
      ['claims that are a list', { claims: [] }],
      ['claims that are null', { claims: null }],
      ['a claim outside JSON', { claims: { n: 1n } }],
      ['claims that are too large for a cookie', { claims: { data: 'x'.repeat(5000) } }],
      ['claims slightly too large for a cookie', { claims: { data: 'x'.repeat(2860) } }],
      ['a device that is a number', { device: 7 }],
      ['a device with a list', { device: { ip: [] } }],
    ])('rejects %s with invalid_request, and keeps the token valid', async (_name, changes) => {
      const { test, pair, user } = await issued({}, { claims: { plan: 'free' } });
      expect(await refresh(test, pair.refreshToken, changes)).toBe('invalid_request');
      expect(await families(user.id)).toMatchObject([{ counter: 0, claims: { plan: 'free' } }]);
      const next = await test.service.refresh.refresh(pair.refreshToken);
      expect(next.refreshToken).toMatch(/\.1\./);
    });

    it('accepts the largest claims that issue accepts', async () => {
      const { test, pair, user } = await issued();
      let bytes = 2000;
      const claims = (size: number) => ({ data: 'x'.repeat(size) });
      while (
        (await outcomeOf(() =>
          test.service.refresh.issue({ userId: user.id, claims: claims(bytes + 50) }),
        )) === 'ok'
      )
        bytes += 50;
      expect(await refresh(test, pair.refreshToken, { claims: claims(bytes - 50) })).toBe('ok');
    });

    // C-5
    it('rejects with refresh_token_invalid after all sessions are revoked, and reports no reuse', async () => {
      const { test, user, pair } = await issued();
      await test.service.sessionsProvider.revokeAll(user.id);
      await test.takeEvents();
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
      expect(await test.takeEventNames()).toEqual([]);
    });

    //
    it('rejects with refresh_token_invalid after a password reset', async () => {
      const { test, user, pair } = await issued();
      await test.service.emailPassword.requestReset({ email: user.email! });
      await test.service.close();
      const token = new URL(test.mail.lastLink(user.email!)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: 'another good password' });
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
    });

    //
    it('rejects the token of a deleted user with refresh_token_invalid', async () => {
      const { test, user, pair } = await issued();
      await test.service.account.deleteUser(user.id);
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('user_not_found');
    });

    //
    it('accepts tokens of a previous secret and returns tokens of the current one', async () => {
      const { test, pair } = await issued();
      const rotated = await makePro({
        clock: test.clock,
        session: { secret: 'the next secret, 32 bytes or more, and another', previousSecrets: [testSecret] },
      });
      const next = await rotated.service.refresh.refresh(pair.refreshToken);
      expect(await refresh(test, next.refreshToken)).toBe('refresh_token_invalid');
      const withoutOld = await makePro({
        clock: test.clock,
        session: { secret: 'the next secret, 32 bytes or more, and another' },
      });
      expect(await refresh(withoutOld, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await refresh(withoutOld, next.refreshToken)).toBe('ok');
    });
  });
});
