// `clear(service)` of svc-auth/testing leaves a service as it is after `init()`.
import { knexAdapter, memoryAdapter } from 'svc-auth';
import { clear, testLicense } from 'svc-auth/testing';
import { hasMariaDb } from '../support/mariadb.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { makeService } from '../support/make-service.js';
import { createDatabase, querySql } from '../support/postgres.js';

const everyStorage = ['memory', 'PGlite', 'PostgreSQL', 'SQLite', ...(hasMariaDb ? ['MariaDB'] : [])];

describeAdapters(
  'clear(service)',
  ({ make, uniqueEmail }) => {
    it('removes users, sessions, codes, organizations and counters', async () => {
      const { service, mail } = await make({
        ...testLicense(),
        providers: { orgs: { allowUnverified: true }, refresh: {}, apiKeys: { allowUnverified: true } },
        rateLimit: { maxPerWindow: 1 },
      });
      const email = uniqueEmail();
      const password = 'correct horse battery';
      const { user } = await service.emailPassword.signup({ email, password });
      await service.orgs.create({ name: 'Acme', slug: 'acme', ownerUserId: user.id });
      await service.refresh.issue({ userId: user.id });
      await service.apiKeys.create({ name: 'deploy', userId: user.id });
      await service.emailCode.sendCode({ email });
      await expect(service.emailCode.sendCode({ email })).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
      const code = mail.lastCode(email)!;

      await clear(service);

      expect(await service.users.find({ email })).toBeNull();
      await expect(service.emailCode.verify({ email, code })).rejects.toMatchObject({
        code: 'code_not_found',
      });
      await service.emailCode.sendCode({ email });
      const again = await service.emailPassword.signup({ email, password });
      expect(again.user.id).not.toBe(user.id);
      await service.orgs.create({ name: 'Acme', slug: 'acme', ownerUserId: again.user.id });
    });

    it('waits for mail that is sent in the background, which may still write', async () => {
      const { service, mail } = await make();
      const email = uniqueEmail();
      await service.emailPassword.signup({ email, password: 'correct horse battery' });
      await service.emailPassword.requestReset({ email });
      await clear(service);
      expect(mail.messages.map(({ kind }) => kind)).toContain('password_reset');
      const token = new URL(mail.lastLink(email)!).searchParams.get('token')!;
      const reset = service.emailPassword.setPassword({ token, newPassword: 'battery staple horse' });
      await expect(reset).rejects.toMatchObject({ code: 'token_invalid' });
    });
  },
  everyStorage,
);

describe('clear(service)', () => {
  it('empties every table except the register of migrations, and forgets remembered sessions', async () => {
    const { url, drop } = await createDatabase();
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
    const { clear: _clear, ...adapter } = memoryAdapter();
    const { service } = await makeService({ adapter });
    await expect(clear(service)).rejects.toThrow('The storage adapter has no method clear().');
    process.env['NODE_ENV'] = 'production';
    try {
      await expect(clear(service)).rejects.toThrow('does not run in production');
    } finally {
      process.env['NODE_ENV'] = 'test';
    }
  });
});
