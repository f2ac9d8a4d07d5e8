/** The split of docs/database-roles.md: what the application's role can read, write, join and refer to. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { communityLicense } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { visibleColumns } from '../../src/adapters/shared/visible-columns.js';
import type { GrantedRoles } from '../../src/storage/schema-administration.js';
import { makeService, type TestService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';
import type { Column, RoleDatabase } from './role-databases.js';

/** The documented list: docs/database-roles.md. */
const allowed = [
  'svc_org_memberships.created_at',
  'svc_org_memberships.org_id',
  'svc_org_memberships.role',
  'svc_org_memberships.user_id',
  'svc_orgs.created_at',
  'svc_orgs.external_id',
  'svc_orgs.id',
  'svc_orgs.metadata',
  'svc_orgs.name',
  'svc_orgs.slug',
  'svc_orgs.updated_at',
  'svc_users.blocked_at',
  'svc_users.blocked_until',
  'svc_users.created_at',
  'svc_users.email',
  'svc_users.email_verified',
  'svc_users.external_id',
  'svc_users.id',
  'svc_users.is_guest',
  'svc_users.language',
  'svc_users.last_sign_in_at',
  'svc_users.metadata',
  'svc_users.roles',
  'svc_users.updated_at',
  'svc_users.username',
];

const nameOf = ({ table, column }: Column) => `${table}.${column}`;

export function describeDatabaseRoles(name: string, create: () => Promise<RoleDatabase>): void {
  describe(`separate roles on ${name}`, () => {
    let database: RoleDatabase;
    let test: TestService;
    let userId: string;

    beforeAll(async () => {
      database = await create();
      test = await makeService({
        adapter: database.storageAs('auth'),
        licenseKey: communityLicense,
        providers: { account: { sender: outbox() } },
      });
      await grant({ application: database.roles.app, owner: database.roles.owner });
      userId = (await test.service.users.create({ email: 'ada@example.com', metadata: { plan: 'pro' } })).id;
      const creator = database.hasReferencesWithColumns ? database.app : database.owner;
      await creator.raw(database.notes.create);
    });

    afterAll(async () => {
      await test.service.close();
      await database.drop();
    });

    /** As the owner of the tables, or the administrator, would. */
    async function grant(roles: GrantedRoles): Promise<void> {
      const { statements } = await test.adapter.schema!.grants(roles);
      for (const statement of statements) await database.admin(statement);
    }

    const succeeds = (sql: string) =>
      database.app.raw(sql).then(
        () => true,
        (error: Error) => {
          expect(error.message).toMatch(/permission denied|command denied|denied to user/i);
          return false;
        },
      );

    it('lets the application read the documented columns, and refuses every other column of every table', async () => {
      const columns = await database.columns();
      const readable: string[] = [];
      for (const { table, column } of columns) {
        const isReadable = await succeeds(`select ${column} from ${database.qualify(table)}`);
        if (isReadable) readable.push(nameOf({ table, column }));
      }
      expect(readable.sort()).toEqual(allowed);
      expect(columns.length).toBeGreaterThan(130);
      const listed = Object.entries(visibleColumns).flatMap(([table, own]) =>
        own.map((column) => `${table}.${column}`),
      );
      expect(listed.sort()).toEqual(allowed);
    });

    it('refuses conditions, sorting and whole rows that would reveal a column that the application cannot read', async () => {
      const users = database.qualify('svc_users');
      for (const sql of [
        `select * from ${users}`,
        `select id from ${users} where password_hash like '$2b$%'`,
        `select id from ${users} order by password_hash`,
        `select count(password_hash) from ${users}`,
        `select id from ${users} where exists (select 1 from ${database.qualify('svc_totp_apps')})`,
      ])
        expect({ sql, isPermitted: await succeeds(sql) }).toEqual({ sql, isPermitted: false });
    });

    it('refuses to write to any table, and to change the schema', async () => {
      const tables = [...new Set((await database.columns()).map(({ table }) => table))];
      for (const table of tables.map((each) => database.qualify(each))) {
        for (const sql of [
          `delete from ${table}`,
          `drop table ${table}`,
          `alter table ${table} add column x integer`,
        ])
          expect(await outcomeOf(async () => database.app.raw(sql))).not.toBe('ok');
      }
      const users = database.qualify('svc_users');
      for (const sql of [
        `update ${users} set email = 'eve@example.com'`,
        `update ${users} set metadata = '{}'`,
        `insert into ${users} (id) values ('${randomUUID()}')`,
        // MariaDB asks for no right to lock a row that may be read.
        ...(name === 'PostgreSQL' ? [`select id from ${users} for update`] : []),
      ])
        expect({ sql, isPermitted: await succeeds(sql) }).toEqual({ sql, isPermitted: false });
      expect(await test.service.users.get(userId)).toMatchObject({ email: 'ada@example.com' });
    });

    it('refuses a column and a table that are added later', async () => {
      await database.admin(
        `alter table ${database.qualify('svc_users')} add column later_secret varchar(10)`,
      );
      await database.admin(`create table ${database.qualify('svc_later')} (id integer)`);
      expect(await succeeds(`select later_secret from ${database.qualify('svc_users')}`)).toBe(false);
      expect(await succeeds(`select id from ${database.qualify('svc_later')}`)).toBe(false);
      await database.admin(`alter table ${database.qualify('svc_users')} drop column later_secret`);
      await database.admin(`drop table ${database.qualify('svc_later')}`);
    });

    it('lets the application join its tables with users, and refer to them by a foreign key', async () => {
      const { table } = database.notes;
      await database.app(table).insert({ user_id: userId, content: 'of Ada' });
      await expect(
        database.app(table).insert({ user_id: randomUUID(), content: 'of an unknown user' }),
      ).rejects.toThrow(/foreign key/i);
      const rows = await database
        .app(`${table} as n`)
        .join(`${database.qualify('svc_users')} as u`, 'u.id', 'n.user_id')
        .select('u.email', 'n.content');
      expect(rows).toEqual([{ email: 'ada@example.com', content: 'of Ada' }]);
    });

    it('lets the role that creates tables refer to users, and read none of their columns', async () => {
      const { create, table } = database.notes;
      const other = `${table}_of_owner`;
      await database.owner.raw(create.replace(table, other));
      await database.owner(other).insert({ user_id: userId, content: 'of the owner' });
      for (const { table: each, column } of await database.columns())
        await expect(database.owner.raw(`select ${column} from ${database.qualify(each)}`)).rejects.toThrow(
          /denied/i,
        );
      await database.owner.raw(`drop table ${other}`);
    });

    it('deletes rows that refer to a user with the user, although its role has no right on them', async () => {
      const { table } = database.notes;
      const { id } = await test.service.users.create({ email: 'cascade@example.com' });
      await database.app(table).insert({ user_id: id, content: 'goes too' });
      await test.service.account.deleteUser(id);
      expect(await database.app(table).where({ user_id: id })).toEqual([]);
    });

    it('runs deleteData as the role of svc-auth, which needs a grant on the tables that it deletes from', async () => {
      const { table } = database.notes;
      const { id } = await test.service.users.create({ email: 'handler@example.com' });
      await database.app(table).insert({ user_id: id, content: 'deleted by a handler' });
      test.service.account.registerUserData('notes', {
        deleteData: async (user, { transaction }) => {
          await (transaction as Knex.Transaction)(table).where({ user_id: user }).delete();
        },
      });
      await expect(test.service.account.deleteUser(id)).rejects.toMatchObject({ code: 'internal_error' });
      expect(await test.service.users.get(id)).toMatchObject({ id });
      expect(await database.app(table).where({ user_id: id })).toHaveLength(1);

      for (const statement of database.notes.grants) await database.admin(statement);
      await test.service.account.deleteUser(id);
      expect(await database.app(table).where({ user_id: id })).toEqual([]);
    });

    it('runs a service without a right on the schema, with the documented grants', async () => {
      const before = await makeService({ adapter: database.storageAs('runtime'), init: false });
      await expect(before.service.init({ migrate: false })).rejects.toThrow();
      await before.service.close();
      await grant({ service: database.roles.runtime });
      const { service, mail, clock } = await makeService({
        adapter: database.storageAs('runtime'),
        init: false,
      });
      await service.init({ migrate: false });
      const email = 'runtime@example.com';
      await service.emailCode.sendCode({ email });
      const code = mail.lastCode(email)!;
      const { user, session } = await service.emailCode.verify({ email, code }, { startSession: true });
      expect(await service.getSessionUser(session!.token)).toMatchObject({ id: user.id });
      clock.advance(400 * 24 * 60 * 60_000);
      expect(await service.purgeExpired()).toMatchObject({ sessions: 1 });
      // As in an application that does not know the option.
      await service.init();
      await service.close();
    });
  });
}
