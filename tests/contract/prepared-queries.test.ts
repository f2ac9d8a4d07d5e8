/** Prepared statements on the connections of `pg`, which bypass knex and the query class of `pg`. */
import knexPackage from 'knex';
import { randomUUID } from 'node:crypto';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { connectionPerTest, now, storedSession } from '../support/single-connection.js';

const on = connectionPerTest();
const windowMs = 60_000;
const time = now.getTime();

interface Connection {
  connection: { submittedNamedStatements?: object };
}

/** Calls `work` with an adapter on a separate knex instance, with further settings of the connection. */
async function withConnection(
  settings: object,
  work: (storage: StorageAdapter, acquire: () => Promise<Connection>) => Promise<void>,
): Promise<void> {
  const connection = { connectionString: on.url, ...settings };
  const host = knexPackage({ client: 'pg', connection, pool: { min: 0, max: 1 } });
  const client = host.client as {
    acquireConnection(): Promise<Connection>;
    releaseConnection(connection: Connection): Promise<void>;
  };
  const acquire = async () => {
    const acquired = await client.acquireConnection();
    await client.releaseConnection(acquired);
    return acquired;
  };
  try {
    await work(knexAdapter(host), acquire);
  } finally {
    await host.destroy();
  }
}

const hits = () => [{ key: randomUUID(), windowMs, max: 5 }];

describe('prepared statements', () => {
  it('work on a connection of pg before 8.23, which does not know submitted statements', async () => {
    await withConnection({}, async (storage, acquire) => {
      const { connection: wire } = await acquire();
      const submitted = wire.submittedNamedStatements;
      expect(submitted).toBeDefined();
      // The query class of the installed version needs it, so it is hidden from the check only.
      Object.defineProperty(wire, 'submittedNamedStatements', {
        get: () => (new Error().stack?.includes('isPgConnection') ? undefined : submitted),
      });
      const counters = hits();
      for (const count of [1, 2])
        expect(await storage.rateLimits.hit(counters, time)).toMatchObject([{ count }]);
    });
  });

  it('work in the pipeline mode of pg', async () => {
    const { id } = await storedSession(on);
    await withConnection({ pipeline: true }, async (storage) => {
      const sessions = await Promise.all([1, 2, 3].map(() => storage.sessions.findWithUser(id)));
      expect(sessions.map((each) => each?.session.id)).toEqual([id, id, id]);
    });
  });

  it('fail alone if a type parser of the application throws', async () => {
    let isBroken = true;
    const types = {
      getTypeParser: () => (value: string) => {
        if (isBroken) throw new Error('a parser of the application');
        return value;
      },
    };
    await withConnection({ types }, async (storage) => {
      // The name of the schema is read first, without a prepared statement.
      isBroken = false;
      await storage.rateLimits.hit(hits(), time);
      isBroken = true;
      const error = await storage.rateLimits.hit(hits(), time).catch((reason: Error) => reason);
      expect(error).toMatchObject({
        code: 'internal_error',
        cause: { message: 'a parser of the application' },
      });
      isBroken = false;
      expect(await storage.rateLimits.hit(hits(), time)).toHaveLength(1);
    });
  });

  it('do not depend on what a listener does with the query of its event', async () => {
    const { id } = await storedSession(on);
    on.knex.on('query', (query: { sql: string; bindings?: unknown[] }) => {
      query.sql = 'select 1';
      delete query.bindings;
    });
    expect((await on.storage.sessions.findWithUser(id))?.session.id).toBe(id);
  });

  it('send keys with quotes, backslashes, braces and NULL as they are', async () => {
    const keys = ['a"b', 'a\\b', 'a{b}', 'a,b', 'NULL'].map((text) => `${text}${randomUUID()}`);
    const counters = keys.map((key) => ({ key, windowMs }));
    await on.storage.rateLimits.hit(counters, time);
    await on.storage.rateLimits.correct({ refund: [], reset: keys }, time);
    const results = await on.storage.rateLimits.hit(counters, time);
    expect(results.map(({ count }) => count)).toEqual(keys.map(() => 1));
  });

  it('describe their columns again after a change of the schema', async () => {
    const { userId } = await storedSession(on);
    await on.storage.users.findById(userId);
    await on.knex.raw('alter table svc_users alter column language type varchar(40)');
    try {
      expect((await on.storage.users.findById(userId))?.id).toBe(userId);
    } finally {
      await on.knex.raw('alter table svc_users alter column language type text');
    }
    expect((await on.storage.users.findById(userId))?.id).toBe(userId);
  });
});
