/** Reports of changes of sessions and users, which `session.cache` requires. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionSubscription } from '../../src/storage/session-changes.js';
import { begunTotp, newFamily } from './pro-records.js';
import {
  after,
  hasCapabilities,
  usedLink,
  insertedUser,
  newSession,
  newUser,
  now,
  type RegisterConformanceTest,
  resetOf,
  startedSession,
  storedReset,
  testsRequiring,
  type With,
} from './suite.js';

type Storage = With<'sessionChanges'>;

/** Makes a change, and returns the id of its user and, if it has one, of its session. */
type Change = (storage: Storage) => Promise<(string | undefined)[]>;

const nothing = async () => undefined;

const changes: Record<string, Change> = {
  'users.markEmailVerified': async ({ users, ...storage }) => {
    const { id } = await insertedUser({ users, ...storage });
    await users.markEmailVerified(id, now);
    return [id];
  },
  'users.claim': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.users.claim(id, now);
    return [id];
  },
  'users.setFirstPassword': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.users.setFirstPassword(id, 0, 'new', now);
    return [id];
  },
  'users.resetPassword': async (storage) => {
    const user = await insertedUser(storage);
    await storage.users.resetPassword(resetOf(user, await storedReset(storage, user)));
    return [user.id];
  },
  'users.changePassword': async (storage) => {
    const { id: userId } = await insertedUser(storage, { passwordHash: 'old' });
    const hashes = { fromHash: 'old', passwordHash: 'new' };
    await storage.users.changePassword({ userId, epoch: 0, ...hashes, now });
    return [userId];
  },
  'sessions.revoke': async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId);
    await storage.sessions.revoke(id, now);
    return [userId, id];
  },
  'sessionBindings.bind': async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId);
    const key = { alg: 'ES256' as const, jwk: {}, epoch: 0, twoFactors: false, remember: true };
    await storage.sessionBindings?.bind(id, { id, key }, now);
    return storage.sessionBindings ? [userId, id] : [];
  },
  'sessions.end': async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId);
    await storage.sessions.end(id, now);
    return [userId, id];
  },
  // Another process may have revoked it without having been heard of yet.
  'sessions.revoke of a revoked session': async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId, { revokedAt: now });
    await storage.sessions.revoke(id, now);
    return [userId, id];
  },
  'sessions.revokeOthers': async (storage) => {
    const { id } = await insertedUser(storage);
    await startedSession(storage, id);
    await storage.sessions.revokeOthers(id, now);
    return [id];
  },
  'sessions.startWithin': async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId);
    await storage.sessions.startWithin(newSession(userId), 0, { max: 1 });
    return [userId, id];
  },
  'refreshFamilies.start': async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId);
    if (!storage.refreshFamilies) await storage.sessions.revoke(id, now);
    await storage.refreshFamilies?.start(newFamily(userId), { max: 1 });
    return [userId, id];
  },
  'sessions.revokeAllOnce': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.sessions.revokeAllOnce(id, usedLink(), now);
    return [id];
  },
  'sessions.revokeAll': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.sessions.revokeAll(id, now);
    return [id];
  },
  'userAdministration.update': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.userAdministration?.update(id, after(1), () => ({ roles: ['support'] }));
    return [id];
  },
  'userAdministration.setPassword': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.userAdministration?.setPassword(id, 'new', now);
    return [id];
  },
  'userAdministration.block': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.userAdministration?.block(id, { at: now, until: null, reason: null });
    return [id];
  },
  'userAdministration.unblock': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.userAdministration?.unblock(id, now);
    return [id];
  },
  'totp.confirm': async (storage) => {
    const { id } = await insertedUser(storage);
    if (hasCapabilities(storage, ['totp'])) await storage.totp.confirm(await begunTotp(storage, id));
    return [id];
  },
  'totp.disable': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.totp?.disable(id, now);
    return [id];
  },
  'accounts.changeEmail': async (storage) => {
    const { id: userId } = await insertedUser(storage);
    await storage.accounts?.changeEmail({ userId, epoch: 0, email: `${randomUUID()}@example.test`, now });
    return [userId];
  },
  'accounts.deleteUser': async (storage) => {
    const { id } = await insertedUser(storage);
    await storage.accounts?.deleteUser(id, nothing);
    return [id];
  },
  'guests.upgrade': async (storage) => {
    const { id: userId } = newUser();
    await storage.guests?.insert(newUser({ id: userId, email: null }));
    const credentials = { identity: null, email: null, emailVerified: false, passwordHash: null };
    await storage.guests?.upgrade({ userId, ...credentials, now });
    return [userId];
  },
  'guests.delete': async (storage) => {
    const { id } = newUser();
    await storage.guests?.insert(newUser({ id, email: null }));
    await storage.guests?.delete(id, nothing);
    return [id];
  },
  'guests.deleteAbandoned': async (storage) => {
    const { id } = newUser();
    await storage.guests?.insert(newUser({ id, email: null, createdAt: after(-90 * 86_400_000) }));
    await storage.guests?.deleteAbandoned?.({ createdBefore: after(-80 * 86_400_000), limit: 1_000 });
    return [id];
  },
};

/** Repositories that an adapter may lack: their changes are not made then. */
const isPossible = (storage: Storage, change: string) => {
  const [repository, method] = change.split(/[. ]/);
  const methods = storage[repository as 'guests'];
  return methods?.[method as 'deleteAbandoned'] !== undefined;
};

/** An adapter whose lookups do not leave the process may never be current; then it need not report. */
async function isUsed(subscription: SessionSubscription): Promise<boolean> {
  for (let waited = 0; waited < 3_000 && !subscription.isCurrent(); waited += 20) await sleep(20);
  return subscription.isCurrent();
}

export function describeSessionChanges(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'sessionChanges');

  test('reports each change of this process before the promise of the method settles', async (storage) => {
    let reports: (string | null)[] = [];
    const onChange = (id: string | null) => void reports.push(id);
    const options = { onChange, maxStaleMs: 60_000, warn: () => undefined };
    const subscription = storage.sessionChanges.subscribe(options);
    try {
      if (!(await isUsed(subscription))) return;
      for (const [name, change] of Object.entries(changes)) {
        if (!isPossible(storage, name)) continue;
        reports = [];
        const ids: unknown[] = await change(storage);
        assert.ok(
          reports.some((id) => id === null || ids.includes(id)),
          `${name} was not reported`,
        );
      }
    } finally {
      await subscription.close();
    }
  });

  test('reports nothing, and is not current, after close()', async (storage) => {
    let reports = 0;
    const onChange = () => void (reports += 1);
    const subscription = storage.sessionChanges.subscribe({ onChange, maxStaleMs: 60_000, warn: onChange });
    await subscription.close();
    const atClose = reports;
    const { id } = await insertedUser(storage);
    await storage.sessions.revokeAll(id, now);
    assert.deepEqual([reports, subscription.isCurrent()], [atClose, false]);
  });
}
