/**
 * What databases with the protocol of PostgreSQL and serializable transactions need, such as CockroachDB and YugabyteDB: no advisory lock,
 * no triggers, and every method runs again after a serialization failure. Runs on PostgreSQL: docs/scale.md lists what differs there.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { migrations as released } from '../../src/adapters/postgres/migrations/migrate.js';
import { createService, knexAdapter, type StorageAdapter } from 'svc-auth';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';
import { testSecret } from '../support/make-service.js';
import { createDatabase, querySql, runSql, type TestDatabase } from '../support/postgres.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const later = new Date(now.getTime() + 60_000);
const migrations = { lock: 'table', triggers: false } as const;

interface Connection {
  query: (query: { text: string } | string, ...rest: unknown[]) => unknown;
}

/** Aborts the transaction, as a conflict with another one does. */
const fail = `do $$ begin raise exception 'could not serialize access' using errcode = '40001'; end $$`;

/** Statements that begin or end a transaction cannot be replaced: the transaction would not end. */
const isBoundary = /^\s*(begin|commit|rollback|release|savepoint|set)\b/i;

const injected = { count: 0, candidates: 0, sent: [] as string[] };

/** Decides whether a statement fails, by its position in its transaction, or -1 outside of one. */
type Fails = (position: number, text: string) => boolean;

/** A pool whose statements fail to serialize if `fails` says so. */
function failingPool(fails: Fails): Knex.PoolConfig {
  return {
    min: 0,
    max: 10,
    afterCreate(connection: Connection, done: (error: null, connection: Connection) => void) {
      const query = connection.query.bind(connection);
      let position = -1;
      connection.query = (config, ...rest) => {
        const text = typeof config === 'string' ? config : config.text;
        injected.sent.push(text);
        if (isBoundary.test(text)) {
          if (/^\s*begin/i.test(text)) position = 0;
          if (/^\s*(commit|rollback)\b(?! to)/i.test(text)) position = -1;
          return query(config, ...rest);
        }
        const isFailing = fails(position, text);
        if (position >= 0) position += 1;
        if (!isFailing) return query(config, ...rest);
        injected.count += 1;
        return query({ text: fail }, ...rest);
      };
      done(null, connection);
    },
  };
}

/**
 * Every 10th statement that is alone or the first of its transaction. Later ones are tested below: tests of the suite count the calls of a
 * `decide`, which runs again.
 */
const everyTenth: Fails = (position) => position <= 0 && (injected.candidates += 1) % 10 === 0;

describe('with a default isolation of serializable, and serialization failures', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await runSql(database.url, `alter database ${name} set default_transaction_isolation = 'serializable'`);
  });

  afterAll(() => database.drop());

  describeStorageAdapter(
    'knexAdapter',
    () =>
      knexAdapter({ client: 'pg', connection: database.url, pool: failingPool(everyTenth) }, { migrations }),
    undefined,
    { without: ['sessionChanges'] },
  );

  it('the suite has met hundreds of failures, and has sent no advisory lock', () => {
    expect(injected.count).toBeGreaterThan(100);
    expect(injected.sent.filter((text) => /advisory|pg_notify|trigger/i.test(text))).toEqual([]);
  });
});

describe('a method of several statements runs again if any of them fails to serialize', () => {
  let database: TestDatabase;
  let adapter: StorageAdapter;
  /** The position in a transaction that fails next. */
  let failing: number | null = null;
  /** How many times it fails. */
  let times = 1;

  beforeAll(async () => {
    database = await createDatabase();
    const pool = failingPool((position) => {
      if (position !== failing) return false;
      times -= 1;
      if (times <= 0) failing = null;
      return true;
    });
    adapter = knexAdapter({ client: 'pg', connection: database.url, pool }, { migrations });
    await adapter.init();
  });

  afterAll(async () => {
    await adapter.close();
    await database.drop();
  });

  async function newUser(): Promise<string> {
    const id = randomUUID();
    const user = { id, email: `${id}@example.com`, emailVerified: true, passwordHash: 'hash', metadata: {} };
    await adapter.users.insert({ ...user, createdAt: now });
    return id;
  }

  /** Lets the first, second, … statement of `work` fail, until it has no more. Returns how many it has. */
  async function atEveryStatement(work: () => Promise<void>): Promise<number> {
    for (let position = 0; ; position += 1) {
      failing = position;
      await work();
      if (failing !== null) {
        failing = null;
        return position;
      }
    }
  }

  it('when all sessions of a user end', async () => {
    const statements = await atEveryStatement(async () => {
      const userId = await newUser();
      const times = { createdAt: now, lastSeenAt: now, expiresAt: later, revokedAt: null, boundAt: null };
      const session = { id: randomUUID(), userId, device: {}, ...times };
      await adapter.sessions.start(session, 0);
      expect(await adapter.sessions.revokeAll(userId, later)).toBe(true);
      expect(await adapter.users.findById(userId)).toMatchObject({ epoch: 1 });
    });
    expect(statements).toBeGreaterThanOrEqual(2);
  });

  it('and as often as others are in the way', async () => {
    const userId = await newUser();
    [failing, times] = [0, 12];
    expect(await adapter.sessions.revokeAll(userId, later)).toBe(true);
    expect(failing).toBeNull();
    expect(await adapter.users.findById(userId)).toMatchObject({ epoch: 1 });
  });

  it('when an organization is deleted, and asks again who may', async () => {
    const statements = await atEveryStatement(async () => {
      const [userId, orgId] = [await newUser(), randomUUID()];
      const org = { id: orgId, name: 'Acme', slug: orgId, metadata: {}, createdAt: now, updatedAt: now };
      const owner = { orgId, userId, role: 'owner' as const, createdAt: now };
      expect(await adapter.orgs?.create(org, owner)).toBe('created');
      const roles = new Set<string | null>();
      const decide = (role: string | null) => void roles.add(role);
      expect(await adapter.orgs?.delete(orgId, { userId, decide })).toBe(true);
      expect([...roles]).toEqual(['owner']);
    });
    expect(statements).toBeGreaterThanOrEqual(2);
  });

  it('when a user is deleted, until the application has been called', async () => {
    let calls = 0;
    let failures = 0;
    await atEveryStatement(async () => {
      const userId = await newUser();
      calls = 0;
      const deletion = adapter.accounts?.deleteUser(userId, async () => void (calls += 1));
      const result = await deletion?.then(
        ({ status }) => status,
        () => 'failed',
      );
      failures += Number(result === 'failed');
      expect(calls).toBe(1);
      expect(await adapter.users.findById(userId)).toEqual(
        result === 'deleted' ? null : (expect.objectContaining({ id: userId }) as unknown),
      );
    });
    // The statement that deletes the rows, after the call.
    expect(failures).toBe(1);
  });
});

describe('migrations with a lock in a table', () => {
  let database: TestDatabase;
  const opened: StorageAdapter[] = [];

  function open(options: Parameters<typeof knexAdapter>[1] = { migrations }): StorageAdapter {
    const adapter = knexAdapter(
      { client: 'pg', connection: database.url, pool: { min: 0, max: 3 } },
      options,
    );
    opened.push(adapter);
    return adapter;
  }

  beforeEach(async () => {
    database = await createDatabase();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((adapter) => adapter.close()));
    await database.drop();
  });

  const applied = async () =>
    (await querySql(database.url, 'select id from svc_migrations order by id')).length;

  it('are applied once by six adapters at the same time', async () => {
    await Promise.all(Array.from({ length: 6 }, () => open().init()));
    expect(await applied()).toBe(released.length);
    expect(await querySql(database.url, 'select * from svc_migration_lock')).toEqual([]);
  });

  it('wait for the row of another process until it expires', async () => {
    const start = performance.now();
    await runSql(
      database.url,
      `create table svc_migration_lock (id integer primary key, owner text not null, expires_at timestamptz not null);
       insert into svc_migration_lock values (1, 'a process that has died', now() + interval '2 seconds')`,
    );
    await open().init();
    expect(performance.now() - start).toBeGreaterThan(1_500);
    expect(await applied()).toBe(released.length);
  });

  it('are not applied twice by a process that still works when its row has expired', async () => {
    // Takes its row at once from any other process, as if it had expired.
    const expired = setInterval(() => {
      void runSql(database.url, `update svc_migration_lock set expires_at = '2020-01-01'`).catch(
        () => undefined,
      );
    }, 1);
    try {
      await Promise.all(Array.from({ length: 4 }, () => open().init()));
    } finally {
      clearInterval(expired);
    }
    expect(await applied()).toBe(released.length);
  });

  it('create no triggers with `triggers: false`, and session.cache requires a store', async () => {
    const adapter = open();
    await adapter.init();
    expect(await querySql(database.url, `select tgname from pg_trigger where tgname like 'svc_%'`)).toEqual(
      [],
    );
    const session = { secret: testSecret, cache: {} };
    expect(() => createService({ adapter, session })).toThrow(
      expect.objectContaining({ code: 'adapter_capability' }),
    );
  });

  it('create the triggers by default, and need no other table', async () => {
    await open({}).init();
    const triggers = await querySql(database.url, `select tgname from pg_trigger where tgname like 'svc_%'`);
    expect(triggers).toHaveLength(5);
    expect(await querySql(database.url, `select to_regclass('svc_migration_lock') as lock`)).toEqual([
      { lock: null },
    ]);
  });

  it.each([{ lock: 'row' }, { triggers: 'no' }])('throws config_invalid for %j', (wrong) => {
    expect(() => knexAdapter({ client: 'pg', connection: {} }, { migrations: wrong as never })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    );
  });
});
