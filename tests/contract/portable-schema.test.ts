/** The schema of SQLite, its upgrade, and what the adapter of a database other than PostgreSQL refuses at once. */
import { randomUUID } from 'node:crypto';
import knex from 'knex';
import { createService, knexAdapter, sqliteAdapter } from 'svc-auth';
import { testSecret } from '../support/make-service.js';
import { describePortableSchema } from './portable-schema.js';
import { describePortableUpgrade } from './portable-upgrade.js';

describePortableSchema('SQLite');
describePortableUpgrade('SQLite');

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
