/**
 * What a running process survives: ended connections, an unreachable database, a changed schema.
 */
import { runSql } from '../support/postgres.js';
import { connectionPerTest, retryUntilResolved, now, storedSession } from '../support/single-connection.js';

const on = connectionPerTest();

describe('recovery without a restart', () => {
  it('statements are prepared again after a change of the schema', async () => {
    const { id, userId } = await storedSession(on);
    await on.storage.sessions.findWithUser(id);
    await runSql(on.url, 'alter table svc_users alter column password_hash type varchar(400)');
    expect((await on.storage.sessions.findWithUser(id))?.user.id).toBe(userId);
    const names = on.sent.map(({ options }) => options?.name?.replace(/[0-9a-f]{12}/, 'digest'));
    expect(names).toEqual([
      'svc_session_check_digest_0',
      'svc_session_check_digest_0',
      'svc_session_check_digest_1',
    ]);
    await runSql(on.url, 'alter table svc_users alter column password_hash type text');
    expect((await on.storage.sessions.findWithUser(id))?.user.id).toBe(userId);
  });

  it('statements are prepared again after a pooler has dropped them', async () => {
    const { id } = await storedSession(on);
    await on.storage.sessions.findWithUser(id);
    await on.knex.raw('deallocate all');
    expect((await on.storage.sessions.findWithUser(id))?.session.id).toBe(id);
  });

  it('statements are no longer named after a pooler has dropped them three times, with one warning', async () => {
    const { id, userId } = await storedSession(on);
    const warnings: unknown[] = [];
    await on.storage.init({ warn: (fields) => void warnings.push(fields) });
    on.sent.length = 0;
    for (let round = 0; round < 10; round += 1) {
      expect((await on.storage.sessions.findWithUser(id))?.session.id).toBe(id);
      expect((await on.storage.users.findById(userId))?.id).toBe(userId);
      await on.knex.raw('deallocate all');
    }
    const names = on.sent.flatMap(({ options }) => options?.name ?? []);
    expect(new Set(names).size).toBeLessThanOrEqual(6);
    expect(on.sent.slice(-4).map(({ options }) => options?.name)).toEqual(Array(4).fill(undefined));
    expect(warnings).toEqual([{ event: 'prepared_statements_off' }]);
  });

  it('statements remain named after any number of schema changes', async () => {
    const { id } = await storedSession(on);
    for (const type of ['varchar(400)', 'text', 'varchar(400)', 'text', 'varchar(400)']) {
      await on.storage.sessions.findWithUser(id);
      await runSql(on.url, `alter table svc_users alter column password_hash type ${type}`);
    }
    expect((await on.storage.sessions.findWithUser(id))?.session.id).toBe(id);
    expect(on.sent.at(-1)?.options?.name).toMatch(/^svc_session_check_/);
  });

  it('the adapter works again after its connections were ended', async () => {
    const { id } = await storedSession(on);
    await endConnections();
    expect((await retryUntilResolved(() => on.storage.sessions.findWithUser(id)))?.session.id).toBe(id);
  });

  it('calls fail with internal_error while the database is unreachable, and work again afterwards', async () => {
    const { id, userId } = await storedSession(on);
    await allowConnections(false);
    await endConnections();
    const calls = [
      on.storage.sessions.findWithUser(id),
      on.storage.sessions.findWithUser(id),
      on.storage.users.findById(userId),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'internal_error' } });
    }
    await expect(on.storage.sessions.revokeAll(userId, now)).rejects.toMatchObject({
      code: 'internal_error',
    });
    await allowConnections(true);
    expect((await on.storage.sessions.findWithUser(id))?.session.id).toBe(id);
    expect(await on.storage.sessions.revokeAll(userId, now)).toBe(true);
  });
});

/** Runs on another database of the server, because this one may be closed. */
async function asAdmin(sql: string): Promise<void> {
  const url = new URL(on.url);
  url.pathname = '/template1';
  await runSql(url.href, sql);
}

const databaseName = () => new URL(on.url).pathname.slice(1);

async function endConnections(): Promise<void> {
  await asAdmin(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${databaseName()}'`,
  );
}

async function allowConnections(allowed: boolean): Promise<void> {
  await asAdmin(`alter database ${databaseName()} allow_connections ${allowed}`);
}
