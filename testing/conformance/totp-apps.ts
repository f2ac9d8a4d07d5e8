import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TotpAddition } from '../../src/storage/second-factor-repositories.js';
import { begunTotp, confirmedTotp, insertedCredential } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  resetOf,
  startedSession,
  storedReset,
  testsRequiring,
  type RegisterConformanceTest,
  type With,
} from './suite.js';

/** Stores a pending secret and returns the addition that makes it another app. */
async function begunApp(
  storage: With<'totp'>,
  userId: string,
  overrides: Partial<TotpAddition> = {},
): Promise<TotpAddition> {
  const { pendingSecret } = await begunTotp(storage, userId);
  const app = { appId: randomUUID(), name: 'Tablet', maxApps: 5 };
  return { userId, pendingSecret, step: 1000, now, ...app, ...overrides };
}

async function addedApp(
  storage: With<'totp'>,
  userId: string,
  overrides: Partial<TotpAddition> = {},
): Promise<TotpAddition> {
  const addition = await begunApp(storage, userId, overrides);
  assert.equal(await storage.totp.addApp(addition), 'added');
  return addition;
}

/** A user with a first app. */
async function enrolledUser(storage: With<'totp'>) {
  const { id } = await insertedUser(storage, { emailVerified: true });
  const first = await confirmedTotp(storage, id, { appId: randomUUID(), name: 'Phone' });
  return { id, first };
}

const idsOf = async (storage: With<'totp'>, userId: string) =>
  (await storage.totp.listApps(userId)).map(({ id }) => id);

export function describeTotpApps(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'totp');

  test('an app without an id has that of the user', async (storage) => {
    const { id } = await insertedUser(storage);
    const { secret, step } = await confirmedTotp(storage, id);
    const app = { id, userId: id, name: null, secret, lastStep: step, createdAt: now, lastUsedAt: null };
    assert.deepEqual(await storage.totp.listApps(id), [app]);
    assert.deepEqual(await storage.totp.listApps(randomUUID()), []);
  });

  test('addApp adds an app, keeps the recovery codes and ends every session', async (storage) => {
    const { id, first } = await enrolledUser(storage);
    const session = await startedSession(storage, id, {}, 1);
    const second = await addedApp(storage, id, { epoch: 1, now: after(5) });
    const apps = await storage.totp.listApps(id);
    assert.deepEqual(
      apps.map(({ name, secret, createdAt }) => [name, secret, createdAt]),
      [
        ['Phone', first.secret, now],
        ['Tablet', second.pendingSecret, after(5)],
      ],
    );
    assert.equal((await storage.totp.find(id))?.pendingSecret, null);
    assert.equal(await storage.totp.countRecoveryCodes(id), 3);
    const ended = await storage.sessions.findWithUser(session.id);
    assert.deepEqual([ended?.user.epoch, ended?.session.revokedAt], [2, after(5)]);
  });

  test('addApp changes nothing without an app, for another secret or epoch, or if there are too many', async (storage) => {
    const { id } = await insertedUser(storage);
    const begun = await begunApp(storage, id);
    assert.equal(await storage.totp.addApp(begun), 'refused');
    const enrolled = await enrolledUser(storage);
    const next = await begunApp(storage, enrolled.id);
    assert.equal(await storage.totp.addApp({ ...next, pendingSecret: 'other' }), 'refused');
    assert.equal(await storage.totp.addApp({ ...next, epoch: 0 }), 'refused');
    assert.equal(await storage.totp.addApp({ ...next, userId: randomUUID() }), 'refused');
    assert.equal(await storage.totp.addApp({ ...next, maxApps: 1 }), 'too_many');
    assert.equal((await idsOf(storage, enrolled.id)).length, 1);
    assert.equal((await storage.users.findById(enrolled.id))?.epoch, 1);
  });

  test('only one of 50 parallel additions of a pending secret succeeds', async (storage) => {
    const { id } = await enrolledUser(storage);
    const begun = await begunApp(storage, id);
    const outcomes = await inParallel(50, () => storage.totp.addApp({ ...begun, appId: randomUUID() }));
    assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 1);
    assert.equal((await idsOf(storage, id)).length, 2);
  });

  test('confirm replaces every app', async (storage) => {
    const { id } = await enrolledUser(storage);
    await addedApp(storage, id);
    const appId = randomUUID();
    await confirmedTotp(storage, id, { appId });
    assert.deepEqual(await idsOf(storage, id), [appId]);
  });

  test('advance keeps a last step for each app, and the time of its last use', async (storage) => {
    const { id, first } = await enrolledUser(storage);
    const { pendingSecret } = await addedApp(storage, id);
    assert.equal(await storage.totp.advance(id, pendingSecret, 1001, after(1)), true);
    assert.equal(await storage.totp.advance(id, pendingSecret, 1001, after(2)), false);
    assert.equal(await storage.totp.advance(id, first.secret, 1001, after(3)), true);
    assert.deepEqual(
      (await storage.totp.listApps(id)).map(({ lastStep, lastUsedAt }) => [lastStep, lastUsedAt]),
      [
        [1001, after(3)],
        [1001, after(1)],
      ],
    );
  });

  test('only one of 50 parallel codes of an added app is accepted', async (storage) => {
    const { id } = await enrolledUser(storage);
    const { pendingSecret } = await addedApp(storage, id);
    const results = await inParallel(50, () => storage.totp.advance(id, pendingSecret, 1001, now));
    assert.equal(results.filter(Boolean).length, 1);
  });

  test('renameApp renames an app of the user only', async (storage) => {
    const { id, first } = await enrolledUser(storage);
    const { appId } = await addedApp(storage, id);
    const other = await enrolledUser(storage);
    assert.equal(await storage.totp.renameApp(id, first.appId ?? '', 'Work'), true);
    assert.equal(await storage.totp.renameApp(id, appId, null), true);
    for (const wrong of [other.first.appId ?? '', randomUUID(), '', 'x'])
      assert.equal(await storage.totp.renameApp(id, wrong, 'Mine'), false);
    assert.deepEqual(
      (await storage.totp.listApps(id)).map(({ name }) => name),
      ['Work', null],
    );
    assert.equal((await storage.users.findById(id))?.epoch, 2);
  });

  test('removeApp removes one app, and another one becomes the first', async (storage) => {
    const { id, first } = await enrolledUser(storage);
    const second = await addedApp(storage, id, { now: after(1) });
    const third = await addedApp(storage, id, { now: after(2) });
    await storage.totp.advance(id, second.pendingSecret, 1007, after(3));
    assert.equal(await storage.totp.removeApp(id, first.appId ?? '', after(5), 3), 'removed');
    assert.deepEqual(await idsOf(storage, id), [second.appId, third.appId]);
    // A code of the app that was accepted before stays refused.
    assert.equal(await storage.totp.advance(id, second.pendingSecret, 1007, after(6)), false);
    assert.equal((await storage.totp.find(id))?.secret, second.pendingSecret);
    assert.equal(await storage.totp.removeApp(id, third.appId, after(7)), 'removed');
    assert.deepEqual(await idsOf(storage, id), [second.appId]);
    const user = await storage.users.findById(id);
    assert.deepEqual([user?.epoch, user?.totpEnabled], [5, true]);
    assert.equal(await storage.totp.countRecoveryCodes(id), 3);
  });

  test('removeApp disables the second factor with the last app', async (storage) => {
    const { id, first } = await enrolledUser(storage);
    await storage.totp.setEmail(id, true, now);
    assert.equal(await storage.totp.removeApp(id, first.appId ?? '', after(5)), 'disabled');
    const user = await storage.users.findById(id);
    assert.deepEqual([user?.totpEnabled, user?.epoch], [false, 3]);
    assert.deepEqual(await storage.totp.find(id), null);
    assert.equal(await storage.totp.countRecoveryCodes(id), 0);
    // A later enrollment does not bring the choices back.
    await confirmedTotp(storage, id);
    assert.equal((await storage.totp.findFactors(id))?.email, false);
  });

  test('removeApp changes nothing for an app of another user, or another epoch', async (storage) => {
    const { id, first } = await enrolledUser(storage);
    const other = await enrolledUser(storage);
    for (const wrong of [other.first.appId ?? '', randomUUID(), ''])
      assert.equal(await storage.totp.removeApp(id, wrong, now), 'refused');
    assert.equal(await storage.totp.removeApp(id, first.appId ?? '', now, 7), 'refused');
    assert.equal((await storage.users.findById(id))?.epoch, 1);
  });

  test('parallel removals of all apps disable the second factor once', async (storage) => {
    const { id, first } = await enrolledUser(storage);
    const ids = [first.appId ?? ''];
    for (let i = 0; i < 2; i += 1) ids.push((await addedApp(storage, id)).appId);
    const outcomes = await inParallel(30, (index) =>
      storage.totp.removeApp(id, ids[index % 3] ?? '', after(5)),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'disabled').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'removed').length, 2);
    assert.equal((await storage.users.findById(id))?.totpEnabled, false);
  });

  test('listSecrets and reencrypt reach every app', async (storage) => {
    const { id, first } = await enrolledUser(storage);
    const { pendingSecret } = await addedApp(storage, id);
    const own = async () =>
      (await storage.totp.listSecrets('v2.', null, 1_000_000)).filter(({ userId }) => userId === id);
    assert.deepEqual((await own()).map(({ secret }) => secret).sort(), [first.secret, pendingSecret].sort());
    await storage.totp.reencrypt(id, first.secret, `v2.${randomUUID()}`);
    assert.deepEqual(await own(), [{ userId: id, secret: pendingSecret }]);
    await storage.totp.reencrypt(id, pendingSecret, `v2.${randomUUID()}`);
    assert.deepEqual(await own(), []);
  });

  test('findFactors returns what the second step can use', async (storage) => {
    const { id } = await insertedUser(storage);
    assert.equal(await storage.totp.findFactors(id), null);
    await begunTotp(storage, id);
    assert.equal(await storage.totp.findFactors(id), null);
    assert.equal(await storage.totp.setPreferred(id, 'email'), false);
    assert.equal(await storage.totp.setEmail(id, true, now), false);
    await confirmedTotp(storage, id);
    const usual = { email: false, passkeys: 0, recoveryCodes: 3, preferred: null };
    assert.deepEqual(await storage.totp.findFactors(id), usual);
    assert.equal(await storage.totp.setPreferred(id, 'email'), true);
    assert.equal(await storage.totp.setEmail(id, true, after(5), 1), true);
    assert.equal(await storage.totp.setEmail(id, true, after(6)), false);
    assert.equal(await storage.totp.setEmail(id, false, after(6), 1), false);
    const { credentials } = storage;
    if (credentials) await insertedCredential({ ...storage, credentials }, id, {}, 2);
    const chosen = { ...usual, email: true, preferred: 'email', passkeys: credentials ? 1 : 0 };
    assert.deepEqual(await storage.totp.findFactors(id), chosen);
    const user = await storage.users.findById(id);
    assert.deepEqual([user?.epoch, user?.sessionsValidAfter], [2, after(5)]);
  });

  test('a password reset ends codes by email, a password change does not', async (storage) => {
    const { id } = await enrolledUser(storage);
    await storage.totp.setEmail(id, true, now);
    const user = (await storage.users.findById(id)) ?? assert.fail('no user');
    assert.ok(await storage.users.resetPassword(resetOf(user, await storedReset(storage, user))));
    assert.equal((await storage.totp.findFactors(id))?.email, false);
    await storage.totp.setEmail(id, true, now);
    const { epoch, passwordHash } = (await storage.users.findById(id)) ?? assert.fail('no user');
    const change = { userId: id, epoch, fromHash: passwordHash ?? '', passwordHash: 'newer', now };
    assert.equal((await storage.users.changePassword(change)).status, 'changed');
    assert.equal((await storage.totp.findFactors(id))?.email, true);
  });
}
