// `clear(service)` of svc-auth/testing leaves a service as it is after `init()`.
import { knexAdapter, memoryAdapter } from 'svc-auth';
import { clear } from 'svc-auth/testing';
import { describeClear } from '../support/cleared-service.js';
import { makeService } from '../support/make-service.js';
import { createMigratedDatabase, querySql } from '../support/postgres.js';

describeClear(['memory', 'PGlite', 'PostgreSQL', 'SQLite']);

describe('clear(service)', () => {
  it('empties every table except the register of migrations, and forgets remembered sessions', async () => {
    const { url, drop } = await createMigratedDatabase();
    const adapter = knexAdapter({ client: 'pg', connection: url });
    const { service } = await makeService({ adapter, session: { cache: { maxStaleMs: 60_000 } } });
    const { user, token } = await service.emailPassword
      .signup({ email: 'ada@example.com', password: 'correct horse battery' }, { startSession: true })
      .then(({ user, session }) => ({ user, token: session!.token }));
    expect(await service.getSessionUser(token)).toMatchObject({ id: user.id });
    await clear(service);
    await expect(service.getSessionUser(token)).rejects.toMatchObject({ code: 'user_not_found' });
    const tables = await querySql(url, `select tablename from pg_tables where schemaname = 'public'`);
    const filled: string[] = [];
    for (const { tablename } of tables) {
      const [row] = await querySql(url, `select exists (select from ${String(tablename)}) as is_filled`);
      if (row?.['is_filled'] === true) filled.push(String(tablename));
    }
    expect(filled).toEqual(['svc_migrations']);
    await service.close();
    await drop();
  });

  it('throws for an adapter without clear(), and in production', async () => {
    const { service } = await makeService({ adapter: { ...memoryAdapter(), clear: undefined } });
    await expect(clear(service)).rejects.toThrow('The storage adapter has no method clear().');
    process.env['NODE_ENV'] = 'production';
    try {
      await expect(clear(service)).rejects.toThrow('does not run in production');
    } finally {
      process.env['NODE_ENV'] = 'test';
    }
  });
});
