/** The schema of SQLite, MariaDB and MySQL, and what the adapter refuses at once. */
import { randomUUID } from 'node:crypto';
import knex from 'knex';
import { createService, knexAdapter, sqliteAdapter } from 'svc-auth';
import { createSharedDatabase, sharedStorages } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import { testSecret } from '../support/make-service.js';

const createdAt = new Date('2031-05-06T07:08:09.123Z');

describe.each(sharedStorages(['SQLite', 'MariaDB']).filter((name) => name !== 'PostgreSQL'))(
  'the schema of %s',
  (name) => {
    it('is created once by eight adapters that start at the same time', async () => {
      const database = await createSharedDatabase(name);
      const adapters = Array.from({ length: 8 }, () => openStorage(database.url, 2));
      await Promise.all(adapters.map((adapter) => adapter.init()));
      expect(await database.sql('select id, name from svc_migrations')).toEqual([
        { id: 1, name: 'first-release' },
      ]);
      await Promise.all(adapters.map((adapter) => adapter.close()));
      await database.drop();
    }, 60_000);

    it('keeps its data when the adapter is opened again', async () => {
      const database = await createSharedDatabase(name);
      const user = { id: randomUUID(), email: 'ada@example.com', emailVerified: true, passwordHash: null };
      const first = openStorage(database.url);
      await first.init();
      expect(await first.users.insert({ ...user, metadata: { plan: 'pro' }, createdAt })).toBe(true);
      await first.close();
      const second = openStorage(database.url);
      await second.init();
      expect(await second.users.findByEmail(user.email)).toMatchObject({
        ...user,
        metadata: { plan: 'pro' },
        createdAt,
      });
      await second.close();
      await database.drop();
    }, 60_000);

    it('stores times of any zone of the session in UTC, and distinguishes addresses by every byte', async () => {
      const database = await createSharedDatabase(name);
      const storage = openStorage(database.url);
      await storage.init();
      const user = { emailVerified: true, passwordHash: null, metadata: {}, createdAt };
      for (const provider of ['a', 'a ', 'A', '\u00e4'])
        expect(
          await storage.identities.insertWithUser(
            { id: randomUUID(), userId: '', provider: 'acme', providerAccountId: provider, createdAt },
            { ...user, id: randomUUID(), email: null },
          ),
        ).toBe(true);
      expect(await storage.identities.findUser('acme', 'a  ')).toBeNull();
      const time = await storage.currentTime?.();
      expect(Math.abs((time ?? 0) - Date.now())).toBeLessThan(60_000);
      await storage.close();
      await database.drop();
    }, 60_000);
  },
);

describe('an adapter of another database than PostgreSQL', () => {
  it('rejects the options of PostgreSQL', () => {
    const config = { client: 'mysql2', connection: 'mysql://localhost' };
    expect(() => knexAdapter(config, { schema: 'auth' })).toThrow(/`schema` is for PostgreSQL only/);
  });

  it('has no session cache on MariaDB, which createService reports', () => {
    const adapter = knexAdapter({ client: 'mysql2', connection: 'mysql://localhost' });
    const options = { adapter, session: { secret: testSecret, cache: {} }, providers: {} };
    expect(() => createService(options as never)).toThrow(
      expect.objectContaining({ code: 'adapter_capability' }),
    );
  });

  it('rejects connections without foreign keys on SQLite', async () => {
    // A variable, because knex does not declare the types of its dialects.
    const dialect = 'knex/lib/dialects/better-sqlite3/index.js';
    const { default: client } = (await import(dialect)) as { default: typeof knex.Client };
    const { default: driver } = await import('libsql');
    const instance = knex({
      client: class extends client {
        _driver() {
          return driver;
        }
      },
      connection: { filename: ':memory:' },
      useNullAsDefault: true,
      pool: {
        afterCreate(
          connection: { pragma(text: string): void },
          done: (error: null, connection: unknown) => void,
        ) {
          connection.pragma('foreign_keys = off');
          done(null, connection);
        },
      },
    });
    await expect(knexAdapter(instance).init()).rejects.toMatchObject({ code: 'config_invalid' });
    await instance.destroy();
  });

  it('keeps an SQLite database without a file in memory', async () => {
    const storage = sqliteAdapter();
    await storage.init();
    expect(await storage.users.findById(randomUUID())).toBeNull();
    await storage.close();
  });
});
