/** What the cache of shared sessions accepts from its store, which other programs can read and write. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryAdapter, type SessionCacheStore, type StorageAdapter } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { sealEntry, unsealEntry } from '../../src/core/sessions/sealed-session.js';
import { entryOf } from '../../src/core/sessions/session-entries.js';
import { SharedSessionCache } from '../../src/core/sessions/shared-session-cache.js';
import { createKeyring } from '../../src/crypto/keys.js';
import type { ServiceSession } from '../../src/domain/session.js';
import { initialUserState, type StoredUser } from '../../src/domain/user.js';
import { reportingAdapter } from '../../src/storage/session-changing-methods.js';
import { newFamily } from '../../testing/conformance/pro-records.js';
import { describeSessionChanges } from '../../testing/conformance/session-changes.js';
import { newSession } from '../../testing/conformance/suite.js';
import { keys } from '../support/limits.js';

const at = new Date('2031-05-06T07:08:09.123Z');
const maxStaleMs = 5_000;
const skewMs = 500;

function newRow(): { session: ServiceSession; user: StoredUser } {
  const userId = randomUUID();
  const device = { name: 'Phone', ip: '192.0.2.1', userAgent: 'Browser' };
  return {
    session: {
      id: randomUUID(),
      userId,
      device,
      createdAt: at,
      lastSeenAt: at,
      expiresAt: at,
      revokedAt: null,
      boundAt: null,
    },
    user: {
      id: userId,
      email: 'ada@example.com',
      emailVerified: true,
      passwordHash: 'hash',
      metadata: { $date: 5, nested: { $date: 'text' } },
      ...initialUserState(),
      sessionsValidAfter: at,
      blocked: { at, until: null, reason: 'spam' },
      roles: ['support'],
      createdAt: at,
      updatedAt: at,
    },
  };
}

type Row = ReturnType<typeof newRow>;

/** The store of several caches, in memory. */
function openStore() {
  const values = new Map<string, string>();
  const subscribers = new Set<(id: string | null) => void>();
  const store: SessionCacheStore = {
    read: async (ids) => ids.map((id) => values.get(id) ?? null),
    add: async (id, value) => void (values.has(id) || values.set(id, value)),
    async markChanged(ids) {
      for (const id of ids) {
        if (id !== null) values.set(id, 'changed');
        for (const onChange of subscribers) onChange(id);
      }
    },
    subscribe({ onChange }) {
      subscribers.add(onChange);
      return { isCurrent: () => true, close: async () => void subscribers.delete(onChange) };
    },
  };
  return { store, values };
}

function openCache(store: SessionCacheStore, clock = testClock(at.getTime())) {
  const warnings: object[] = [];
  const cache = new SharedSessionCache(store, maxStaleMs, { keys, clock: clock.now });
  cache.open((fields) => void warnings.push(fields));
  const lookUp = (row: Row) => cache.lookUp(row.session.id, async () => row);
  const shared = (row: Row) => cache.findShared(row.session.id, row.user.id);
  return { cache, clock, warnings, lookUp, shared, find: (row: Row) => cache.find(row.session.id) };
}

describe('The cache of shared sessions', () => {
  it('returns what another cache has looked up, except the hash of the password', async () => {
    const { store } = openStore();
    const row = newRow();
    await openCache(store).lookUp(row);
    const found = await openCache(store).shared(row);
    const { passwordHash: _hash, ...user } = row.user;
    expect(found).toEqual({ session: row.session, user });
  });

  it('has a version for the fields of its entries: if this fails, increment it in sealed-session.ts', () => {
    const { session, user } = newRow();
    const names = [...Object.keys(session), ...Object.keys(user)].sort().join(' ');
    expect([names, sealEntry(keys, entryOf({ session, user }, 0)!).split('.').length]).toEqual([
      'blocked boundAt createdAt createdAt device email emailVerified epoch expiresAt externalId id id language lastSeenAt metadata passwordHash revokedAt roles sessionsValidAfter totpEnabled updatedAt userId username',
      5,
    ]);
  });

  it.each(['memory', 'store'])(
    'accepts no entry of the %s from maxStaleMs after its lookup on',
    async (place) => {
      const { store } = openStore();
      const row = newRow();
      const one = openCache(store);
      await one.lookUp(row);
      const reader = place === 'memory' ? one : openCache(store, one.clock);
      const find = async () => (place === 'memory' ? reader.find(row) : reader.shared(row));
      one.clock.advance(maxStaleMs);
      expect(await find()).not.toBeNull();
      one.clock.advance(1);
      expect(await find()).toBeNull();
    },
  );

  it('does not extend the life of an entry that it has read from the store', async () => {
    const { store } = openStore();
    const row = newRow();
    const one = openCache(store);
    await one.lookUp(row);
    one.clock.advance(maxStaleMs - 1);
    const two = openCache(store, one.clock);
    expect(await two.shared(row)).not.toBeNull();
    one.clock.advance(2);
    expect(two.find(row)).toBeNull();
  });

  it('forgets an entry after maxStaleMs also if the clock of the service is set back', async () => {
    const row = newRow();
    const clock = testClock(at.getTime());
    const cache = new SharedSessionCache(openStore().store, 100, { keys, clock: clock.now });
    cache.open(() => undefined);
    await cache.lookUp(row.session.id, async () => row);
    expect(cache.find(row.session.id)).not.toBeNull();
    await sleep(120);
    clock.advance(-100);
    expect(cache.find(row.session.id)).toBeNull();
  });

  it('counts the age of an entry from before its lookup', async () => {
    const { store, values } = openStore();
    const row = newRow();
    const { cache, clock, find } = openCache(store);
    await cache.lookUp(row.session.id, async () => {
      clock.advance(maxStaleMs + 1);
      return row;
    });
    expect([find(row), values.size]).toEqual([null, 0]);
  });

  it('refuses an entry from further in the future than clocks differ', async () => {
    const { store } = openStore();
    const row = newRow();
    const ahead = openCache(store, testClock(at.getTime() + skewMs + 1));
    await ahead.lookUp(row);
    const reader = openCache(store);
    expect(await reader.shared(row)).toBeNull();
    reader.clock.advance(1);
    expect(await reader.shared(row)).not.toBeNull();
  });

  it.each([
    ['session', (row: Row) => row.session.id],
    ['user', (row: Row) => row.user.id],
  ])('refuses a lookup during which another process has marked the %s', async (_name, idOf) => {
    const { store } = openStore();
    const [one, two, other] = [openCache(store), openCache(store), openCache(store)];
    const row = newRow();
    await one.cache.lookUp(row.session.id, async () => {
      await other.cache.markChanged([idOf(row)]);
      return row;
    });
    expect([one.find(row), await one.shared(row), await two.shared(row)]).toEqual([null, null, null]);
  });

  it('refuses the entry of a user who changed before the process started, and of which it received no message', async () => {
    const { store, values } = openStore();
    const row = newRow();
    const one = openCache(store);
    await one.lookUp(row);
    await one.cache.markChanged([row.user.id]);
    expect(values.get(row.session.id)).not.toBe('changed');
    expect(await openCache(store).shared(row)).toBeNull();
  });

  it('refuses a lookup during which anything may have changed', async () => {
    const { store } = openStore();
    const [one, other] = [openCache(store), openCache(store)];
    const row = newRow();
    await one.cache.lookUp(row.session.id, async () => {
      await other.cache.markChanged([null]);
      return row;
    });
    expect([one.find(row), await one.shared(row), await other.shared(row)]).toEqual([null, null, null]);
  });

  it('refuses what has changed also if the store does not respond', async () => {
    const { store } = openStore();
    const row = newRow();
    const failing = { ...store, markChanged: () => Promise.reject(new Error('away')) };
    const { cache, find, shared, lookUp, warnings } = openCache(failing);
    await lookUp(row);
    await cache.markChanged([row.user.id]);
    expect([find(row), await shared(row)]).toEqual([null, null]);
    expect(warnings).toEqual([{ event: 'session_cache_off', cause: 'store_failed' }]);
  });

  it('warns once while the store reads but refuses to write', async () => {
    const refuse = () => Promise.reject(new Error('OOM'));
    const { cache, warnings, lookUp, shared } = openCache({
      ...openStore().store,
      add: refuse,
      markChanged: refuse,
    });
    for (const row of [newRow(), newRow(), newRow()]) {
      await shared(row);
      await lookUp(row);
      await cache.markChanged([row.session.id]);
    }
    expect(warnings).toHaveLength(1);
  });

  it('refuses every older entry after more changes than it remembers', async () => {
    const { store } = openStore();
    const row = newRow();
    const { cache, clock, find, lookUp, shared } = openCache(store);
    await cache.markChanged([row.session.id]);
    await cache.markChanged(Array.from({ length: 10_001 }, () => randomUUID()));
    expect(await lookUp(row)).toBe(row);
    expect([find(row), await shared(row)]).toEqual([null, null]);
    clock.advance(skewMs + 1);
    await lookUp(row);
    expect(find(row)).not.toBeNull();
  });

  it('ignores values that it has not written, and those of another session, user or secret', async () => {
    const { store, values } = openStore();
    const [row, other] = [newRow(), newRow()];
    const { shared, lookUp } = openCache(store);
    await lookUp(other);
    const stranger = createKeyring('another secret, which has 32 bytes or more');
    const foreign = sealEntry(stranger, entryOf(row, at.getTime())!);
    for (const value of ['', 'changed', 'null', 'v1.x.y.z.w', foreign, values.get(other.session.id)!]) {
      values.set(row.session.id, value);
      expect(await shared(row)).toBeNull();
    }
    // A token that names another user than the entry of its session.
    expect(await openCache(store).cache.findShared(other.session.id, row.user.id)).toBeNull();
    expect(unsealEntry(keys, other.session.id, values.get(other.session.id)!)).not.toBeNull();
  });

  it('ignores the entry of another session of the same user', async () => {
    const { store, values } = openStore();
    const row = newRow();
    const ended = { ...row, session: { ...row.session, id: randomUUID() } };
    const { lookUp } = openCache(store);
    await lookUp(row);
    values.set(ended.session.id, values.get(row.session.id)!);
    expect(await openCache(store).shared(ended)).toBeNull();
  });

  it('does not remember a session that has ended', async () => {
    const { store, values } = openStore();
    const row = newRow();
    row.session.revokedAt = at;
    const { find, lookUp } = openCache(store);
    await lookUp(row);
    expect([find(row), values.size]).toEqual([null, 0]);
  });

  it('is empty before it is opened and after it is closed', async () => {
    const { store } = openStore();
    const row = newRow();
    const { cache, find, lookUp, shared } = openCache(store);
    await lookUp(row);
    await cache.close();
    expect([find(row), await shared(row)]).toEqual([null, null]);
    expect(await lookUp(row)).toBe(row);
    expect(find(row)).toBeNull();
  });
});

const insertWithProof = (credentials: StorageAdapter['credentials'], userId: string) =>
  credentials?.insertWithProof({ userId } as never, {} as never);

describe('An adapter whose changes the service reports', () => {
  function openAdapter(): StorageAdapter {
    const subscribers = new Set<(id: string | null) => void>();
    const adapter = reportingAdapter(memoryAdapter(), (ids) => {
      for (const onChange of subscribers) ids.forEach((id) => onChange(id));
    });
    const sessionChanges: StorageAdapter['sessionChanges'] = {
      subscribe({ onChange }) {
        subscribers.add(onChange);
        return {
          isCurrent: () => subscribers.has(onChange),
          close: async () => void subscribers.delete(onChange),
        };
      },
    };
    return new Proxy(adapter, {
      get: (target, name) => (name === 'sessionChanges' ? sessionChanges : Reflect.get(target, name)),
    });
  }

  describeSessionChanges((title, body) => {
    it(title, () => body(openAdapter()));
  });

  it('reports nothing if a sign-in with a limit is refused, such as that of a blocked user', async () => {
    const reports: unknown[] = [];
    const { sessions, refreshFamilies } = reportingAdapter(
      memoryAdapter(),
      (ids) => void reports.push(...ids),
    );
    expect(await sessions.startWithin(newSession(randomUUID()), 0, { max: 1 })).toBeNull();
    expect(await refreshFamilies?.start(newFamily(randomUUID()), { max: 1 })).toBeNull();
    expect(reports).toEqual([]);
  });

  // The conformance suite makes the other changes.
  it.each<[string, (storage: StorageAdapter, id: string) => unknown]>([
    ['accounts.setLanguage', ({ accounts }, id) => accounts?.setLanguage(id, 0, 'de', at)],
    ['totp.removeApp', ({ totp }, id) => totp?.removeApp(id, randomUUID(), at)],
    ['totp.setEmail', ({ totp }, id) => totp?.setEmail(id, true, at)],
    ['totp.replaceRecoveryCodes', ({ totp }, id) => totp?.replaceRecoveryCodes(id, ['hash'], at)],
    ['totp.addApp', ({ totp }, userId) => totp?.addApp({ userId } as never)],
    ['credentials.insertWithProof', ({ credentials }, userId) => insertWithProof(credentials, userId)],
  ])('%s reports the user also if it is refused', async (_name, change) => {
    const reports: unknown[] = [];
    const adapter = reportingAdapter(memoryAdapter(), (ids) => void reports.push(...ids));
    const id = randomUUID();
    await Promise.resolve(change(adapter, id)).catch(() => undefined);
    expect(reports).toEqual([id]);
  });

  it('keeps methods that use private properties, and settles after the report', async () => {
    class Sessions {
      #ended: string[] = [];
      async revoke(id: string): Promise<string> {
        this.#ended.push(id);
        return id;
      }
    }
    class Adapter {
      readonly sessions = new Sessions();
      #opened = 0;
      async init(): Promise<void> {
        this.#opened += 1;
      }
      get opened(): number {
        return this.#opened;
      }
    }
    const reported: unknown[] = [];
    const mine = new Adapter();
    const adapter = reportingAdapter(mine as never, async (ids) => {
      await new Promise((resolve) => setImmediate(resolve));
      reported.push(...ids);
    });
    await adapter.init();
    await adapter.sessions.revoke('one', at);
    expect([mine.opened, reported]).toEqual([1, ['one']]);
  });
});
