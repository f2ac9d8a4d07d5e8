import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AuditSeal, StoredAuditRecord } from '../../src/domain/audit.js';
import type { SealedBatch } from '../../src/storage/audit-repository.js';
import { uuidV7 } from '../../src/crypto/random.js';
import {
  after,
  insertedUser,
  newSession,
  newUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  type With,
} from './suite.js';

function newRecord(overrides: Partial<StoredAuditRecord> = {}): StoredAuditRecord {
  const origin = JSON.stringify({ ip: '192.0.2.1', userAgent: 'Test "\\1.0"', salt: randomUUID() });
  return {
    ...{ id: uuidV7(now.getTime()), occurredAt: now, action: 'password.changed', outcome: 'success' },
    ...{ errorCode: null, userId: randomUUID(), orgId: null, clientId: null, actorId: null },
    actingUserId: null,
    ...{ actors: '[{"type":"user"}]', requestId: 'r1', details: '{"fields":["b","a"]}' },
    ...{ personal: origin, personalDigest: 'digest', mac: randomUUID(), seal: null },
    ...overrides,
  };
}

const nothing = () => [];

async function recordsOf(storage: With<'audit'>, userId: string): Promise<StoredAuditRecord[]> {
  return storage.audit.list({ userId }, { limit: 100 });
}

function sealedBatch(state: string | null, batch: readonly StoredAuditRecord[]): SealedBatch {
  const number = state === null ? 1 : Number(state) + 1;
  const ids = batch.map(({ id }) => id).join(',');
  const seal = { seal: number, sealedAt: now, newestAt: after(1), records: batch.length, ids, mac: 'm' };
  return { seal, state: String(number) };
}

/** Seals one batch, and returns its ids. */
async function sealOnce({ audit }: With<'audit'>, range: { after?: string; limit: number }) {
  let ids: string[] = [];
  const count = await audit.seal(range, (state, batch) => {
    ids = batch.map(({ id }) => id);
    return sealedBatch(state, batch);
  });
  assert.equal(count, ids.length);
  return ids;
}

/** Seals everything, and returns the seals. */
async function sealAll({ audit }: With<'audit'>, limit = 10): Promise<AuditSeal[]> {
  const seals: AuditSeal[] = [];
  const seal = (state: string | null, batch: readonly StoredAuditRecord[]): SealedBatch => {
    const sealed = sealedBatch(state, batch);
    seals.push(sealed.seal);
    return sealed;
  };
  while ((await audit.seal({ limit }, seal)) > 0);
  return seals;
}

export function describeAudit(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'audit');

  test('within stores what its methods do together with the records', async (storage) => {
    const user = newUser();
    const session = newSession(user.id);
    const record = newRecord({ userId: user.id });
    const result = await storage.audit.within(
      async () => {
        assert.equal(await storage.users.insert(user), true);
        // Sees what it has written itself.
        assert.equal((await storage.users.findById(user.id))?.id, user.id);
        return storage.sessions.start(session, 0);
      },
      (isStarted) => (isStarted ? [record] : []),
    );
    assert.equal(result, true);
    assert.equal((await storage.sessions.findWithUser(session.id))?.user.id, user.id);
    assert.deepEqual(await recordsOf(storage, user.id), [record]);
  });

  test('within stores nothing if its records cannot be stored', async (storage) => {
    const record = newRecord();
    await storage.audit.insert([record]);
    const user = newUser();
    if (!(await isRefused(storage, record))) return;
    await assert.rejects(
      storage.audit.within(
        () => storage.users.insert(user),
        () => [record],
      ),
    );
    assert.equal(await storage.users.findById(user.id), null);
  });

  test('within stores nothing if it ends with an error', async (storage) => {
    const user = newUser();
    const failure = new Error('refused');
    const failing = storage.audit.within(async () => {
      throw failure;
    }, nothing);
    await assert.rejects(failing, failure);
    assert.equal(await storage.users.findById(user.id), null);
  });

  test('within continues after a method that was refused', async (storage) => {
    const taken = await insertedUser(storage);
    const user = newUser();
    const outcome = await storage.audit.within(async () => {
      const isRefused = !(await storage.users.insert(newUser({ email: taken.email })));
      return isRefused && (await storage.users.insert(user));
    }, nothing);
    assert.equal(outcome, true);
    assert.notEqual(await storage.users.findById(user.id), null);
  });

  test('within continues after a second method that was refused', async (storage) => {
    const taken = await insertedUser(storage);
    const [first, last] = [newUser(), newUser()];
    const outcome = await storage.audit.within(async () => {
      const isInserted = await storage.users.insert(first);
      const isRefused = !(await storage.users.insert(newUser({ email: taken.email })));
      return isInserted && isRefused && (await storage.users.insert(last));
    }, nothing);
    assert.equal(outcome, true);
    assert.notEqual(await storage.users.findById(first.id), null);
    assert.notEqual(await storage.users.findById(last.id), null);
  });

  test('parallel calls of within store their own records', async (storage) => {
    const users = Array.from({ length: 12 }, () => newUser());
    await Promise.all(
      users.map((user) =>
        storage.audit.within(
          () => storage.users.insert(user),
          () => [newRecord({ userId: user.id })],
        ),
      ),
    );
    for (const { id } of users) {
      assert.notEqual(await storage.users.findById(id), null);
      assert.equal((await recordsOf(storage, id)).length, 1);
    }
  });

  test('within stores the deletion of a user, to which the application adds its own', async (storage) => {
    if (!storage.accounts) return;
    const { accounts } = storage;
    const { id } = await insertedUser(storage);
    const other = newUser();
    const record = newRecord({ userId: id });
    let calls = 0;
    const deletesWithin = async () => {
      calls += 1;
    };
    const outcome = await storage.audit.within(
      async () => {
        const deletion = await accounts.deleteUser(id, deletesWithin);
        await storage.audit.anonymize([id]);
        return deletion;
      },
      () => [record],
    );
    assert.equal(outcome.status, 'deleted');
    assert.equal(calls, 1);
    assert.equal(await storage.users.findById(id), null);
    assert.deepEqual(await recordsOf(storage, id), [record]);
    assert.equal(await storage.users.insert(other), true);
  });

  test('list returns the newest records that meet every condition', async (storage) => {
    const [userId, orgId, actorId] = [randomUUID(), randomUUID(), randomUUID()];
    const about = { userId, orgId, actorId, clientId: 'client', action: 'org.updated', requestId: 'r2' };
    const records = [0, 1, 2, 3].map((ms) =>
      newRecord({ ...about, id: uuidV7(now.getTime() + ms), occurredAt: after(ms) }),
    );
    await storage.audit.insert([...records, newRecord({ userId }), newRecord({ orgId })]);
    const newest = [...records].reverse();
    assert.deepEqual(await storage.audit.list({ ...about, outcome: 'success' }, { limit: 9 }), newest);
    assert.deepEqual(await storage.audit.list({ userId, orgId }, { limit: 2 }), newest.slice(0, 2));
    assert.deepEqual(await storage.audit.list({ ...about, outcome: 'failure' }, { limit: 9 }), []);
    assert.deepEqual(await storage.audit.list({ userId, orgId, notAction: 'org.updated' }, { limit: 9 }), []);
    const others = await storage.audit.list({ userId, notAction: 'password.changed' }, { limit: 9 });
    assert.deepEqual(others, newest);
    const range = { from: records[1]!.id, before: records[3]!.id, limit: 9 };
    assert.deepEqual(await storage.audit.list({ actorId }, range), [records[2], records[1]]);
    assert.deepEqual(await storage.audit.list({ userId: 'malformed' }, { limit: 9 }), []);
    assert.deepEqual(await storage.audit.find(records[0]!.id), records[0]);
    assert.equal(await storage.audit.find(randomUUID()), null);
  });

  test('anonymize removes the origin of the records of a user, and of those in which the user or a key of the user acted', async (storage) => {
    const [userId, other] = [randomUUID(), randomUUID()];
    const own = newRecord({ userId });
    const acted = newRecord({ userId: other, actorId: userId });
    const byKey = newRecord({ userId: other, actorId: randomUUID(), actingUserId: userId });
    const foreign = newRecord({ userId: other });
    await storage.audit.insert([own, acted, byKey, foreign]);
    assert.equal(await storage.audit.anonymize([userId, 'malformed']), 3);
    assert.deepEqual(await storage.audit.find(own.id), { ...own, personal: null });
    assert.deepEqual(await storage.audit.find(acted.id), { ...acted, personal: null });
    assert.deepEqual(await storage.audit.find(byKey.id), { ...byKey, personal: null });
    assert.deepEqual(await storage.audit.find(foreign.id), foreign);
  });

  test('insertRefused keeps the origin of records about users who exist, and of those about no one', async (storage) => {
    const user = await insertedUser(storage);
    const gone = randomUUID();
    const own = newRecord({ userId: user.id });
    const unknown = newRecord({ userId: null });
    const late = newRecord({ userId: gone });
    const acted = newRecord({
      userId: user.id,
      actorId: gone,
      actors: JSON.stringify([{ type: 'user', id: gone }]),
    });
    const byKey = newRecord({ userId: user.id, actorId: randomUUID(), actingUserId: gone });
    await storage.audit.insertRefused([own, unknown, late, acted, byKey]);
    for (const record of [own, unknown]) assert.deepEqual(await storage.audit.find(record.id), record);
    for (const record of [late, acted, byKey])
      assert.deepEqual(await storage.audit.find(record.id), { ...record, personal: null });
  });

  test('no record of a refused attempt keeps its origin after a parallel deletion of the user', async (storage) => {
    if (!storage.accounts) return;
    const { accounts } = storage;
    for (let round = 0; round < 10; round += 1) {
      const { id: userId } = await insertedUser(storage);
      const deletion = storage.audit.within(async () => {
        await accounts.deleteUser(userId, async () => undefined);
        await storage.audit.anonymize([userId]);
      }, nothing);
      const attempts = [0, 1, 2].map(() => storage.audit.insertRefused([newRecord({ userId })]));
      await Promise.all([deletion, ...attempts]);
      const records = await recordsOf(storage, userId);
      assert.deepEqual(
        records.map(({ personal }) => personal),
        [null, null, null],
      );
    }
  });

  test('seal seals every record once, in order, and removeOldest removes whole seals', async (storage) => {
    await sealAll(storage, 1_000);
    while ((await storage.audit.removeOldest((state) => state)) !== null);
    const first = Number((await storage.audit.readState()) ?? '0');
    const records = Array.from({ length: 5 }, (_, ms) =>
      newRecord({ id: uuidV7(now.getTime() + ms), occurredAt: after(ms) }),
    );
    await storage.audit.insert(records);
    assert.deepEqual(
      (await storage.audit.listUnsealed({ limit: 2 })).map(({ id }) => id),
      [records[0]!.id, records[1]!.id],
    );
    const range = { after: records[1]!.id, limit: 9 };
    assert.equal((await storage.audit.listUnsealed(range)).length, 3);
    const seals = await sealAll(storage, 2);
    assert.deepEqual(await storage.audit.listSeals(first, 9), seals);
    assert.equal(await storage.audit.readState(), String(first + 3));
    const sealed = await storage.audit.listSealed(first + 2);
    assert.deepEqual(
      sealed,
      records.slice(2, 4).map((record) => ({ ...record, seal: first + 2 })),
    );
    assert.equal(await storage.audit.findOutside(first + 1, first + 3), null);
    assert.equal((await storage.audit.findOutside(first + 1, first + 2))?.seal, first + 3);
    assert.equal((await storage.audit.findOutside(first + 2, first + 3))?.seal, first + 1);
    assert.equal(await storage.audit.removeOldest(() => null), null);
    assert.equal(await storage.audit.removeOldest((_state, oldest) => String(oldest.seal + 2)), 2);
    assert.deepEqual(await storage.audit.listSeals(first, 9), seals.slice(1));
    assert.equal(await storage.audit.find(records[0]!.id), null);
  });

  test('seal with after leaves smaller ids, which a call without it finds', async (storage) => {
    await sealAll(storage, 1_000);
    const records = Array.from({ length: 4 }, (_, ms) => newRecord({ id: uuidV7(now.getTime() + ms) }));
    const [late, first, second, third] = records.map(({ id }) => id) as [string, string, string, string];
    await storage.audit.insert(records.slice(1));
    assert.deepEqual(await sealOnce(storage, { limit: 1 }), [first]);
    // Visible only now, as a record of a transaction that commits late.
    await storage.audit.insert(records.slice(0, 1));
    assert.deepEqual(await sealOnce(storage, { after: first, limit: 1 }), [second]);
    assert.deepEqual(await sealOnce(storage, { after: second, limit: 5 }), [third]);
    assert.deepEqual(await sealOnce(storage, { after: third, limit: 5 }), []);
    assert.equal((await storage.audit.find(late))?.seal, null);
    assert.deepEqual(await sealOnce(storage, { limit: 5 }), [late]);
  });

  test('parallel calls of seal seal no record twice', async (storage) => {
    await sealAll(storage, 1_000);
    const records = Array.from({ length: 20 }, () => newRecord());
    await storage.audit.insert(records);
    const rounds = await Promise.all(Array.from({ length: 4 }, () => sealAll(storage, 3)));
    const ids = rounds.flat().flatMap((seal) => seal.ids.split(','));
    assert.deepEqual(ids.sort(), records.map(({ id }) => id).sort());
    const numbers = rounds.flat().map(({ seal }) => seal);
    assert.equal(new Set(numbers).size, numbers.length);
  });
}

/** Whether the adapter refuses a second record with the same id, as a database does. */
async function isRefused({ audit }: With<'audit'>, record: StoredAuditRecord): Promise<boolean> {
  try {
    await audit.insert([record]);
    return false;
  } catch {
    return true;
  }
}
