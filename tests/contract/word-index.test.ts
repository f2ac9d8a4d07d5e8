/** A search within words on PostgreSQL: refused for very many users, unless the application has created the indexes that docs/scale.md names. */
import { readFileSync } from 'node:fs';
import knexPackage from 'knex';
import { createService, knexAdapter } from 'svc-auth';
import { createDatabase } from '../support/postgres.js';
import { outcomeOf } from '../support/outcomes.js';

it('refuses to read more than 100,000 users, and finds them by the indexes of docs/scale.md', async () => {
  const database = await createDatabase();
  const knex = knexPackage({ client: 'pg', connection: database.url });
  const service = createService({
    adapter: knexAdapter(knex),
    session: { secret: 'a secret of the tests, 32 bytes or more' },
  });
  await service.init();
  const search = { search: 'lovelace', within: 'words' } as const;
  const { id } = await service.users.create({ email: 'ada.lovelace@example.test' });
  expect((await service.users.list(search)).users).toMatchObject([{ id }]);
  await knex.raw(`
    insert into svc_users (id, email, email_verified, metadata, epoch, created_at, updated_at)
    select gen_random_uuid(), 'user-' || n || '@example.test', true, '{}', 0, now(), now()
    from generate_series(1, 100000) n`);
  expect(await outcomeOf(() => service.users.list(search))).toBe('invalid_request');
  expect(await outcomeOf(() => service.users.count(search))).toBe('invalid_request');
  const statements =
    /```sql\n(create extension[^`]*)```/.exec(readFileSync('docs/scale.md', 'utf8'))?.[1] ?? '';
  const [extension, ...indexes] = statements.split(';').map((each) => each.trim());
  await knex.raw(extension!);
  for (const index of indexes.filter((each) => each !== '')) {
    expect(await outcomeOf(() => service.users.list(search))).toBe('invalid_request');
    await knex.raw(index);
  }
  await knex.raw('analyze svc_users');
  expect((await service.users.list(search)).users).toMatchObject([{ id }]);
  expect(await service.users.count(search)).toBe(1);
  await knex.raw('set enable_seqscan = off');
  const plan = await knex.raw(
    "explain select id from svc_users u where (u.email like '%lovelace%' or u.username_key like '%lovelace%') order by u.created_at desc, u.id desc limit 51",
  );
  expect(JSON.stringify(plan.rows)).toContain('svc_users_email_words');
  await service.close();
  await knex.destroy();
  await database.drop();
}, 60_000);
