/** The session check on PostgreSQL: one prepared, indexed query, shared by lookups that arrive while another is running. */
import { randomUUID } from 'node:crypto';
import { connectionPerTest, storedSession } from '../support/single-connection.js';

const on = connectionPerTest();

describe('rate limits on PostgreSQL', () => {
  it('hit() updates all counters with one prepared statement, and writes no row if one of them refuses, which takes another', async () => {
    const { rateLimits } = on.storage;
    const now = Date.now();
    const [narrow, wide] = [
      { key: randomUUID(), windowMs: 60_000, max: 1 },
      { key: randomUUID(), windowMs: 60_000, max: 5 },
    ];
    const versions = async () => {
      const { rows } = await on.knex.raw<{ rows: object[] }>(
        'select key, xmin, xmax, ctid from svc_rate_limits where key in (?, ?) order by key',
        [narrow.key, wide.key],
      );
      return rows;
    };
    const sentBy = async (call: () => Promise<unknown>) => {
      on.sent.length = 0;
      await call();
      return on.sent.map(({ options }) => options?.name?.replace(/_[0-9a-f]{12}_0$/, ''));
    };
    const hit = () => rateLimits.hit([narrow, wide], now);
    expect(await sentBy(hit)).toEqual(['svc_rate_limit_hit']);
    const before = await versions();
    expect(await sentBy(hit)).toEqual(['svc_rate_limit_hit', 'svc_rate_limit_decide']);
    expect(before).toHaveLength(2);
    expect(await versions()).toEqual(before);
  });
});

describe('lookups of sessions and users', () => {
  it('all session lookups of one turn use one prepared query', async () => {
    const { id } = await storedSession(on);
    const ids = [id, id, randomUUID(), 'malformed', id];
    const results = await Promise.all(ids.map((each) => on.storage.sessions.findWithUser(each)));
    expect(results.map((response) => response?.session.id)).toEqual([id, id, undefined, undefined, id]);
    expect(on.sent).toHaveLength(1);
    expect(on.sent[0]?.options?.name).toMatch(/^svc_session_check_[0-9a-f]{12}_0$/);
  });

  it('all user lookups of one turn use one prepared query', async () => {
    const { userId } = await storedSession(on);
    const users = await Promise.all([1, 2, 3].map(() => on.storage.users.findById(userId)));
    expect(users.map((user) => user?.id)).toEqual([userId, userId, userId]);
    expect(on.sent.map(({ options }) => options?.name)).toEqual([
      expect.stringMatching(/^svc_users_by_id_[0-9a-f]{12}_0$/),
    ]);
  });

  it('one statement is prepared for any number of ids per turn', async () => {
    await storedSession(on);
    for (const count of [1, 2, 30]) {
      await Promise.all(Array.from({ length: count }, () => on.storage.sessions.findWithUser(randomUUID())));
    }
    const { rows } = await on.knex.raw<{ rows: { name: string; calls: string }[] }>(
      `select name, generic_plans + custom_plans as calls from pg_prepared_statements
       where name like 'svc_session_check%'`,
    );
    expect(rows).toEqual([{ name: expect.stringMatching(/^svc_session_check_/) as unknown, calls: '3' }]);
  });

  it('PostgreSQL plans a lookup five times per connection, and then keeps the plan', async () => {
    const { id, userId } = await storedSession(on);
    for (let i = 0; i < 20; i += 1) {
      await on.storage.sessions.findWithUser(id);
      await on.storage.users.findById(userId);
    }
    const { rows } = await on.knex.raw<{ rows: object[] }>(
      `select generic_plans, custom_plans from pg_prepared_statements
       where name like 'svc_session_check%' or name like 'svc_users_by_id%'`,
    );
    const plans = { generic_plans: '15', custom_plans: '5' };
    expect(rows).toEqual([plans, plans]);
  });

  it('listeners of the knex instance see every lookup and its response', async () => {
    const { id, userId } = await storedSession(on);
    interface Emitted {
      sql: string;
      __knexUid: string;
      __knexQueryUid: string;
    }
    const queries: string[][] = [];
    const responses: unknown[] = [];
    on.knex.on('query', ({ __knexUid, __knexQueryUid }: Emitted) =>
      queries.push([__knexUid, __knexQueryUid]),
    );
    on.knex.on('query-response', (response: { rows: object[] }, query: Emitted) => {
      responses.push({ sql: query.sql, rows: response.rows });
      // Listeners measure a query by these ids.
      expect(queries).toEqual([[query.__knexUid, query.__knexQueryUid]]);
    });
    await on.storage.sessions.findWithUser(id);
    const rows = [expect.objectContaining({ session_id: id, user_id: userId })];
    expect(responses).toEqual([{ sql: on.sent.at(-1)?.sql, rows }]);
    expect(on.sent).toHaveLength(1);
  });

  it('a malformed id causes no query', async () => {
    expect(await on.storage.sessions.findWithUser('malformed')).toBeNull();
    expect(await on.storage.users.findById('malformed')).toBeNull();
    expect(on.sent.filter(({ sql }) => sql.includes('any(cast'))).toEqual([]);
  });

  it('the session check uses indexes in the plan that PostgreSQL keeps for a table of some thousand rows', async () => {
    await on.knex.raw(`
      with people as (
        insert into svc_users (id, email_verified, metadata, epoch, created_at, updated_at)
        select gen_random_uuid(), true, '{}', 0, '2030-01-01', '2030-01-01' from generate_series(1, 2000)
        returning id)
      insert into svc_sessions (id, user_id, device, created_at, last_seen_at, expires_at)
      select gen_random_uuid(), id, '{}', '2030-01-01', '2030-01-01', '2040-01-01' from people`);
    await on.knex.raw('analyze');
    const { id } = await storedSession(on);
    await on.storage.sessions.findWithUser(id);
    const statement = on.sent.at(-1)?.options?.name;
    await on.knex.raw('set plan_cache_mode = force_generic_plan');
    const { rows } = await on.knex.raw<{ rows: Record<string, string>[] }>(
      `explain execute ${statement} ('{${id}}')`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/svc_sessions_pkey/);
    expect(plan).toMatch(/svc_users_pkey/);
    expect(plan).not.toMatch(/Seq Scan on (?!svc_lockdown)|Hash/);
  });
});
