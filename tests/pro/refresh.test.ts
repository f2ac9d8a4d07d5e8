// Refresh tokens (specification 4.3 `refresh`; docs/security-requirements.md A-98, C-33).
import { createHmac } from 'node:crypto';
import { verifyToken } from 'svc-auth/token';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import { testSecret, type TestService } from '../support/make-service.js';
import { day, minute, nobody, oddIds, pro, type ProService } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';

const second = 1000;

describeAdapters('Refresh tokens', ({ make, person, adapter, sql }) => {
  const { makePro, verifiedUser } = pro({ make, person });
  const alive = ({ service }: TestService, token: string) => outcomeOf(() => service.getSessionUser(token));
  const refresh = ({ service }: TestService, token: unknown, changes?: object) =>
    outcomeOf(() => service.refresh.refresh(token as string, changes));

  async function issued(overrides: Parameters<typeof makePro>[0] = {}, input: object = {}) {
    const test = await makePro(overrides);
    const user = await verifiedUser(test);
    await test.heard();
    const pair = await test.service.refresh.issue({ userId: user.id, ...input });
    return { test, user, pair };
  }
  const families = (userId: string) => adapter().refreshFamilies!.listForUser(userId);

  describe('issue', () => {
    it('gives a pair: 15 minutes of access, 30 days of refresh, one family', async () => {
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
      expect(await test.heard()).toEqual([
        { name: 'refresh.issued', payload: { userId: user.id, familyId: pair.familyId } },
      ]);
    });

    it('gives an access token that is a session token of its family, with custom claims', async () => {
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

    it('A-53 ends access when it expires, to the second', async () => {
      const { test, pair } = await issued();
      test.clock.advance(15 * minute - 1);
      expect(await alive(test, pair.accessToken)).toBe('ok');
      test.clock.advance(1);
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
    });

    it('follows accessTtlMs and ttlMs, and no access outlives its family', async () => {
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

    it('keeps the device with the family', async () => {
      const device = { name: 'Phone', userAgent: 'Test/1', ip: '192.0.2.1' };
      const { test, user, pair } = await issued({}, { device });
      expect(await families(user.id)).toMatchObject([{ id: pair.familyId, device }]);
      await test.service.refresh.refresh(pair.refreshToken, { device: { name: 'Phone 2' } });
      expect(await families(user.id)).toMatchObject([{ device: { name: 'Phone 2' } }]);
      expect(await test.service.sessionsProvider.listDevices(user.id)).toEqual([]);
    });

    it('makes a family of its own each time', async () => {
      const { test, user, pair } = await issued();
      const other = await test.service.refresh.issue({ userId: user.id });
      expect(other.familyId).not.toBe(pair.familyId);
      await test.service.refresh.revoke(pair.refreshToken);
      expect(await refresh(test, other.refreshToken)).toBe('ok');
    });

    it('for who is no user is user_not_found', async () => {
      const test = await makePro();
      for (const userId of oddIds) {
        expect(await outcomeOf(() => test.service.refresh.issue({ userId: userId as string }))).toBe(
          'user_not_found',
        );
      }
    });

    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    it.each([
      ['T7 the reserved claim sub', { claims: { sub: nobody } }],
      ['T7 the reserved claim fid', { claims: { fid: 'x' } }],
      ['T7 the reserved claim act', { claims: { act: { sub: 'x' } } }],
      ['T7 the reserved claim epoch', { claims: { epoch: 99 } }],
      ['claims that are a text', { claims: 'admin' }],
      ['claims that are a list', { claims: ['admin'] }],
      ['claims that are null', { claims: null }],
      ['a claim that JSON does not know', { claims: { n: 1n } }],
      ['claims in a circle', { claims: cycle }],
      ['a claim that no database holds', { claims: { text: 'nul\0' } }],
      ['claims that fit into no cookie', { claims: { data: 'x'.repeat(5000) } }],
      ['a device that is a text', { device: 'phone' }],
      ['a device with a number', { device: { name: 1 } }],
    ])('with %s is invalid_request and leaves no family', async (_name, input) => {
      const test = await makePro();
      const user = await verifiedUser(test);
      await test.heard();
      expect(await outcomeOf(() => test.service.refresh.issue({ userId: user.id, ...input } as never))).toBe(
        'invalid_request',
      );
      expect(await families(user.id)).toEqual([]);
      expect(await test.heard()).toEqual([]);
    });
  });

  describe('refresh', () => {
    it('A-98 rotates: a new pair in the same family, which ends when it would have', async () => {
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
      expect(await test.heardNames()).toEqual(['refresh.issued']);
    });

    it('A-98 goes on for 30 days from the issue and not longer, however often it rotates', async () => {
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
      // The end is no theft.
      expect(await test.heardNames()).toEqual(['refresh.issued']);
    });

    it.each([
      ['0 ms later', 0],
      ['9999 ms later', 9_999],
    ])('C-33 with the token before the live one, %s, gives the live one again', async (_name, later) => {
      const { test, pair } = await issued();
      const next = await test.service.refresh.refresh(pair.refreshToken);
      test.clock.advance(later);
      const again = await test.service.refresh.refresh(pair.refreshToken);
      expect(again.refreshToken).toBe(next.refreshToken);
      expect(await alive(test, again.accessToken)).toBe('ok');
      expect(await refresh(test, again.refreshToken)).toBe('ok');
      expect(await test.heardNames()).toEqual(['refresh.issued']);
    });

    it.each([
      ['10 s later', 10 * second],
      ['a day later', day],
    ])(
      'A-98 with the token before the live one, %s, ends the family and tells of it',
      async (_name, later) => {
        const { test, user, pair } = await issued();
        const next = await test.service.refresh.refresh(pair.refreshToken);
        test.clock.advance(later);
        await test.heard();
        expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
        expect(await refresh(test, next.refreshToken)).toBe('refresh_token_invalid');
        expect(await alive(test, next.accessToken)).toBe('token_invalid');
        const about = { userId: user.id, familyId: pair.familyId };
        expect(await test.heard()).toEqual([{ name: 'refresh.reuse_detected', payload: about }]);
        expect(test.log.filter(({ fields }) => fields['event'] === 'refresh_reuse')).toEqual([
          { level: 'warn', fields: { event: 'refresh_reuse', ...about }, message: expect.any(String) },
        ]);
      },
    );

    it('A-98 with an older token ends the family, even at once', async () => {
      const { test, pair } = await issued();
      const second = await test.service.refresh.refresh(pair.refreshToken);
      const third = await test.service.refresh.refresh(second.refreshToken);
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await refresh(test, third.refreshToken)).toBe('refresh_token_invalid');
      expect(await test.heardNames()).toEqual(['refresh.issued', 'refresh.reuse_detected']);
    });

    it('A-98 a reuse ends its own family only, and is told once', async () => {
      const { test, user, pair } = await issued();
      const other = await test.service.refresh.issue({ userId: user.id });
      await test.service.refresh.refresh(pair.refreshToken);
      test.clock.advance(minute);
      await test.heard();
      for (let i = 0; i < 3; i += 1)
        expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await test.heardNames()).toEqual(['refresh.reuse_detected']);
      expect(await refresh(test, other.refreshToken)).toBe('ok');
    });

    it('A-98 strict, with graceMs 0, ends the family for any used token', async () => {
      const { test, pair } = await issued({ providers: { refresh: { graceMs: 0 } } });
      const next = await test.service.refresh.refresh(pair.refreshToken);
      expect(await refresh(test, next.refreshToken)).toBe('ok');
      expect(await refresh(test, next.refreshToken)).toBe('refresh_token_invalid');
      expect(await test.heardNames()).toEqual(['refresh.issued', 'refresh.reuse_detected']);
    });

    it('counts the grace from the rotation, not from the issue', async () => {
      const { test, pair } = await issued({ providers: { refresh: { graceMs: 5 * second } } });
      test.clock.advance(day);
      await test.service.refresh.refresh(pair.refreshToken);
      test.clock.advance(5 * second - 1);
      expect(await refresh(test, pair.refreshToken)).toBe('ok');
      test.clock.advance(1);
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
    });

    it('C-33 50 times at once with one token ends in one live token', async () => {
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
      const [live] = tokens;
      expect(live).toMatch(/\.1\./);
      expect(await refresh(test, live)).toBe('ok');
      expect(await test.heardNames()).toEqual(['refresh.issued']);
    });

    it('C-33 50 times at once and strict gives one pair, and the family ends', async () => {
      const { test, pair } = await issued({ providers: { refresh: { graceMs: 0 } } });
      const given: string[] = [];
      const tally = await race(50, async () =>
        given.push((await test.service.refresh.refresh(pair.refreshToken)).refreshToken),
      );
      expect(tally).toEqual({ ok: 1, refresh_token_invalid: 49 });
      expect(await refresh(test, given[0])).toBe('refresh_token_invalid');
      expect(await test.heardNames()).toEqual(['refresh.issued', 'refresh.reuse_detected']);
    });

    it('C-33 in a chain while its tokens are presented again never leaves two live tokens', async () => {
      const { test, pair } = await issued();
      const seen = [pair.refreshToken];
      for (let i = 0; i < 5; i += 1) {
        const results = await Promise.all(
          Array.from({ length: 10 }, () => test.service.refresh.refresh(seen.at(-1)!)),
        );
        const next = new Set(results.map(({ refreshToken }) => refreshToken));
        expect(next.size).toBe(1);
        seen.push([...next][0]!);
      }
      const [family] = await families(test.service.verifyToken(pair.accessToken).sub);
      expect(family).toMatchObject({ counter: 5, revokedAt: null });
    });

    it('keeps the claims until new ones are given, and those from then on', async () => {
      const { test, pair } = await issued({}, { claims: { plan: 'free', team: { id: 7 } } });
      const plan = (token: string) => {
        const { plan, team } = test.service.verifyToken(token);
        return { plan, team };
      };
      const second = await test.service.refresh.refresh(pair.refreshToken);
      expect(plan(second.accessToken)).toEqual({ plan: 'free', team: { id: 7 } });
      const third = await test.service.refresh.refresh(second.refreshToken, { claims: { plan: 'pro' } });
      expect(plan(third.accessToken)).toEqual({ plan: 'pro', team: undefined });
      // In the grace nothing changes.
      const again = await test.service.refresh.refresh(second.refreshToken, { claims: { plan: 'stolen' } });
      expect(plan(again.accessToken)).toEqual({ plan: 'pro', team: undefined });
      const fourth = await test.service.refresh.refresh(third.refreshToken);
      expect(plan(fourth.accessToken)).toEqual({ plan: 'pro', team: undefined });
      const fifth = await test.service.refresh.refresh(fourth.refreshToken, { claims: {} });
      expect(plan(fifth.accessToken)).toEqual({ plan: undefined, team: undefined });
    });

    it.each([
      ['reserved claims', { claims: { sub: nobody } }],
      ['claims that are a list', { claims: [] }],
      ['claims that are null', { claims: null }],
      ['a claim that JSON does not know', { claims: { n: 1n } }],
      ['claims that fit into no cookie', { claims: { data: 'x'.repeat(5000) } }],
      ['claims that fit into no cookie, narrowly', { claims: { data: 'x'.repeat(2860) } }],
      ['a device that is none', { device: 7 }],
      ['a device with a list', { device: { ip: [] } }],
    ])('with %s is invalid_request, and the token stays good', async (_name, changes) => {
      const { test, pair, user } = await issued({}, { claims: { plan: 'free' } });
      expect(await refresh(test, pair.refreshToken, changes)).toBe('invalid_request');
      expect(await families(user.id)).toMatchObject([{ counter: 0, claims: { plan: 'free' } }]);
      const next = await test.service.refresh.refresh(pair.refreshToken);
      expect(next.refreshToken).toMatch(/\.1\./);
    });

    it('takes the largest claims that issue takes', async () => {
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

    it('C-5 of a user whose sessions were all revoked is refresh_token_invalid, and no reuse', async () => {
      const { test, user, pair } = await issued();
      await test.service.sessionsProvider.revokeAll(user.id);
      await test.heard();
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
      expect(await test.heardNames()).toEqual([]);
    });

    it('A-40 of a user whose password was reset is refresh_token_invalid', async () => {
      const { test, user, pair } = await issued();
      await test.service.emailPassword.requestReset({ email: user.email! });
      await test.service.close();
      const token = new URL(test.mail.lastLink(user.email!)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: 'another good password' });
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
    });

    it('A-50 of a deleted user is refresh_token_invalid', async () => {
      const { test, user, pair } = await issued();
      await test.service.account.deleteUser(user.id);
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('user_not_found');
    });

    it('A-69 takes tokens of a previous secret, and answers with the new one', async () => {
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

  describe('A token that is none', () => {
    const forged = async (test: ProService) => {
      const user = await verifiedUser(test);
      const pair = await test.service.refresh.issue({ userId: user.id });
      const [family = '', , signature = ''] = pair.refreshToken.split('.');
      const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
      // Under the session secret itself, and not the key made of it for this purpose.
      const foreign = createHmac('sha256', testSecret).update(`${family}.1`).digest('base64url');
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      const { key } = await test.service.apiKeys.create({ userId: user.id, name: 'key' });
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const invite = await test.service.orgs.invite({ orgId: org.id, email: person() });
      const { url } = await test.service.magicLink.sendLink({ email: person() });
      return {
        pair,
        tokens: [
          ...oddIds,
          pair.familyId,
          pair.accessToken,
          `${family}.0.${flipped}`,
          `${family}.1.${signature}`,
          `${family}.1.${foreign}`,
          `${family}.00.${signature}`,
          `${family}.-1.${signature}`,
          `${family}.1e3.${signature}`,
          `${family}.0.`,
          `${family}..${signature}`,
          `${family.toUpperCase()}.0.${signature}`,
          `${nobody}.0.${signature}`,
          `${pair.refreshToken} `,
          ` ${pair.refreshToken}`,
          `${pair.refreshToken}\n`,
          `${pair.refreshToken}=`,
          `${pair.refreshToken}.x`,
          pair.refreshToken.slice(0, -1),
          token,
          key,
          invite.token,
          new URL(url).searchParams.get('token'),
        ],
      };
    };

    it('is refresh_token_invalid, before the storage is asked, and harms no family', async () => {
      const calls: string[] = [];
      const test = await makePro({ adapter: noting(adapter(), calls) });
      const { pair, tokens } = await forged(test);
      await test.heard();
      calls.length = 0;
      for (const token of tokens) {
        expect([token, await refresh(test, token)]).toEqual([token, 'refresh_token_invalid']);
        expect(await outcomeOf(() => test.service.refresh.revoke(token as string))).toBe(
          'refresh_token_invalid',
        );
      }
      expect(calls).toEqual([]);
      expect(await test.heard()).toEqual([]);
      expect(await refresh(test, pair.refreshToken)).toBe('ok');
    });

    it('A-64 is a refresh token where a session token, an API key or an invite is asked for', async () => {
      const { test, user, pair } = await issued();
      const { service } = test;
      const { refreshToken } = pair;
      expect(await outcomeOf(() => service.verifyToken(refreshToken))).toBe('token_invalid');
      expect(await outcomeOf(() => service.getSessionUser(refreshToken))).toBe('token_invalid');
      expect(await outcomeOf(() => service.apiKeys.verify(refreshToken))).toBe('api_key_invalid');
      expect(await outcomeOf(() => service.orgs.acceptInvite(refreshToken, user.id))).toBe('token_invalid');
      expect(await outcomeOf(() => service.magicLink.verify(refreshToken))).toBe('token_invalid');
    });
  });

  describe('revoke', () => {
    it.each(['the first', 'the last', 'the access token too'])(
      'ends the family whichever of its refresh tokens is given (%s), and is told once',
      async (which) => {
        const { test, user, pair } = await issued();
        const next = await test.service.refresh.refresh(pair.refreshToken);
        await test.heard();
        await test.service.refresh.revoke(which === 'the first' ? pair.refreshToken : next.refreshToken);
        await test.service.refresh.revoke(next.refreshToken);
        // The access tokens of the whole family die with it; what verifies without the storage cannot know.
        for (const { accessToken } of [pair, next]) {
          expect(await alive(test, accessToken)).toBe('token_invalid');
          expect(test.service.verifyToken(accessToken).sub).toBe(user.id);
        }
        expect(await refresh(test, next.refreshToken)).toBe('refresh_token_invalid');
        expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
        expect(await test.heard()).toEqual([
          { name: 'refresh.revoked', payload: { userId: user.id, familyId: pair.familyId } },
        ]);
      },
    );

    it('50 times at once, while it is refreshed, leaves nothing alive', async () => {
      const { test, pair } = await issued();
      const given: string[] = [];
      await race(50, async (i) => {
        if (i % 2 === 0) return test.service.refresh.revoke(pair.refreshToken);
        return given.push((await test.service.refresh.refresh(pair.refreshToken)).refreshToken);
      });
      for (const token of given) expect(await refresh(test, token)).toBe('refresh_token_invalid');
      expect((await test.heardNames()).filter((name) => name === 'refresh.revoked')).toHaveLength(1);
    });
  });

  describe('revokeAllForUser', () => {
    it('ends every family of the user, no session, and nobody else’s family', async () => {
      const { test, user, pair } = await issued();
      const second = await test.service.refresh.issue({ userId: user.id });
      const session = await test.service.sessionsProvider.create({ userId: user.id });
      const other = await test.service.refresh.issue({ userId: (await verifiedUser(test)).id });
      await test.heard();
      await test.service.refresh.revokeAllForUser(user.id);
      for (const each of [pair, second]) {
        expect(await refresh(test, each.refreshToken)).toBe('refresh_token_invalid');
        expect(await alive(test, each.accessToken)).toBe('token_invalid');
      }
      expect(await alive(test, session.token)).toBe('ok');
      expect(await refresh(test, other.refreshToken)).toBe('ok');
      expect(await test.heard()).toEqual([{ name: 'refresh.all_revoked', payload: { userId: user.id } }]);
      expect(await outcomeOf(() => test.service.refresh.issue({ userId: user.id }))).toBe('ok');
    });

    it('of who is no user is user_not_found', async () => {
      const test = await makePro();
      for (const userId of oddIds) {
        expect(await outcomeOf(() => test.service.refresh.revokeAllForUser(userId as string))).toBe(
          'user_not_found',
        );
      }
    });
  });

  describe('list', () => {
    it('returns the live families of the user, newest first, with the time of the last refresh', async () => {
      const { test, user, pair } = await issued({}, { device: { name: 'phone' } });
      const first = { id: pair.familyId, device: { name: 'phone' }, expiresAt: pair.refreshExpiresAt };
      const createdAt = new Date(test.clock.now());
      test.clock.advance(minute);
      const second = await test.service.refresh.issue({ userId: user.id });
      await test.service.refresh.issue({ userId: (await verifiedUser(test)).id });
      const used = await test.service.refresh.refresh(pair.refreshToken);
      const now = new Date(test.clock.now());
      expect(await test.service.refresh.list(user.id, used.accessToken)).toEqual([
        {
          id: second.familyId,
          device: {},
          createdAt: now,
          lastUsedAt: null,
          expiresAt: second.refreshExpiresAt,
          current: false,
        },
        { ...first, createdAt, lastUsedAt: now, current: true },
      ]);
      await test.service.refresh.revoke(used.refreshToken);
      expect((await test.service.refresh.list(user.id)).map(({ id }) => id)).toEqual([second.familyId]);
      await test.service.sessionsProvider.revokeAll(user.id);
      expect(await test.service.refresh.list(user.id)).toEqual([]);
    });

    it('rejects with user_not_found for an unknown user', async () => {
      const test = await makePro();
      for (const userId of [nobody, ...oddIds]) {
        expect(await outcomeOf(() => test.service.refresh.list(userId as string))).toBe('user_not_found');
      }
    });
  });

  describe('revokeFamily', () => {
    it('ends a family by its id, once', async () => {
      const { test, user, pair } = await issued();
      await test.heard();
      for (const id of [pair.familyId, pair.familyId, nobody, 'malformed']) {
        await test.service.refresh.revokeFamily(id);
      }
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
      expect(await test.heard()).toEqual([
        { name: 'refresh.revoked', payload: { userId: user.id, familyId: pair.familyId } },
      ]);
    });

    it('on behalf of a user ends only a family of that user, and never acts for a missing one', async () => {
      const { test, user, pair } = await issued();
      const other = await verifiedUser(test);
      const { refresh: provider } = test.service;
      for (const actingUserId of [other.id, nobody, '', 'malformed']) {
        await provider.revokeFamily(pair.familyId, { actingUserId });
      }
      for (const acting of [{ actingUserId: undefined }, {}, null]) {
        const revoke = () => provider.revokeFamily(pair.familyId, acting as never);
        expect(await outcomeOf(revoke)).toBe('invalid_request');
      }
      expect(await alive(test, pair.accessToken)).toBe('ok');
      await provider.revokeFamily(pair.familyId, { actingUserId: user.id });
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
    });
  });

  it('an access token costs one query', async () => {
    const calls: string[] = [];
    const test = await makePro({ adapter: noting(adapter(), calls) });
    const user = await verifiedUser(test);
    const { accessToken } = await test.service.refresh.issue({ userId: user.id });
    calls.length = 0;
    await test.service.getSessionUser(accessToken);
    expect(calls).toEqual(['refreshFamilies.findWithUser']);
  });

  it('an access token names its own user: a family of another is not taken for it', async () => {
    const { test, pair } = await issued();
    const other = await verifiedUser(test);
    // As nobody can sign it who does not hold the secret; the storage is the second line.
    const header = pair.accessToken.split('.')[0]!;
    const claims = { ...test.service.verifyToken(pair.accessToken), sub: other.id };
    const body = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const token = `${body}.${createHmac('sha256', testSecret).update(body).digest('base64url')}`;
    expect(test.service.verifyToken(token).sub).toBe(other.id);
    expect(await alive(test, token)).toBe('token_invalid');
  });

  it('purgeExpired removes families past their end, and leaves those that are revoked until then to tell reuse', async () => {
    const { test, user, pair } = await issued();
    const old = await test.service.refresh.issue({ userId: user.id });
    await test.service.refresh.revoke(old.refreshToken);
    test.clock.advance(30 * day - 1);
    await test.service.purgeExpired();
    expect((await families(user.id)).map(({ id }) => id)).toContain(pair.familyId);
    test.clock.advance(1);
    await test.service.purgeExpired();
    expect(await families(user.id)).toEqual([]);
    expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
  });

  if (!sql) return;
  it('A-28 stores no token and no part of one', async () => {
    const { test, pair } = await issued();
    const next = await test.service.refresh.refresh(pair.refreshToken);
    const rows = JSON.stringify(await sql('select * from svc_refresh_families'));
    expect(rows).toContain(pair.familyId);
    for (const token of [pair.refreshToken, next.refreshToken])
      expect(rows).not.toContain(token.split('.')[2]);
    for (const part of pair.accessToken.split('.').slice(1)) expect(rows).not.toContain(part);
  });
});
