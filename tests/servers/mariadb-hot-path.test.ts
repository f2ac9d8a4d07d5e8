/** The session check on MariaDB: one prepared statement, shared by lookups that arrive while another is running. */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import { createMariaDatabase, describeWithMariaDb } from '../support/mariadb.js';
import type { TestDatabase } from '../support/postgres.js';
import { storedSession, type SingleConnection } from '../support/single-connection.js';

interface Connection {
  query(
    sql: string,
    done: (error: Error | null, rows: { Variable_name: string; Value: string }[]) => void,
  ): void;
}

let database: TestDatabase;
let on: SingleConnection;

/** Returns how often the server prepared and executed statements for `call`, on the only connection. */
async function countsOf(call: () => Promise<unknown>): Promise<{ prepared: number; executed: number }> {
  const read = async (name: string) => {
    const [rows] = await on.knex.raw<[{ Value: string }[]]>(`show session status like 'Com_stmt_${name}'`);
    return Number(rows?.[0]?.Value);
  };
  const before = { prepared: await read('prepare'), executed: await read('execute') };
  await call();
  return {
    prepared: (await read('prepare')) - before.prepared,
    executed: (await read('execute')) - before.executed,
  };
}

const lookUp = (ids: string[]) => Promise.all(ids.map((id) => on.storage.sessions.findWithUser(id)));

const newIds = (count: number) => Array.from({ length: count }, () => randomUUID());

describeWithMariaDb('the session check on MariaDB', () => {
  beforeAll(async () => {
    database = await createMariaDatabase();
    const config: Knex.Config = { client: 'mysql2', connection: database.url, pool: { min: 1, max: 1 } };
    const knex = knexPackage(config);
    on = { knex, storage: knexAdapter(knex), sent: [] };
    await on.storage.init();
  });

  afterAll(async () => {
    await on.knex.destroy();
    await database.drop();
  });

  it('all session lookups of one turn use one statement', async () => {
    const { id } = await storedSession(on);
    const other = await storedSession(on);
    const results: Awaited<ReturnType<typeof lookUp>> = [];
    const ids = [id, randomUUID(), 'malformed', other.id, id];
    const counts = await countsOf(async () => results.push(...(await lookUp(ids))));
    expect(results.map((result) => result?.session.id)).toEqual([id, undefined, undefined, other.id, id]);
    expect(counts.executed).toBe(1);
  });

  it('a repeated lookup of one session prepares nothing', async () => {
    const { id } = await storedSession(on);
    await lookUp([id]);
    expect(await countsOf(() => lookUp([id]))).toEqual({ prepared: 0, executed: 1 });
  });

  it('prepares one statement for each power of two of ids', async () => {
    for (const count of [1, 2, 4, 8, 16]) await lookUp(newIds(count));
    const counts = await countsOf(async () => {
      for (let count = 1; count <= 16; count += 1) await lookUp(newIds(count));
    });
    expect(counts).toEqual({ prepared: 0, executed: 16 });
  });

  describe('a connection of the adapter', () => {
    const settings = (url: string) => {
      const { hostname: host, port, username: user, password, pathname } = new URL(url);
      return { host, port: Number(port), user, password, database: pathname.slice(1) };
    };
    const limited = (url: string) => ({ ...settings(url), maxPreparedStatements: 7 });

    /** Returns how many statements the server keeps for the only connection after many different ones. */
    async function kept(connection: Knex.Config['connection']): Promise<number> {
      let opened: Connection | undefined;
      const afterCreate = (created: Connection, done: (error: null, connection: Connection) => void) => {
        opened = created;
        done(null, created);
      };
      const storage = knexAdapter({ client: 'mysql2', connection, pool: { min: 1, max: 1, afterCreate } });
      const now = Date.now();
      const hits = Array.from({ length: 60 }, () => ({ key: randomUUID(), windowMs: 60_000 }));
      for (let count = 1; count <= hits.length; count += 1)
        await storage.rateLimits.hit(hits.slice(0, count), now);
      const status = `show session status where variable_name in ('Com_stmt_prepare', 'Com_stmt_close')`;
      const rows = await new Promise<{ Variable_name: string; Value: string }[]>((resolve, reject) =>
        opened?.query(status, (error, found) => (error ? reject(error) : resolve(found))),
      );
      await storage.close();
      const valueOf = (name: string) => Number(rows.find((row) => row.Variable_name === name)?.Value);
      expect(valueOf('Com_stmt_prepare')).toBeGreaterThan(100);
      return valueOf('Com_stmt_prepare') - valueOf('Com_stmt_close');
    }

    it.each([
      ['an address', (url: string) => url, 100],
      ['settings', settings, 100],
      ['a function', (url: string) => () => settings(url), 100],
      ['settings with a limit', limited, 7],
    ] as const)(
      'keeps a hundred prepared statements at most, opened with %s',
      async (_, connectionOf, max) => {
        expect(await kept(connectionOf(database.url))).toBe(max);
      },
    );
  });
});
