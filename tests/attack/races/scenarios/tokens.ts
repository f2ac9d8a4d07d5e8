/** Races for refresh tokens, API keys and sessions. */
import { internals } from '../../../../src/core/internals.js';
import {
  concurrentCalls,
  countValidSessions,
  scenario,
  verifiedUser,
  winners,
  type World,
} from '../scenario.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const refused = ['refresh_token_invalid'];

async function issueTokens(world: World) {
  const { id: userId } = await verifiedUser(world);
  return { userId, ...(await world.service.refresh.issue({ userId })) };
}

const rotate = (refreshToken: string) => ({
  method: 'refresh.refresh',
  args: [refreshToken],
  resultPath: 'refreshToken',
});

/** Creates a user with a session to keep, and others to end. */
async function signInElsewhere(world: World) {
  const { userId, token } = await signIn(world);
  for (let others = 0; others < 5; others += 1) {
    await world.service.sessionsProvider.create({ userId });
    await world.service.refresh.issue({ userId });
  }
  return { userId, token };
}

async function signIn(world: World) {
  const { id: userId } = await verifiedUser(world);
  return { userId, ...(await world.service.sessionsProvider.create({ userId })) };
}

export const tokens = [
  scenario({
    name: 'ends every other session once while sessions start, and keeps the current one',
    refusals: [],
    prepare: signInElsewhere,
    call: ({ userId, token }, index) =>
      index % 5 === 0
        ? { method: 'sessionsProvider.revokeOthers', args: [userId, token] }
        : { method: 'sessionsProvider.create', args: [{ userId }], resultPath: 'token' },
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect({ values, events }, { userId, token }, world) {
      const started = values.filter((value) => value !== '');
      expect(started).toHaveLength((concurrentCalls / 5) * 4);
      const valid = await countValidSessions(world, started);
      // Every session that has ended was reported, by one of the calls.
      const revoked = events.filter((name) => name === 'session.revoked').length;
      expect(revoked).toBe(5 + started.length - valid);
      expect(await world.service.refresh.list(userId)).toEqual([]);
      expect(await countValidSessions(world, [token])).toBe(1);
      await world.service.sessionsProvider.revokeOthers(userId, token);
      expect(await world.service.sessionsProvider.listDevices(userId)).toHaveLength(1);
      expect(await countValidSessions(world, [token, ...started])).toBe(1);
    },
  }),
  scenario({
    name: 'rotates a refresh token once, and returns the same new token to every call within the grace period',
    refusals: [],
    prepare: issueTokens,
    call: ({ refreshToken }) => rotate(refreshToken),
    lockedRows: ({ familyId }) => ({ table: 'svc_refresh_families', where: ['id', familyId] }),
    async expect({ values }, { familyId }, { service, adapter }) {
      expect(values).toHaveLength(concurrentCalls);
      expect(new Set(values).size).toBe(1);
      const stored = await adapter.refreshFamilies?.findWithUser(familyId);
      expect(stored?.family).toMatchObject({ counter: 1, revokedAt: null });
      await service.refresh.refresh(values[0]!);
    },
  }),
  scenario({
    name: 'returns one new refresh token without a grace period, and revokes the family on the second use',
    refusals: refused,
    options: { graceMs: 0 },
    prepare: issueTokens,
    call: ({ refreshToken }) => rotate(refreshToken),
    lockedRows: ({ familyId }) => ({ table: 'svc_refresh_families', where: ['id', familyId] }),
    async expect(result, { accessToken }, world) {
      expect(winners(result)).toBe(1);
      expect(result.events.filter((name) => name === 'refresh.reuse_detected')).toHaveLength(1);
      await expect(world.service.refresh.refresh(result.values[0]!)).rejects.toMatchObject({
        code: 'refresh_token_invalid',
      });
      expect(await countValidSessions(world, [accessToken])).toBe(0);
    },
  }),
  scenario({
    name: 'revokes the family and emits one event when an old refresh token is used along with the current one',
    refusals: refused,
    async prepare(world) {
      const { refresh } = world.service;
      const first = await issueTokens(world);
      const second = await refresh.refresh(first.refreshToken);
      const third = await refresh.refresh(second.refreshToken);
      return { old: first.refreshToken, current: third.refreshToken };
    },
    call: ({ old, current }, index) => rotate(index % 2 === 0 ? current : old),
    async expect({ outcomes, values, events }, { current }, { service }) {
      expect(outcomes.filter((outcome, i) => i % 2 === 1 && outcome !== 'refresh_token_invalid')).toEqual([]);
      expect(events.filter((name) => name === 'refresh.reuse_detected')).toHaveLength(1);
      for (const token of [...new Set([current, ...values])])
        await expect(service.refresh.refresh(token)).rejects.toMatchObject({ code: 'refresh_token_invalid' });
    },
  }),
  scenario({
    name: 'keeps a family revoked that is rotated concurrently',
    refusals: refused,
    prepare: issueTokens,
    call: ({ refreshToken }, index) =>
      index % 10 === 5 ? { method: 'refresh.revoke', args: [refreshToken] } : rotate(refreshToken),
    async expect({ values, events }, { refreshToken }, { service }) {
      expect(events.filter((name) => name === 'refresh.revoked')).toHaveLength(1);
      for (const token of new Set([refreshToken, ...values.filter((each) => each !== '')]))
        await expect(service.refresh.refresh(token)).rejects.toMatchObject({ code: 'refresh_token_invalid' });
    },
  }),
  scenario({
    name: 'revokes an API key once, and rejects it afterwards',
    refusals: ['api_key_invalid'],
    async prepare(world) {
      const { id: userId } = await verifiedUser(world);
      return world.service.apiKeys.create({ userId, name: 'CI' });
    },
    call: ({ key, record }, index) =>
      index % 5 === 2
        ? { method: 'apiKeys.revoke', args: [record.id] }
        : { method: 'apiKeys.verify', args: [key] },
    async expect({ events }, { key }, { service }) {
      expect(events.filter((name) => name === 'api_key.revoked')).toHaveLength(1);
      await expect(service.apiKeys.verify(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
    },
  }),
  scenario({
    name: 'renews a session once for concurrent requests, to the same expiry',
    refusals: [],
    async prepare(world) {
      const created = await signIn(world);
      world.clock.advance(2 * day);
      return created;
    },
    call: ({ token }) => ({ method: 'session.renew', args: [token], resultPath: 'session.expiresAt' }),
    async expect({ values }, { session }, { adapter, clock }) {
      const stored = (await adapter.sessions.findWithUser(session.id))!.session;
      expect(stored.expiresAt.getTime()).toBe(clock.now() + 7 * day);
      expect([...new Set(values)]).toEqual([String(stored.expiresAt)]);
    },
  }),
  scenario({
    name: 'never renews a session past its cap from the sign-in',
    refusals: [],
    async prepare(world) {
      const created = await signIn(world);
      let { token } = created;
      for (let week = 1; week <= 4; week += 1) {
        world.clock.advance(6.5 * day);
        const { sessions } = world.service[internals];
        token = (await sessions.renewSession(await sessions.authenticate(token)))?.token ?? token;
      }
      world.clock.advance(2 * day);
      return { ...created, token };
    },
    call: ({ token }) => ({ method: 'session.renew', args: [token] }),
    async expect(_seen, { session }, { adapter }) {
      const stored = (await adapter.sessions.findWithUser(session.id))!.session;
      expect(stored.expiresAt.getTime()).toBe(session.createdAt.getTime() + 30 * day);
    },
  }),
  scenario({
    name: 'keeps a session revoked that is renewed concurrently, and emits one event',
    refusals: ['token_invalid'],
    async prepare(world) {
      const created = await signIn(world);
      world.clock.advance(2 * day);
      return created;
    },
    call: ({ token }, index) => ({
      method: index % 5 === 2 ? 'session.end' : 'session.renew',
      args: [token],
    }),
    async expect({ events }, { userId, token }, world) {
      expect(events.filter((name) => name === 'session.revoked')).toHaveLength(1);
      expect(await countValidSessions(world, [token])).toBe(0);
      expect(await world.service.sessionsProvider.listDevices(userId)).toEqual([]);
    },
  }),
  scenario({
    name: 'rejects sessions and tokens from before revokeAll when others start concurrently',
    refusals: ['token_invalid', ...refused],
    async prepare(world) {
      const { userId, refreshToken } = await issueTokens(world);
      return {
        userId,
        refreshToken,
        before: (await world.service.sessionsProvider.create({ userId })).token,
      };
    },
    call: ({ userId, refreshToken }, index) =>
      [
        { method: 'sessionsProvider.create', args: [{ userId }], resultPath: 'session.id' },
        { method: 'refresh.issue', args: [{ userId }], resultPath: 'familyId' },
        rotate(refreshToken),
        { method: 'apiKeys.create', args: [{ userId, name: 'CI' }] },
        index === 24
          ? { method: 'sessionsProvider.revokeAll', args: [userId] }
          : { method: 'sessionsProvider.create', args: [{ userId }] },
      ][index % 5]!,
    async expect({ events }, { refreshToken, before }, world) {
      expect(events.filter((name) => name === 'session.all_revoked')).toHaveLength(1);
      expect(await countValidSessions(world, [before])).toBe(0);
      await expect(world.service.refresh.refresh(refreshToken)).rejects.toMatchObject({
        code: 'refresh_token_invalid',
      });
    },
  }),
  scenario({
    name: 'creates twenty guests for one client',
    refusals: ['rate_limit_exceeded'],
    prepare: async () => '192.0.2.10',
    call: (ip) => ({ method: 'sessionsProvider.createGuest', args: [undefined, { ip }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 20, rate_limit_exceeded: concurrentCalls - 20 });
    },
  }),
];
