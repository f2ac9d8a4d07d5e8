/**
 * Properties of the PostgreSQL adapter only: its errors, which connections it closes, how it
 * purges.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import { createDatabase } from '../support/postgres.js';
import { connectionPerTest, retryUntilResolved, now, storedSession } from '../support/single-connection.js';

const on = connectionPerTest();

describe('errors of knexAdapter', () => {
  it('an error is internal_error with the SQLSTATE in the cause, and contains no value', async () => {
    const empty = await createDatabase();
    // The worst case: an instance of the application, which includes values in messages.
    const host = knexPackage({ client: 'pg', connection: empty.url });
    const error = await knexAdapter(host)
      .users.findByEmail('secret@example.test')
      .catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'internal_error', cause: { code: '42P01' } });
    const cause = (error as Error).cause as Error;
    expect(cause.message).toBe('relation "public.svc_users" does not exist');
    expect(JSON.stringify({ ...cause, stack: cause.stack })).not.toContain('secret@');
    await host.destroy();
    await empty.drop();
  });

  it('an error does not repeat the values of a violated constraint', async () => {
    const token = { purpose: 'magic_link', subject: 's', expiresAt: now, metadata: {} } as const;
    await on.storage.singleUseTokens.insert({ ...token, digest: 'secret digest' });
    const error = await on.storage.singleUseTokens
      .insert({ ...token, digest: 'secret digest' })
      .catch((e: Error) => e);
    const cause = (error as Error).cause as Error;
    expect(cause).toMatchObject({ code: '23505' });
    expect(JSON.stringify({ ...cause, message: cause.message, stack: cause.stack })).not.toContain('secret');
  });

  it.each([[undefined], [null], ['postgres://db']])(
    'knexAdapter(%j) throws an error that says what to pass',
    (wrong) => {
      expect(() => knexAdapter(wrong as never)).toThrow(
        expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining('connection') }),
      );
    },
  );

  it('knexAdapter() refuses a client of another database immediately', () => {
    expect(() => knexAdapter({ client: 'mssql' })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    );
    const mysql = knexPackage({ client: class extends knexPackage.Client {} });
    expect(() => knexAdapter(mysql)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });
});

it('close() leaves an instance of the application open', async () => {
  await on.storage.close();
  await expect(on.knex.raw('select 1')).resolves.toBeDefined();
});

it('close() closes the connections that the adapter has opened', async () => {
  const own = knexAdapter({
    client: 'pg',
    connection: { connectionString: on.url, application_name: 'own' },
  });
  const connections = async () => {
    const { rows } = await on.knex.raw<{ rows: unknown[] }>(
      `select from pg_stat_activity where application_name = 'own'`,
    );
    return rows.length;
  };
  await own.users.findById(randomUUID());
  expect(await connections()).toBe(1);
  await own.close();
  await retryUntilResolved(async () => expect(await connections()).toBe(0));
});

it('the pool that the adapter opens keeps its connections, unless the configuration has a minimum', async () => {
  const connectionsAfterPause = async (name: string, pool: Knex.PoolConfig) => {
    const connection = { connectionString: on.url, application_name: name };
    const own = knexAdapter({
      client: 'pg',
      connection,
      pool: { idleTimeoutMillis: 10, reapIntervalMillis: 10, ...pool },
    });
    await Promise.all(Array.from({ length: 6 }, () => own.users.findByEmail('ada@example.com')));
    const count = async () => {
      const { rows } = await on.knex.raw<{ rows: unknown[] }>(
        'select from pg_stat_activity where application_name = ?',
        [name],
      );
      return rows.length;
    };
    // Longer than what knex closes an idle connection after.
    await setTimeout(200);
    return { count, close: () => own.close() };
  };
  const kept = await connectionsAfterPause('kept', { max: 4 });
  expect(await kept.count()).toBe(4);
  const closed = await connectionsAfterPause('closed', { min: 1, max: 4 });
  await retryUntilResolved(async () => expect(await closed.count()).toBe(1));
  expect(await kept.count()).toBe(4);
  await Promise.all([kept.close(), closed.close()]);
});

it('close() before the first call opens no connection', async () => {
  await knexAdapter({ client: 'pg', connection: 'postgres://nobody@127.0.0.1:1/none' }).close();
});

it('purgeExpired() works in batches of 1000 rows', async () => {
  await on.knex.raw(
    `insert into svc_rate_limits (key, count, reset_at) select 'old ' || n, 1, '2030-01-01' from generate_series(1, 2500) n`,
  );
  on.sent.length = 0;
  expect(await on.storage.purgeExpired({ now })).toMatchObject({ rateLimits: 2500 });
  expect(on.sent.filter(({ sql }) => sql.includes('svc_rate_limits'))).toHaveLength(3);
});

it('deleting a user deletes the user’s sessions and identities', async () => {
  const { id, userId } = await storedSession(on);
  await on.knex.raw('delete from svc_users where id = ?', [userId]);
  expect(await on.storage.sessions.findWithUser(id)).toBeNull();
});
