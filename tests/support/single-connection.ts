/** The SQL adapter on a knex instance with one connection, with a record of all that is sent over it. */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/sql/knex-adapter.js';
import type { ServiceSession } from '../../src/domain/session.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, type TestDatabase } from './postgres.js';

export const now = new Date('2031-05-06T07:08:09.123Z');

export interface SingleConnection {
  /** One connection: what a statement prepares is there for the next. */
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

/** A connection that is new for every test, and the address of its database, which is the file's own. */
export function connectionPerTest(): Readonly<SingleConnection & { url: string }> {
  const current = {} as SingleConnection & { url: string };
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });
  beforeEach(async () => {
    Object.assign(current, { url: database.url }, await singleConnection(database.url));
  });
  afterEach(() => current.knex.destroy());
  afterAll(() => database.drop());
  return current;
}

/** A session and its user; what was sent to store them is forgotten. */
export async function storedSession({ storage, sent }: SingleConnection): Promise<ServiceSession> {
  const user = { id: randomUUID(), email: null, emailVerified: true, passwordHash: null, metadata: {} };
  await storage.users.insert({ ...user, createdAt: now });
  const times = { createdAt: now, lastSeenAt: now, expiresAt: now, revokedAt: null };
  const session = { id: randomUUID(), userId: user.id, device: {}, ...times };
  await storage.sessions.start(session, 0);
  sent.length = 0;
  return session;
}

/** The answer, once there is one: a connection's end is noticed a moment after it. */
export async function eventually<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
