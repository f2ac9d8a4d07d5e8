/** Transactions on SQLite that wait for another writer, or cannot be committed. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import Database from 'libsql';
import { database, type Queryable } from '../../src/adapters/portable/database.js';
import { sqliteDialect } from '../../src/adapters/portable/sqlite-dialect.js';
import { ownedSqlite } from '../../src/adapters/portable/sqlite-adapter.js';
import { portableStorage, type PortableStorage } from '../../src/adapters/portable/portable-adapter.js';

const now = new Date('2031-05-06T07:08:09.123Z');

let folder: string;
let file: string;
let knex: ReturnType<typeof ownedSqlite>;
let storage: PortableStorage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-auth-sqlite-'));
  file = join(folder, 'auth.db');
  knex = ownedSqlite({ connection: { filename: file } });
  storage = portableStorage(knex.open, sqliteDialect());
  await storage.init();
});

afterAll(async () => {
  await knex.close();
  await rm(folder, { recursive: true, force: true });
});

async function newUser(): Promise<string> {
  const id = randomUUID();
  const user = { id, email: null, emailVerified: true, passwordHash: null, metadata: {}, createdAt: now };
  expect(await storage.users.insert(user)).toBe(true);
  return id;
}

/** Makes `call` while another connection writes for 300 ms, during which the call must not settle. */
async function whileAnotherWrites<T>(call: () => Promise<T>): Promise<T> {
  const other = new Database(file);
  other.exec('begin immediate');
  let isSettled = false;
  try {
    const result = call().finally(() => (isSettled = true));
    result.catch(() => undefined);
    await sleep(300);
    expect(isSettled).toBe(false);
    other.exec('rollback');
    return await result;
  } finally {
    other.close();
  }
}

it('a deletion waits for another writer, is committed, and calls the application once', async () => {
  const userId = await newUser();
  let calls = 0;
  const outcome = await whileAnotherWrites(() =>
    storage.accounts.deleteUser(userId, async () => void (calls += 1)),
  );
  expect(outcome).toMatchObject({ status: 'deleted' });
  expect(calls).toBe(1);
  expect(await storage.users.findById(userId)).toBeNull();
});

it('single statements, transactions and deletions that wait for another writer together are all committed', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, newUser));
  const results = await whileAnotherWrites(() =>
    Promise.all(
      ids.map((id, at) => {
        if (at % 3 === 0) return storage.users.markEmailVerified(id, now);
        if (at % 3 === 1) return storage.sessions.revokeAll(id, now);
        return storage.accounts.deleteUser(id, async () => undefined);
      }),
    ),
  );
  expect(results).toHaveLength(ids.length);
  const users = await Promise.all(ids.map((id) => storage.users.findById(id)));
  expect(users.map((user) => user && user.epoch)).toEqual(ids.map((_, at) => [0, 1, null][at % 3]));
});

describe('a transaction that cannot be committed', () => {
  // A violation that SQLite reports with the commit, which leaves the transaction open.
  const deferred = 'pragma defer_foreign_keys = on';
  const orphan = `
    insert into svc_identities (id, user_id, provider, provider_account_id, created_at)
    values ('${randomUUID()}', '${randomUUID()}', 'google', '${randomUUID()}', 0)`;

  async function expectUsable(): Promise<void> {
    const userId = await newUser();
    expect(await storage.sessions.revokeAll(userId, now)).toBe(true);
    const deletion = storage.accounts.deleteUser(userId, async () => undefined);
    expect(await deletion).toMatchObject({ status: 'deleted' });
    // Another connection writes: no lock is left.
    const other = new Database(file);
    other.exec('begin immediate');
    other.exec('rollback');
    expect(other.prepare('select count(*) as orphans from svc_identities').all()).toEqual([{ orphans: 0 }]);
    other.close();
  }

  it('is rolled back, and the connection is used again', async () => {
    const db = database(knex.open, sqliteDialect());
    const work = async (transaction: Queryable) => {
      await transaction.execute(deferred, {});
      await transaction.execute(orphan, {});
    };
    await expect(db.transaction(work)).rejects.toMatchObject({ code: 'internal_error' });
    await expectUsable();
  });

  it('is rolled back if the application has caused it in a deletion, and the connection is used again', async () => {
    const userId = await newUser();
    const deletion = storage.accounts.deleteUser(userId, async (transaction) => {
      await (transaction as Knex.Transaction).raw(deferred);
      await (transaction as Knex.Transaction).raw(orphan);
    });
    await expect(deletion).rejects.toMatchObject({ code: 'internal_error' });
    expect(await storage.users.findById(userId)).not.toBeNull();
    await expectUsable();
  });
});
