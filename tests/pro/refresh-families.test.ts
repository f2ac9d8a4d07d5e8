// Refresh tokens: revocation, lists and storage of families (specification 4.3 `refresh`;
// docs/security-requirements.md ).
import { createHmac } from 'node:crypto';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { testSecret } from '../support/make-service.js';
import {
  day,
  minute,
  unknownId,
  invalidIds,
  proFixtures,
  type ProService,
} from '../support/make-pro-service.js';
import { refreshFixtures } from '../support/refresh-tokens.js';
import { outcomeOf, race } from '../support/outcomes.js';

describeAdapters('Families of refresh tokens', ({ make, uniqueEmail, adapter, sql }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const { alive, refresh, issued } = refreshFixtures({ makePro, verifiedUser });
  const families = (userId: string) => adapter().refreshFamilies!.listForUser(userId);

  describe('an invalid refresh token', () => {
    const forged = async (test: ProService) => {
      const user = await verifiedUser(test);
      const pair = await test.service.refresh.issue({ userId: user.id });
      const [family = '', , signature = ''] = pair.refreshToken.split('.');
      const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
      // Signed with the session secret itself, instead of the key derived for refresh tokens.
      const foreign = createHmac('sha256', testSecret).update(`${family}.1`).digest('base64url');
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      const { key } = await test.service.apiKeys.create({ userId: user.id, name: 'key' });
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const invite = await test.service.orgs.invite({ orgId: org.id, email: uniqueEmail() });
      const { url } = await test.service.magicLink.sendLink({ email: uniqueEmail() });
      return {
        pair,
        tokens: [
          ...invalidIds,
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
          `${unknownId}.0.${signature}`,
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

    it('rejects an invalid refresh token without a query, and revokes no family', async () => {
      const calls: string[] = [];
      const test = await makePro({ adapter: recordCalls(adapter(), calls) });
      const { pair, tokens } = await forged(test);
      await test.takeEvents();
      calls.length = 0;
      for (const token of tokens) {
        expect([token, await refresh(test, token)]).toEqual([token, 'refresh_token_invalid']);
        expect(await outcomeOf(() => test.service.refresh.revoke(token as string))).toBe(
          'refresh_token_invalid',
        );
      }
      expect(calls).toEqual([]);
      expect(await test.takeEvents()).toEqual([]);
      expect(await refresh(test, pair.refreshToken)).toBe('ok');
    });

    //
    it('rejects a refresh token in place of a session token, an API key or an invite', async () => {
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
      'revokes the family by any of its refresh tokens (%s) and emits one event',
      async (which) => {
        const { test, user, pair } = await issued();
        const next = await test.service.refresh.refresh(pair.refreshToken);
        await test.takeEvents();
        await test.service.refresh.revoke(which === 'the first' ? pair.refreshToken : next.refreshToken);
        await test.service.refresh.revoke(next.refreshToken);
        // The access tokens end with the family, except for verification without the storage.
        for (const { accessToken } of [pair, next]) {
          expect(await alive(test, accessToken)).toBe('token_invalid');
          expect(test.service.verifyToken(accessToken).sub).toBe(user.id);
        }
        expect(await refresh(test, next.refreshToken)).toBe('refresh_token_invalid');
        expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
        expect(await test.takeEvents()).toEqual([
          { name: 'refresh.revoked', payload: { userId: user.id, familyId: pair.familyId } },
        ]);
      },
    );

    it('leaves no valid token when 50 calls revoke and refresh at the same time', async () => {
      const { test, pair } = await issued();
      const given: string[] = [];
      await race(50, async (i) => {
        if (i % 2 === 0) return test.service.refresh.revoke(pair.refreshToken);
        return given.push((await test.service.refresh.refresh(pair.refreshToken)).refreshToken);
      });
      for (const token of given) expect(await refresh(test, token)).toBe('refresh_token_invalid');
      expect((await test.takeEventNames()).filter((name) => name === 'refresh.revoked')).toHaveLength(1);
    });
  });

  describe('revokeAllForUser', () => {
    it('revokes every family of that user alone, and no session', async () => {
      const { test, user, pair } = await issued();
      const second = await test.service.refresh.issue({ userId: user.id });
      const session = await test.service.sessionsProvider.create({ userId: user.id });
      const other = await test.service.refresh.issue({ userId: (await verifiedUser(test)).id });
      await test.takeEvents();
      await test.service.refresh.revokeAllForUser(user.id);
      for (const each of [pair, second]) {
        expect(await refresh(test, each.refreshToken)).toBe('refresh_token_invalid');
        expect(await alive(test, each.accessToken)).toBe('token_invalid');
      }
      expect(await alive(test, session.token)).toBe('ok');
      expect(await refresh(test, other.refreshToken)).toBe('ok');
      expect(await test.takeEvents()).toEqual([
        { name: 'refresh.all_revoked', payload: { userId: user.id } },
      ]);
      expect(await outcomeOf(() => test.service.refresh.issue({ userId: user.id }))).toBe('ok');
    });

    it('rejects an unknown user with user_not_found', async () => {
      const test = await makePro();
      for (const userId of invalidIds) {
        expect(await outcomeOf(() => test.service.refresh.revokeAllForUser(userId as string))).toBe(
          'user_not_found',
        );
      }
    });
  });

  describe('list', () => {
    it('returns the active families of the user, newest first, with the time of the last refresh', async () => {
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

    it('ends in the list of all devices too when the epoch of its user is raised', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      const { accessToken, familyId } = await test.service.refresh.issue({ userId: user.id });
      const devices = async () =>
        (await test.service.sessionsProvider.listAllDevices(user.id, {}, { sessionToken: accessToken }))
          .devices;
      expect(await devices()).toMatchObject([{ id: familyId, current: true }]);
      await adapter().sessions.revokeAll(user.id, new Date(test.clock.now()));
      expect(await devices()).toEqual([]);
    });

    it('rejects with user_not_found for an unknown user', async () => {
      const test = await makePro();
      for (const userId of [unknownId, ...invalidIds]) {
        expect(await outcomeOf(() => test.service.refresh.list(userId as string))).toBe('user_not_found');
      }
    });
  });

  describe('revokeFamily', () => {
    it('revokes a family by its id, once', async () => {
      const { test, user, pair } = await issued();
      await test.takeEvents();
      for (const id of [pair.familyId, pair.familyId, unknownId, 'malformed']) {
        await test.service.refresh.revokeFamily(id);
      }
      expect(await refresh(test, pair.refreshToken)).toBe('refresh_token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
      expect(await test.takeEvents()).toEqual([
        { name: 'refresh.revoked', payload: { userId: user.id, familyId: pair.familyId } },
      ]);
    });

    it('revokes only families of the acting user, and rejects a missing one', async () => {
      const { test, user, pair } = await issued();
      const other = await verifiedUser(test);
      const { refresh: provider } = test.service;
      for (const actingUserId of [other.id, unknownId, '', 'malformed']) {
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

  it('authenticates an access token with one query', async () => {
    const calls: string[] = [];
    const test = await makePro({ adapter: recordCalls(adapter(), calls) });
    const user = await verifiedUser(test);
    const { accessToken } = await test.service.refresh.issue({ userId: user.id });
    calls.length = 0;
    await test.service.getSessionUser(accessToken);
    expect(calls).toEqual(['refreshFamilies.findWithUser']);
  });

  it('rejects an access token whose family belongs to another user', async () => {
    const { test, pair } = await issued();
    const other = await verifiedUser(test);
    // An attacker without the secret cannot sign this token; the storage is the second check.
    const header = pair.accessToken.split('.')[0]!;
    const claims = { ...test.service.verifyToken(pair.accessToken), sub: other.id };
    const body = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const token = `${body}.${createHmac('sha256', testSecret).update(body).digest('base64url')}`;
    expect(test.service.verifyToken(token).sub).toBe(other.id);
    expect(await alive(test, token)).toBe('token_invalid');
  });

  it('removes expired families with purgeExpired, and keeps revoked ones until then to detect reuse', async () => {
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
  //
  it('stores no token and no part of one', async () => {
    const { test, pair } = await issued();
    const next = await test.service.refresh.refresh(pair.refreshToken);
    const rows = JSON.stringify(await sql('select * from svc_refresh_families'));
    expect(rows).toContain(pair.familyId);
    for (const token of [pair.refreshToken, next.refreshToken])
      expect(rows).not.toContain(token.split('.')[2]);
    for (const part of pair.accessToken.split('.').slice(1)) expect(rows).not.toContain(part);
  });
});
