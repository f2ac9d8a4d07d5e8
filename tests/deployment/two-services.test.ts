// Two services in one PostgreSQL database, each in its own schema: tables, triggers, notifications and migrations are separate.
import { knexAdapter } from 'svc-auth';
import { makeService, type TestService } from '../support/make-service.js';
import { createDatabase, querySql, type TestDatabase } from '../support/postgres.js';

const schemas = ['first', 'second auth'] as const;

let database: TestDatabase;
let services: TestService[] = [];
beforeEach(async () => {
  database = await createDatabase();
  for (const schema of schemas) await querySql(database.url, `create schema "${schema}"`);
});
afterEach(async () => {
  await Promise.all(services.map(({ service }) => service.close()));
  services = [];
  await database.drop();
});

async function open(schema: string, cache?: { maxStaleMs: number }): Promise<TestService> {
  const connection = { client: 'pg', connection: database.url, pool: { min: 0, max: 4 } };
  const test = await makeService({
    adapter: knexAdapter(connection, { schema }),
    session: cache ? { cache } : {},
    init: false,
  });
  services.push(test);
  return test;
}

async function signedIn({ service, mail }: TestService, email: string) {
  await service.emailCode.sendCode({ email });
  const code = mail.lastCode(email)!;
  return service.emailCode.verify({ email, code }, { startSession: true });
}

it('start at the same time, and keep their tables in their own schema', async () => {
  const opened = await Promise.all(schemas.map((schema) => open(schema)));
  await Promise.all(opened.map(({ service }) => service.init()));
  const rows = await querySql(
    database.url,
    `select schemaname, cast(count(*) as integer) as tables from pg_tables where tablename like 'svc%' group by 1 order by 1`,
  );
  expect(rows.map((row) => row['schemaname'])).toEqual(schemas);
  expect(rows[0]?.['tables']).toBe(rows[1]?.['tables']);
  for (const { adapter } of opened) {
    expect(await adapter.schema!.status()).toMatchObject({ missing: [], missingIndexes: [], unknown: [] });
    expect((await adapter.schema!.plan()).statements).toEqual([]);
  }
});

it('have separate accounts and sessions for one address, and a token of one is not valid at the other', async () => {
  const [first, second] = await Promise.all(schemas.map((schema) => open(schema)));
  await Promise.all([first!.service.init(), second!.service.init()]);
  const email = 'ada@example.com';
  const ofFirst = await signedIn(first!, email);
  expect(await second!.service.users.find({ email })).toBeNull();
  await expect(second!.service.getSessionUser(ofFirst.session!.token)).rejects.toThrow();
  const ofSecond = await signedIn(second!, email);
  expect(ofSecond.user.id).not.toBe(ofFirst.user.id);
  await first!.service.users.block(ofFirst.user.id);
  await expect(first!.service.getSessionUser(ofFirst.session!.token)).rejects.toThrow();
  expect(await second!.service.getSessionUser(ofSecond.session!.token)).toMatchObject({ email });
});

it('enable the triggers of their own tables only, and hear of the end of sessions with session.cache', async () => {
  const cache = { maxStaleMs: 60_000 };
  const [first, second] = await Promise.all([open(schemas[0], cache), open(schemas[1])]);
  await Promise.all([first.service.init(), second.service.init()]);
  const enabled = () =>
    querySql(
      database.url,
      `select distinct n.nspname as schema from pg_trigger t join pg_class c on c.oid = t.tgrelid
       join pg_namespace n on n.oid = c.relnamespace where t.tgname like 'svc%' and t.tgenabled <> 'D'`,
    );
  const { session, user } = await signedIn(first, 'ada@example.com');
  // The process enables the triggers when it opens its connection, which takes some statements.
  for (let rows = await enabled(); rows.length === 0; rows = await enabled())
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await enabled()).toEqual([{ schema: 'first' }]);
  expect(await first.service.getSessionUser(session!.token)).toMatchObject({ id: user.id });
  await first.service.users.block(user.id);
  await expect(first.service.getSessionUser(session!.token)).rejects.toThrow();
});

it('print a plan and grants that name their schema', async () => {
  const { adapter } = await open(schemas[1]);
  const { statements } = await adapter.schema!.plan();
  expect(statements.map(({ sql }) => sql).filter((sql) => sql.includes('svc_users'))[0]).toContain(
    'create table "second auth".svc_users',
  );
  const grants = await adapter.schema!.grants({ application: 'shop app' });
  expect(grants.statements).toContain('grant usage on schema "second auth" to "shop app"');
  expect(grants.statements.at(-1)).toMatch(
    /^grant select \(.+\) on "second auth"\.svc_org_memberships to "shop app"$/,
  );
  // A line break would end the comment that names the role.
  for (const application of ['a"; drop table x', 'a\ndrop table x'])
    await expect(adapter.schema!.grants({ application })).rejects.toMatchObject({ code: 'config_invalid' });
});
