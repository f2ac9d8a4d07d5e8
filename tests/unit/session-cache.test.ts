/** What the cache of checked sessions remembers, with an adapter whose reports the test controls. */
import { randomUUID } from 'node:crypto';
import { createService, memoryAdapter, type StorageAdapter } from 'svc-auth';
import { SessionCache } from '../../src/core/sessions/session-cache.js';
import type { ServiceSession } from '../../src/domain/session.js';
import { initialUserState, type StoredUser } from '../../src/domain/user.js';
import type { SessionChanges } from '../../src/storage/session-changes.js';
import { testSecret } from '../support/make-service.js';

interface Row {
  session: ServiceSession;
  user: StoredUser;
}

const at = new Date('2031-05-06T07:08:09.123Z');

function newRow(userId: string = randomUUID(), metadata: Record<string, unknown> = { plan: 'free' }): Row {
  const times = { createdAt: at, lastSeenAt: at, expiresAt: at, revokedAt: null, boundAt: null };
  return {
    session: { id: randomUUID(), userId, device: {}, ...times },
    user: {
      id: userId,
      email: null,
      emailVerified: true,
      passwordHash: 'hash',
      metadata,
      ...initialUserState(),
      createdAt: new Date(at),
      updatedAt: new Date(at),
    },
  };
}

/** An open cache; `report` is what the adapter calls. */
function openCache() {
  const state = { isCurrent: true, closed: 0, report: (_id: string | null): void => undefined };
  const changes: SessionChanges = {
    subscribe({ onChange }) {
      state.report = onChange;
      return { isCurrent: () => state.isCurrent, close: async () => void (state.closed += 1) };
    },
  };
  const cache = new SessionCache(changes, 1_000);
  cache.open(() => undefined);
  const remember = async (row: Row) => {
    await cache.lookUp(row.session.id, async () => row);
    return row.session.id;
  };
  return { cache, state, remember };
}

describe('The cache of checked sessions', () => {
  it('returns a session that was looked up, without the hash of the password', async () => {
    const { cache, remember } = openCache();
    const row = newRow();
    const { passwordHash: _hash, ...user } = row.user;
    const found = cache.find(await remember(row));
    expect([found?.session, found?.user]).toEqual([row.session, user]);
  });

  it('forgets a session by its id, all sessions of a user by the id of the user, and everything by null', async () => {
    const { cache, state, remember } = openCache();
    const userId = randomUUID();
    const [one, two, other] = [newRow(userId), newRow(userId), newRow()];
    for (const row of [one, two, other]) await remember(row);
    const remembered = () => [one, two, other].map(({ session }) => cache.find(session.id) !== null);
    state.report(one.session.id);
    expect(remembered()).toEqual([false, true, true]);
    await remember(one);
    state.report(randomUUID());
    expect(remembered()).toEqual([true, true, true]);
    state.report(userId);
    expect(remembered()).toEqual([false, false, true]);
    state.report(null);
    expect(remembered()).toEqual([false, false, false]);
  });

  it('does not remember a lookup during which any change was reported', async () => {
    const { cache, state } = openCache();
    const row = newRow();
    const found = await cache.lookUp(row.session.id, async () => {
      state.report(row.user.id);
      return row;
    });
    expect(found).toBe(row);
    expect(cache.find(row.session.id)).toBeNull();
  });

  it('neither uses nor remembers a session while the adapter is not current, and continues afterwards', async () => {
    const { cache, state, remember } = openCache();
    const before = await remember(newRow());
    state.isCurrent = false;
    const during = await remember(newRow());
    expect([cache.find(before), cache.find(during)]).toEqual([null, null]);
    state.isCurrent = true;
    expect([cache.find(before) === null, cache.find(during) === null]).toEqual([false, true]);
  });

  it('does not remember a revoked session, an unknown one, or one whose user has much metadata', async () => {
    const { cache, remember } = openCache();
    const row = newRow();
    const revoked = { ...row, session: { ...row.session, revokedAt: at } };
    expect(cache.find(await remember(revoked))).toBeNull();
    expect(await cache.lookUp('unknown', async () => null)).toBeNull();
    expect(cache.find(await remember(newRow(undefined, { text: 'x'.repeat(5_000) })))).toBeNull();
  });

  it('returns a copy, so that a handler that changes its user does not change that of others', async () => {
    const { cache, remember } = openCache();
    const row = newRow();
    const id = await remember(row);
    for (const user of [row.user, cache.find(id)?.user]) {
      if (user) user.metadata['plan'] = 'pro';
      user?.createdAt.setTime(0);
    }
    expect(cache.find(id)?.user).toMatchObject({ metadata: { plan: 'free' }, createdAt: at });
  });

  it('remembers ten thousand sessions, and then forgets the oldest', async () => {
    const { cache, remember } = openCache();
    const first = await remember(newRow());
    const second = await remember(newRow());
    for (let count = 2; count < 10_000; count += 1) await remember(newRow());
    expect(cache.find(first)).not.toBeNull();
    await remember(newRow());
    expect([cache.find(first) === null, cache.find(second) === null]).toEqual([true, false]);
  });

  it('is empty and ends its subscription after close()', async () => {
    const { cache, state, remember } = openCache();
    const id = await remember(newRow());
    await cache.close();
    expect([cache.find(id), state.closed]).toEqual([null, 1]);
  });
});

describe('session.cache', () => {
  const session = { secret: testSecret, cache: { maxStaleMs: 1_000 } };

  it('throws adapter_capability if the adapter cannot report changes', () => {
    const { sessionChanges: _changes, ...adapter }: StorageAdapter = memoryAdapter();
    expect(() => createService({ adapter, session })).toThrow(
      expect.objectContaining({ code: 'adapter_capability' }),
    );
    expect(() => createService({ adapter, session: { secret: testSecret } })).not.toThrow();
  });

  it.each([0, 99, 60_001, 1.5, '1000', null])('throws config_invalid for maxStaleMs %p', (maxStaleMs) => {
    const cache = { maxStaleMs: maxStaleMs as number };
    expect(() => createService({ adapter: memoryAdapter(), session: { ...session, cache } })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    );
  });
});
