/** The keys to which sessions are bound. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { SessionBinding } from '../../src/domain/session-binding.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  startedSession,
  testsRequiring,
} from './suite.js';

function newBinding(id: string, remember = true): SessionBinding {
  const jwk = { kty: 'EC', crv: 'P-256', x: randomUUID(), y: 'ÿ"\\' };
  return { id, key: { alg: 'ES256', jwk, epoch: 0, twoFactors: false, remember } };
}

export function describeSessionBindings(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'sessionBindings');

  test('bind stores the key, and every lookup of the session returns when it was bound', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id);
    assert.equal((await storage.sessions.findWithUser(session.id))?.session.boundAt, null);
    const binding = newBinding(session.id);
    assert.equal(await storage.sessionBindings.bind(session.id, binding, after(1)), true);
    const bound = { ...session, boundAt: after(1) };
    assert.deepEqual(await storage.sessionBindings.find(session.id), { session: bound, user, binding });
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session, bound);
    assert.deepEqual(await storage.sessions.listLive(user.id, now), [bound]);
    const [browser] = await storage.sessions.listBrowsers(user.id, now);
    assert.deepEqual(browser?.boundAt, after(1));
    const target = await storage.sessions.findWithTarget(session.id, user.id);
    assert.deepEqual(target?.session.boundAt, after(1));
  });

  test('bind binds a session once, also in parallel', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId);
    const bindings = Array.from({ length: 8 }, () => newBinding(id));
    const results = await inParallel(8, (index) => storage.sessionBindings.bind(id, bindings[index]!, now));
    assert.equal(results.filter(Boolean).length, 1);
    const stored = await storage.sessionBindings.find(id);
    assert.deepEqual(stored?.binding, bindings[results.indexOf(true)]);
  });

  test('bind refuses a session that is revoked, expired or unknown', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const revoked = await startedSession(storage, userId, { revokedAt: now });
    const expired = await startedSession(storage, userId, { expiresAt: now });
    for (const id of [revoked.id, expired.id, randomUUID(), 'no id'])
      assert.equal(await storage.sessionBindings.bind(id, newBinding(revoked.id), now), false);
    assert.equal(await storage.sessionBindings.find(revoked.id), null);
  });

  test('find returns no session that is revoked, and none for an unknown or malformed id', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId);
    await storage.sessionBindings.bind(id, newBinding(id), now);
    await storage.sessions.end(id, now);
    for (const unknown of [id, randomUUID(), 'no id'])
      assert.equal(await storage.sessionBindings.find(unknown), null);
  });

  test('inherit binds another session to the same key, also after the first one has ended', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const [from, to] = [await startedSession(storage, userId), await startedSession(storage, userId)];
    const binding = newBinding(from.id);
    await storage.sessionBindings.bind(from.id, binding, now);
    await storage.sessions.end(from.id, now);
    const facts = { epoch: 1, twoFactors: true, remember: false };
    assert.equal(await storage.sessionBindings.inherit(from.id, to.id, facts, after(2)), true);
    const found = await storage.sessionBindings.find(from.id);
    assert.equal(found?.session.id, to.id);
    assert.deepEqual(found.session.boundAt, after(2));
    assert.deepEqual(found.binding, { id: from.id, key: { ...binding.key, ...facts } });
    assert.equal(await storage.sessionBindings.inherit(from.id, to.id, facts, now), false);
  });

  test('inherit refuses a session that is not bound, and one of another user', async (storage) => {
    const [{ id: userId }, { id: otherId }] = [await insertedUser(storage), await insertedUser(storage)];
    const [from, to] = [await startedSession(storage, userId), await startedSession(storage, userId)];
    const other = await startedSession(storage, otherId);
    const facts = { epoch: 0, twoFactors: false, remember: true };
    assert.equal(await storage.sessionBindings.inherit(from.id, to.id, facts, now), false);
    await storage.sessionBindings.bind(from.id, newBinding(from.id), now);
    for (const id of [other.id, randomUUID(), 'no id'])
      assert.equal(await storage.sessionBindings.inherit(from.id, id, facts, now), false);
    assert.equal((await storage.sessions.findWithUser(other.id))?.session.boundAt, null);
  });

  test('a renewal leaves a session bound', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await startedSession(storage, userId);
    await storage.sessionBindings.bind(id, newBinding(id), now);
    await storage.sessions.renew(id, { lastSeenAt: after(1), expiresAt: after(90_000) });
    const found = await storage.sessionBindings.find(id);
    assert.deepEqual(found?.session.boundAt, now);
    assert.deepEqual(found.session.expiresAt, after(90_000));
  });
}
