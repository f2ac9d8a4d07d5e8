/**
 * Behind a real PgBouncer in transaction mode, on machines that have it. Before version 1.21 it
 * does not track prepared statements.
 */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';
import { describeWithPgBouncer, startPgBouncer, type PgBouncer } from '../support/pgbouncer.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const servers = 4;

describeWithPgBouncer('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  const opened: Knex[] = [];
  const warnings: { event?: string }[] = [];

  async function open(): Promise<StorageAdapter> {
    const knex = knexPackage({ client: 'pg', connection: pooler.url, pool: { min: 0, max: 8 } });
    opened.push(knex);
    const storage = knexAdapter(knex);
    await storage.init({ warn: (fields) => void warnings.push(fields) });
    return storage;
  }

  beforeAll(async () => {
    database = await createDatabase();
    pooler = await startPgBouncer(database.url, servers);
  });

  afterAll(async () => {
    await Promise.all(opened.map((knex) => knex.destroy()));
    await pooler.stop();
    await database.drop();
  });

  it('the adapter migrates and serves every check behind PgBouncer, and leaves few prepared statements behind', async () => {
    const storages = await Promise.all([open(), open(), open()]);
    const first = storages[0];
    const user = { id: randomUUID(), email: null, emailVerified: true, passwordHash: null, metadata: {} };
    await first.users.insert({ ...user, createdAt: now });
    const times = { createdAt: now, lastSeenAt: now, expiresAt: now, revokedAt: null, boundAt: null };
    const session = { id: randomUUID(), userId: user.id, device: {}, ...times };
    await first.sessions.start(session, 0);
    const isFound = async (storage: StorageAdapter) => {
      for (let round = 0; round < 100; round += 1) {
        const [withUser, alone] = await Promise.all([
          storage.sessions.findWithUser(session.id),
          storage.users.findById(user.id),
          storage.rateLimits.hit([{ key: 'k', windowMs: 1 }], now.getTime()),
        ]);
        expect([withUser?.user.id, alone?.id]).toEqual([user.id, user.id]);
      }
    };
    await Promise.all(storages.flatMap((storage) => Array.from({ length: 6 }, () => isFound(storage))));

    const counts = new Map<number, number>();
    const countStatements = async () => {
      const { rows } = await (opened[0] as Knex).raw<{ rows: { pid: number; count: number }[] }>(
        `select pg_backend_pid() as pid, (select count(*)::int from pg_prepared_statements) as count from pg_sleep(0.05)`,
      );
      for (const { pid, count } of rows) counts.set(pid, count);
    };
    await Promise.all(Array.from({ length: 16 }, countStatements));
    expect(counts.size).toBe(servers);
    // Three statements, each under a name that was current before the first loss, and after each of the
    // three losses. Without an end to the names, there would be hundreds.
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(12);
    expect(warnings.filter(({ event }) => event === 'prepared_statements_off').length).toBeLessThanOrEqual(3);
  });

  // A transaction is on one server connection, and the next statement of the process may be on another.
  describeStorageAdapter('knexAdapter behind PgBouncer', () =>
    knexAdapter({ client: 'pg', connection: pooler.url, pool: { min: 0, max: 10 } }),
  );
});
