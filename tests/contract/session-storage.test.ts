/** Sessions on PostgreSQL: renewals in place, and a purge by index. */
import type { Knex } from 'knex';
import { connectionPerTest, now, storedSession } from '../support/single-connection.js';

const on = connectionPerTest();

async function insertSessions(knex: Knex, userId: string, count: number, expiresAt: string): Promise<void> {
  await knex.raw(
    `insert into svc_sessions (id, user_id, device, created_at, last_seen_at, expires_at, purge_after)
     select gen_random_uuid(), :userId, '{}', '2030-01-01', '2030-01-01', :expiresAt, :expiresAt
     from generate_series(1, cast(:count as integer))`,
    { userId, expiresAt, count },
  );
}

it('a renewal writes the new version of a session to the same page and updates no index', async () => {
  const { knex, storage } = on;
  const { userId } = await storedSession(on);
  await insertSessions(knex, userId, 300, '2040-01-01');
  const { rows: sessions } = await knex.raw<{ rows: { id: string }[] }>(
    // One in ten of every page: more would depend on the pruning of old versions, which another
    // transaction can delay.
    `select id from (select id, row_number() over (order by ctid) as place from svc_sessions where expires_at = '2040-01-01') as rows
     where place % 10 = 0`,
  );
  const counts = async () => {
    await knex.raw('select pg_stat_force_next_flush()');
    const { rows } = await knex.raw<{ rows: { updates: number; in_place: number }[] }>(
      `select n_tup_upd::int as updates, n_tup_hot_upd::int as in_place
       from pg_stat_user_tables where relname = 'svc_sessions'`,
    );
    return rows[0] ?? { updates: 0, in_place: 0 };
  };
  const before = await counts();
  for (const { id } of sessions) {
    const renewal = { lastSeenAt: new Date(now.getTime() + 1), expiresAt: new Date('2041-01-01') };
    expect(await storage.sessions.renew(id, renewal)).toBe(true);
  }
  const after = await counts();
  const share = (after.in_place - before.in_place) / (after.updates - before.updates);
  expect(after.updates - before.updates).toBe(30);
  expect(share).toBeGreaterThan(0.9);
});

it('purgeExpired() finds expired rows by index', async () => {
  const { knex, storage, sent } = on;
  const { userId } = await storedSession(on);
  await insertSessions(knex, userId, 20_000, '2040-01-01');
  await insertSessions(knex, userId, 10, '2030-01-02');
  await knex.raw('analyze');
  sent.length = 0;
  const queries: { sql: string; bindings: unknown[] }[] = [];
  knex.on('query', (query: { sql: string; bindings: unknown[] }) => queries.push(query));
  await storage.purgeExpired({ now });
  const statements = queries.filter(({ sql }) => sql.includes('svc_'));
  expect(statements.length).toBeGreaterThanOrEqual(8);
  const planOf = async ({ sql, bindings }: (typeof queries)[number]) => {
    // knex numbers the bindings itself.
    const text = sql.replace(/\$\d+/g, '?');
    const { rows } = await knex.raw<{ rows: Record<string, string>[] }>(
      `explain ${text}`,
      bindings as string[],
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  for (const statement of statements) expect(await planOf(statement)).not.toMatch(/Seq Scan on svc_sessions/);
  // Small tables are read as a whole regardless of their indexes, except in this test.
  await knex.raw('set enable_seqscan = off');
  for (const statement of statements)
    expect(await planOf(statement)).not.toMatch(/Seq Scan on svc_(?!lockdown)/);
});
