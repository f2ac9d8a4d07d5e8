/** What the doctor and the health check find in databases. */
import { randomUUID } from 'node:crypto';
import { knexAdapter, type ServiceConfig } from 'svc-auth';
import {
  createEmptyDatabase,
  createSharedDatabase,
  sharedStorages,
  type SharedDatabase,
} from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import { findingsOf, goodSetup, type Setup } from './good-application.js';

async function idsOf(adapter: ServiceConfig['adapter'], changes: Partial<Setup> = {}): Promise<string[]> {
  const setup = { ...goodSetup(), ...changes };
  setup.config.adapter = adapter;
  return (await findingsOf(setup)).map(({ id }) => id);
}

for (const storage of sharedStorages(['SQLite', 'PostgreSQL']))
  describe(`on ${storage}`, () => {
    let database: SharedDatabase;
    beforeAll(async () => (database = await createSharedDatabase(storage)));
    afterAll(() => database.drop());

    it('finds nothing in a database that is up to date', async () => {
      expect(await idsOf(openStorage(database.url))).toEqual([]);
    });

    it('finds a migration that this release does not know', async () => {
      await database.sql("insert into svc_migrations (id, name) values (900, 'of a newer release')");
      expect(await idsOf(openStorage(database.url))).toEqual(['migrations_ahead']);
      await database.sql('delete from svc_migrations where id = 900');
    });

    it('finds an index that is missing', async () => {
      const name = 'svc_single_use_tokens_expiry';
      const drop =
        storage === 'MariaDB' ? `drop index ${name} on svc_single_use_tokens` : `drop index ${name}`;
      await database.sql(drop);
      expect(await idsOf(openStorage(database.url))).toEqual(['indexes_missing']);
      await database.sql(`create index ${name} on svc_single_use_tokens (expires_at)`);
    });

    it('finds a migration that is missing, without applying it', async () => {
      const [{ name } = {}] = await database.sql('select name from svc_migrations where id = 2');
      await database.sql('delete from svc_migrations where id = 2');
      expect(await idsOf(openStorage(database.url), { init: false })).toEqual(['migrations_missing']);
      await database.sql(`insert into svc_migrations (id, name) values (2, '${String(name)}')`);
    });

    if (storage === 'SQLite') return;

    it('finds a pool that is too small', async () => {
      expect(await idsOf(openStorage(database.url, 2))).toEqual(['pool_small']);
    });

    it('finds a superuser in production, and no role that only owns the tables', async () => {
      const production = { env: { NODE_ENV: 'production' } };
      expect(await idsOf(openStorage(database.url), production)).toEqual(['role_superuser']);
      expect(await idsOf(openStorage(database.url))).toEqual([]);
      const role = `svc_doctor_${randomUUID().replaceAll('-', '')}`;
      const owned = await createEmptyDatabase(storage);
      await owned.sql(`create role ${role} login password 'doctor'`);
      await owned.sql(`grant create on schema public to ${role}`);
      const url = Object.assign(new URL(owned.url), { username: role, password: 'doctor' });
      try {
        expect(await idsOf(openStorage(url.href), production)).toEqual([]);
      } finally {
        await owned.sql(`drop owned by ${role}`);
        await owned.sql(`drop role ${role}`);
        await owned.drop();
      }
    });

    it('finds a pool that is larger than the server allows', async () => {
      const { adapter, pool } = { adapter: (max: number) => openStorage(database.url, max), pool: 100_000 };
      // Not opened ahead of time: only its maximum counts.
      expect(await idsOf(adapter(pool))).toEqual(['pool_exceeds_server']);
    });
  });

it('finds a database that does not answer', async () => {
  const adapter = knexAdapter({ client: 'pg', connection: 'postgres://a:b@127.0.0.1:1/a' });
  expect(await idsOf(adapter, { init: false })).toEqual(['storage_unreachable']);
});
