/** The SQL adapter on a knex instance with one connection, and a record of the statements sent over it. */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { ServiceSession } from '../../src/domain/session.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createMigratedDatabase, type TestDatabase } from './postgres.js';

export const now = new Date('2031-05-06T07:08:09.123Z');

export interface SingleConnection {
  /** Has one connection: a prepared statement is available to the next query. */
  knex: Knex;
  storage: StorageAdapter;
  sent: { sql: string; options?: { name?: string } }[];
}

async function singleConnection(url: string): Promise<SingleConnection> {
  const pool = { min: 0, max: 1 };
  const knex = knexPackage({ client: 'pg', connection: url, pool, log: { warn: () => undefined } });
  const storage = knexAdapter(knex);
  await storage.init();
  const sent: SingleConnection['sent'] = [];
  knex.on('query', (query: SingleConnection['sent'][number]) => sent.push(query));
  return { knex, storage, sent };
}

/** Opens a new connection for every test, to a database that belongs to the file. */
export function connectionPerTest(): Readonly<SingleConnection & { url: string }> {
  const current = {} as SingleConnection & { url: string };
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  beforeEach(async () => {
    Object.assign(current, { url: database.url }, await singleConnection(database.url));
  });
  afterEach(() => current.knex.destroy());
  afterAll(() => database.drop());
  return current;
}

/** Stores a session and its user, and clears the record of statements. */
export async function storedSession({ storage, sent }: SingleConnection): Promise<ServiceSession> {
  const user = { id: randomUUID(), email: null, emailVerified: true, passwordHash: null, metadata: {} };
  await storage.users.insert({ ...user, createdAt: now });
  const times = { createdAt: now, lastSeenAt: now, expiresAt: now, revokedAt: null, boundAt: null };
  const session = { id: randomUUID(), userId: user.id, device: {}, ...times };
  await storage.sessions.start(session, 0);
  sent.length = 0;
  return session;
}

/** Retries until the call succeeds: the end of a connection is noticed with a delay. */
export async function retryUntilResolved<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === 3_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
