import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import {
  begunTotp,
  confirmedTotp,
  insertedFamily,
  insertedGuest,
  newFamily,
  newHashes,
  newUpgrade,
} from './pro-records.js';
import {
  after,
  hasCapabilities,
  inParallel,
  insertedUser,
  newSession,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
  resetOf,
  storedReset,
} from './suite.js';

interface Ending {
  userId: string;
  /** Ends every session of the user, once. */
  end: (at: Date) => Promise<unknown>;
}

/** Prepares each method that ends all sessions of a user. Null if the adapter does not have it. */
const endings: Record<string, (storage: StorageAdapter) => Promise<Ending | null>> = {
  async revokeAll(storage) {
    const { id: userId } = await insertedUser(storage);
    return { userId, end: (at) => storage.sessions.revokeAll(userId, at) };
  },
  async claim(storage) {
    const { id: userId } = await insertedUser(storage);
    return { userId, end: (at) => storage.users.claim(userId, at) };
  },
  async resetPassword(storage) {
    const { id: userId } = await insertedUser(storage, { emailVerified: true });
    const end = async (at: Date) => {
      const user = (await storage.users.findById(userId)) ?? assert.fail('no user');
      return storage.users.resetPassword(resetOf(user, await storedReset(storage, user), { now: at }));
    };
    return { userId, end };
  },
  async changePassword(storage) {
    const { id: userId } = await insertedUser(storage, { passwordHash: 'old' });
    const change = { userId, fromHash: 'old', passwordHash: 'new' };
    const end = async (at: Date) =>
      storage.users.changePassword({ ...change, epoch: await epochOf(storage, userId), now: at });
    return { userId, end };
  },
  async changeEmail(storage) {
    if (!hasCapabilities(storage, ['accounts'])) return null;
    const { id: userId } = await insertedUser(storage);
    const end = async (at: Date) => {
      const epoch = await epochOf(storage, userId);
      return storage.accounts.changeEmail({ userId, epoch, email: `${randomUUID()}@example.test`, now: at });
    };
    return { userId, end };
  },
  async upgrade(storage) {
    if (!hasCapabilities(storage, ['guests'])) return null;
    const { id: userId } = await insertedGuest(storage);
    const upgrade = newUpgrade(userId);
    return { userId, end: (at) => storage.guests.upgrade({ ...upgrade, now: at }) };
  },
  async confirm(storage) {
    if (!hasCapabilities(storage, ['totp'])) return null;
    const { id: userId } = await insertedUser(storage);
    // Stores the pending secret just before, because other methods remove it.
    return { userId, end: async (at) => storage.totp.confirm(await begunTotp(storage, userId, { now: at })) };
  },
  async replaceRecoveryCodes(storage) {
    if (!hasCapabilities(storage, ['totp'])) return null;
    const { userId } = await confirmedTotp(storage, (await insertedUser(storage)).id);
    return { userId, end: (at) => storage.totp.replaceRecoveryCodes(userId, newHashes(), at) };
  },
  async disable(storage) {
    if (!hasCapabilities(storage, ['totp'])) return null;
    const { userId } = await confirmedTotp(storage, (await insertedUser(storage)).id);
    return { userId, end: (at) => storage.totp.disable(userId, at) };
  },
};

export function describeSessionEndings(test: RegisterConformanceTest): void {
  for (const [verb, prepare] of Object.entries(endings)) {
    test(`${verb} ends every session of that user and of no other, and raises the epoch`, async (storage) => {
      const ending = await prepare(storage);
      if (!ending) return;
      const { userId, end } = ending;
      const epoch = await epochOf(storage, userId);
      await inParallel(3, () => startedSession(storage, userId, {}, epoch));
      const other = await insertedUser(storage);
      const session = await startedSession(storage, other.id);
      await end(after(5));
      assert.deepEqual(await storage.sessions.listLive(userId, now), []);
      const user = await storage.users.findById(userId);
      assert.deepEqual([user?.epoch, user?.sessionsValidAfter], [epoch + 1, after(5)]);
      assert.deepEqual(await storage.sessions.findWithUser(session.id), { session, user: other });
    });

    test(`no session of a sign-in that began before ${verb} is started`, async (storage) => {
      const ending = await prepare(storage);
      if (!ending) return;
      const { userId, end } = ending;
      const epoch = await epochOf(storage, userId);
      await end(after(5));
      assert.equal(await storage.sessions.start(newSession(userId), epoch), false);
      assert.equal(await storage.sessions.start(newSession(userId), epoch + 1), true);
    });

    test(`${verb} never sets sessionsValidAfter to an earlier time`, async (storage) => {
      const ending = await prepare(storage);
      if (!ending) return;
      const { userId, end } = ending;
      await storage.sessions.revokeAll(userId, after(5));
      const epoch = await epochOf(storage, userId);
      await end(after(2));
      const user = await storage.users.findById(userId);
      assert.deepEqual([user?.epoch, user?.sessionsValidAfter], [epoch + 1, after(5)]);
    });

    test(`no session remains active after a parallel ${verb}`, async (storage) => {
      await inParallel(10, async () => {
        const ending = await prepare(storage);
        if (!ending) return;
        const { userId, end } = ending;
        const epoch = await epochOf(storage, userId);
        const sessions = Array.from({ length: 10 }, () => newSession(userId));
        const starts = (some: typeof sessions) =>
          some.map((session) => storage.sessions.start(session, epoch));
        await Promise.all([...starts(sessions.slice(0, 5)), end(now), ...starts(sessions.slice(5))]);
        assert.deepEqual(await storage.sessions.listLive(userId, now), []);
      });
    });

    testsRequiring(test, 'refreshFamilies')(
      `no refresh family or rotation remains valid after a parallel ${verb}`,
      async (storage) => {
        await inParallel(10, async () => {
          const ending = await prepare(storage);
          if (!ending) return;
          const { userId, end } = ending;
          const epoch = await epochOf(storage, userId);
          const old = await insertedFamily(storage, userId, { epoch });
          const families = Array.from({ length: 8 }, () => newFamily(userId, { epoch }));
          const insert = (family: (typeof families)[number]) => storage.refreshFamilies.insert(family);
          const rotate = (familyId: string, counter: number) =>
            storage.refreshFamilies.rotate({ familyId, counter, graceMs: 9, now });
          const racing = [rotate(old.id, 0), ...families.slice(0, 4).map(insert), end(now)];
          await Promise.all([...racing, ...families.slice(4).map(insert), rotate(old.id, 0)]);
          for (const { id } of [old, ...families]) {
            for (const counter of [0, 1]) assert.equal((await rotate(id, counter)).status, 'invalid');
          }
        });
      },
    );
  }
}

async function epochOf(storage: StorageAdapter, userId: string): Promise<number> {
  return (await storage.users.findById(userId))?.epoch ?? assert.fail('no user');
}
