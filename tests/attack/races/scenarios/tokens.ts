/** Races for refresh tokens, API keys and sessions. */
import { internals } from '../../../../src/kit/internals.js';
import { callsAtOnce, countLive, scenario, verifiedUser, winners, type World } from '../scenario.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const refused = ['refresh_token_invalid'];

async function issued(world: World) {
  const { id: userId } = await verifiedUser(world);
  return { userId, ...(await world.service.refresh.issue({ userId })) };
}

const rotate = (refreshToken: string) => ({
  method: 'refresh.refresh',
  args: [refreshToken],
  tell: 'refreshToken',
});

async function signedIn(world: World) {
  const { id: userId } = await verifiedUser(world);
  return { userId, ...(await world.service.sessionsProvider.create({ userId })) };
}

export const tokens = [
  scenario({
    name: 'a refresh token rotates once, and within the grace everybody gets the one live token',
    refusals: [],
    prepare: issued,
    call: ({ refreshToken }) => rotate(refreshToken),
    held: ({ familyId }) => ({ table: 'svc_refresh_families', where: ['id', familyId] }),
    async expect({ told }, { familyId }, { service, adapter }) {
      expect(told).toHaveLength(callsAtOnce);
      expect(new Set(told).size).toBe(1);
      const found = await adapter.refreshFamilies?.findWithUser(familyId);
      expect(found?.family).toMatchObject({ counter: 1, revokedAt: null });
      await service.refresh.refresh(told[0]!);
    },
  }),
  scenario({
    name: 'without grace a refresh token gives one next one, and the second use ends the family',
    refusals: refused,
    options: { graceMs: 0 },
    prepare: issued,
    call: ({ refreshToken }) => rotate(refreshToken),
    held: ({ familyId }) => ({ table: 'svc_refresh_families', where: ['id', familyId] }),
    async expect(seen, { accessToken }, world) {
      expect(winners(seen)).toBe(1);
      expect(seen.events.filter((name) => name === 'refresh.reuse_detected')).toHaveLength(1);
      await expect(world.service.refresh.refresh(seen.told[0]!)).rejects.toMatchObject({
        code: 'refresh_token_invalid',
      });
      expect(await countLive(world, [accessToken])).toBe(0);
    },
  }),
  scenario({
    name: 'an old refresh token ends the family, whoever uses the live one at the same time, and that is told once',
    refusals: refused,
    async prepare(world) {
      const { refresh } = world.service;
      const first = await issued(world);
      const second = await refresh.refresh(first.refreshToken);
      const third = await refresh.refresh(second.refreshToken);
      return { old: first.refreshToken, live: third.refreshToken };
    },
    call: ({ old, live }, index) => rotate(index % 2 === 0 ? live : old),
    async expect({ outcomes, told, events }, { live }, { service }) {
      expect(outcomes.filter((outcome, i) => i % 2 === 1 && outcome !== 'refresh_token_invalid')).toEqual([]);
      expect(events.filter((name) => name === 'refresh.reuse_detected')).toHaveLength(1);
      for (const token of [...new Set([live, ...told])])
        await expect(service.refresh.refresh(token)).rejects.toMatchObject({ code: 'refresh_token_invalid' });
    },
  }),
  scenario({
    name: 'of revocation and rotation of a family the revocation lasts',
    refusals: refused,
    prepare: issued,
    call: ({ refreshToken }, index) =>
      index % 10 === 5 ? { method: 'refresh.revoke', args: [refreshToken] } : rotate(refreshToken),
    async expect({ told, events }, { refreshToken }, { service }) {
      expect(events.filter((name) => name === 'refresh.revoked')).toHaveLength(1);
      for (const token of new Set([refreshToken, ...told.filter((each) => each !== '')]))
        await expect(service.refresh.refresh(token)).rejects.toMatchObject({ code: 'refresh_token_invalid' });
    },
  }),
  scenario({
    name: 'an API key that is revoked is revoked once, and verified by nobody afterwards',
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
    name: 'a session is renewed by one of the requests that find it due, to one end',
    refusals: [],
    async prepare(world) {
      const made = await signedIn(world);
      world.clock.advance(2 * day);
      return made;
    },
    call: ({ token }) => ({ method: 'session.renew', args: [token], tell: 'session.expiresAt' }),
    async expect({ told }, { session }, { adapter, clock }) {
      const stored = (await adapter.sessions.findWithUser(session.id))!.session;
      expect(stored.expiresAt.getTime()).toBe(clock.now() + 7 * day);
      expect([...new Set(told)]).toEqual([String(stored.expiresAt)]);
    },
  }),
  scenario({
    name: 'renewals, however many, end at the cap from the sign-in',
    refusals: [],
    async prepare(world) {
      const made = await signedIn(world);
      let { token } = made;
      for (let week = 1; week <= 4; week += 1) {
        world.clock.advance(6.5 * day);
        const { sessions } = world.service[internals];
        token = (await sessions.renew(await sessions.authenticate(token)))?.token ?? token;
      }
      world.clock.advance(2 * day);
      return { ...made, token };
    },
    call: ({ token }) => ({ method: 'session.renew', args: [token] }),
    async expect(_seen, { session }, { adapter }) {
      const stored = (await adapter.sessions.findWithUser(session.id))!.session;
      expect(stored.expiresAt.getTime()).toBe(session.createdAt.getTime() + 30 * day);
    },
  }),
  scenario({
    name: 'of renewal and logout of a session the logout lasts, and is told once',
    refusals: ['token_invalid'],
    async prepare(world) {
      const made = await signedIn(world);
      world.clock.advance(2 * day);
      return made;
    },
    call: ({ token }, index) => ({
      method: index % 5 === 2 ? 'session.end' : 'session.renew',
      args: [token],
    }),
    async expect({ events }, { userId, token }, world) {
      expect(events.filter((name) => name === 'session.revoked')).toHaveLength(1);
      expect(await countLive(world, [token])).toBe(0);
      expect(await world.service.sessionsProvider.listDevices(userId)).toEqual([]);
    },
  }),
  scenario({
    name: 'what is started while everything is revoked is live only if it came after',
    refusals: ['token_invalid', ...refused],
    async prepare(world) {
      const { userId, refreshToken } = await issued(world);
      return {
        userId,
        refreshToken,
        before: (await world.service.sessionsProvider.create({ userId })).token,
      };
    },
    call: ({ userId, refreshToken }, index) =>
      [
        { method: 'sessionsProvider.create', args: [{ userId }], tell: 'session.id' },
        { method: 'refresh.issue', args: [{ userId }], tell: 'familyId' },
        rotate(refreshToken),
        { method: 'apiKeys.create', args: [{ userId, name: 'CI' }] },
        index === 24
          ? { method: 'sessionsProvider.revokeAll', args: [userId] }
          : { method: 'sessionsProvider.create', args: [{ userId }] },
      ][index % 5]!,
    async expect({ events }, { refreshToken, before }, world) {
      expect(events.filter((name) => name === 'session.all_revoked')).toHaveLength(1);
      expect(await countLive(world, [before])).toBe(0);
      await expect(world.service.refresh.refresh(refreshToken)).rejects.toMatchObject({
        code: 'refresh_token_invalid',
      });
    },
  }),
  scenario({
    name: 'a client makes twenty guests',
    refusals: ['rate_limit_exceeded'],
    prepare: async () => '192.0.2.10',
    call: (ip) => ({ method: 'sessionsProvider.createGuest', args: [undefined, { ip }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 20, rate_limit_exceeded: callsAtOnce - 20 });
    },
  }),
];
