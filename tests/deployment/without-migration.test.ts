// `init({ migrate: false })`: a service that starts without changing the schema.
import { memoryAdapter } from 'svc-auth';
import { createEmptyDatabase, sharedStorages } from '../support/databases.js';
import { makeService } from '../support/make-service.js';
import { openStorage } from '../support/open-storage.js';
import { errorOf } from '../support/outcomes.js';

describe.each(sharedStorages(['PostgreSQL', 'SQLite']))('init({ migrate: false }) on %s', (name) => {
  it('refuses an empty database, names the migrations and the command, and creates nothing', async () => {
    const database = await createEmptyDatabase(name);
    const { service } = await makeService({ adapter: openStorage(database.url), init: false });
    const error = await errorOf(() => service.init({ migrate: false }));
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect(error.message).toMatch(/lacks the migrations first-release, .+ "npx svc-auth migrate up"/);
    await expect(database.sql('select * from svc_migrations')).rejects.toThrow();
    await service.close();
    await database.drop();
  });

  it('refuses a schema that lacks the last migration, and accepts one of a newer release', async () => {
    const database = await createEmptyDatabase(name);
    const storage = openStorage(database.url);
    await storage.init();
    const [newest] = await database.sql('select id, name from svc_migrations order by id desc limit 1');
    await database.sql(`delete from svc_migrations where id = ${String(newest?.['id'])}`);
    const { service, log } = await makeService({ adapter: storage, init: false });
    await expect(service.init({ migrate: false })).rejects.toThrow(String(newest?.['name']));
    await database.sql(
      `insert into svc_migrations (id, name) values (${String(newest?.['id'])}, 'again'), (99, 'newer')`,
    );
    await service.init({ migrate: false });
    expect(log.filter(({ level }) => level !== 'info')).toEqual([]);
    await service.close();
    await database.drop();
  });

  it('warns about an index that is missing, and starts', async () => {
    const database = await createEmptyDatabase(name);
    const storage = openStorage(database.url);
    await storage.init();
    const on = name === 'MariaDB' ? ' on svc_users' : '';
    await database.sql(`drop index svc_users_by_age${on}`);
    const { service, log } = await makeService({ adapter: storage, init: false });
    await service.init({ migrate: false });
    expect(log).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: { event: 'indexes_missing', indexes: ['svc_users_by_age'] },
      }),
    );
    await service.close();
    await database.drop();
  });
});

describe('init()', () => {
  it('starts in memory, which has no schema, with and without migrations', async () => {
    for (const migrate of [true, false]) {
      const { service } = await makeService({ adapter: memoryAdapter(), init: false });
      await service.init({ migrate });
      await service.close();
    }
  });

  it.each([[{ migrate: 'no' }], [{ migrates: false }], [{ migrate: null }]])(
    'refuses the options %j',
    async (options) => {
      const { service } = await makeService({ init: false });
      await expect(service.init(options as never)).rejects.toMatchObject({ code: 'invalid_request' });
      await service.close();
    },
  );
});
