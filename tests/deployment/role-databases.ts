/** A database with three roles: the administrator, svc-auth's own, and that of the application. */
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createMariaDatabase, runMariaSql } from '../support/mariadb.js';
import { openKnex } from '../support/open-knex.js';
import { createDatabase, querySql } from '../support/postgres.js';

export interface Column {
  table: string;
  column: string;
}

export interface RoleDatabase {
  /** Names of the roles. */
  roles: Record<'auth' | 'runtime' | 'app' | 'owner', string>;
  /** Runs a statement as the administrator. */
  admin(sql: string): Promise<Record<string, unknown>[]>;
  /** Opens the storage as svc-auth's own role, which owns the tables, or as the role that changes no schema. */
  storageAs(role: 'auth' | 'runtime'): StorageAdapter;
  /** A connection of the application's role. */
  app: Knex;
  /** A connection of the role that creates tables of the application. */
  owner: Knex;
  /** Every column of every table of svc-auth. */
  columns(): Promise<Column[]>;
  /** Returns the name of a table of svc-auth for statements of the application. */
  qualify(table: string): string;
  /** The application's own table of notes: its name, how it is created, and what lets svc-auth delete from it. */
  notes: { table: string; create: string; grants: readonly string[] };
  /** Whether a role that may read columns may create foreign keys, too. */
  hasReferencesWithColumns: boolean;
  drop(): Promise<void>;
}

const suffix = () => randomBytes(6).toString('hex');
const password = 'a password of the tests';
const pool = { min: 0, max: 4 };

function urlAs(url: string, role: string, path?: string): string {
  const parsed = new URL(url);
  parsed.username = role;
  parsed.password = password;
  if (path !== undefined) parsed.pathname = `/${path}`;
  return parsed.href;
}

export async function postgresRoles(): Promise<RoleDatabase> {
  const { url, drop } = await createDatabase();
  const id = suffix();
  const roles = {
    auth: `svc_auth_${id}`,
    runtime: `svc_run_${id}`,
    app: `svc_app_${id}`,
    owner: `svc_own_${id}`,
  };
  const admin = (sql: string) => querySql(url, sql);
  for (const role of Object.values(roles)) await admin(`create role ${role} login password '${password}'`);
  await admin(`create schema auth authorization ${roles.auth}`);
  await admin(`create schema shop authorization ${roles.app}`);
  await admin(`grant usage, create on schema shop to ${roles.owner}`);
  const owner = await openKnex(urlAs(url, roles.owner), { searchPath: ['shop'] });
  const app = await openKnex(urlAs(url, roles.app), { searchPath: ['shop'] });
  return {
    roles,
    admin,
    app,
    owner,
    storageAs: (role) =>
      knexAdapter({ client: 'pg', connection: urlAs(url, roles[role]), pool }, { schema: 'auth' }),
    hasReferencesWithColumns: true,
    qualify: (table) => `auth.${table}`,
    notes: {
      table: 'shop.notes',
      create:
        'create table shop.notes (user_id uuid not null references auth.svc_users (id) on delete cascade, content text)',
      grants: [
        `grant usage on schema shop to ${roles.auth}`,
        `grant select, delete on shop.notes to ${roles.auth}`,
      ],
    },
    async columns() {
      const rows = await admin(`
        select table_name as "table", column_name as "column" from information_schema.columns
        where table_schema = 'auth' order by 1, 2`);
      return rows as unknown as Column[];
    },
    async drop() {
      await Promise.all([app.destroy(), owner.destroy()]);
      for (const role of Object.values(roles)) await admin(`drop owned by ${role} cascade`);
      for (const role of Object.values(roles)) await admin(`drop role ${role}`);
      await drop();
    },
  };
}

export async function mariaRoles(): Promise<RoleDatabase> {
  const [auth, shop] = [await createMariaDatabase(), await createMariaDatabase()];
  const [authName, shopName] = [auth.url, shop.url].map((url) => new URL(url).pathname.slice(1));
  const id = suffix();
  const roles = { auth: `auth_${id}`, runtime: `run_${id}`, app: `app_${id}`, owner: `own_${id}` };
  const admin = (sql: string) => runMariaSql(auth.url, sql);
  for (const role of Object.values(roles))
    await admin(`create user '${role}'@'%' identified by '${password}'`);
  await admin(`grant all on ${authName}.* to '${roles.auth}'@'%'`);
  await admin(`grant select, insert, update, delete on ${shopName}.* to '${roles.app}'@'%'`);
  await admin(`grant all on ${shopName}.* to '${roles.owner}'@'%'`);
  const owner = await openKnex(urlAs(shop.url, roles.owner, shopName));
  const app = await openKnex(urlAs(shop.url, roles.app, shopName));
  return {
    roles,
    admin,
    app,
    owner,
    storageAs: (role) =>
      knexAdapter({ client: 'mysql2', connection: urlAs(auth.url, roles[role], authName), pool }),
    hasReferencesWithColumns: false,
    qualify: (table) => `${authName}.${table}`,
    notes: {
      table: `${shopName}.notes`,
      create: `create table ${shopName}.notes (user_id varchar(36) collate utf8mb4_nopad_bin not null, content text,
        foreign key (user_id) references ${authName}.svc_users (id) on delete cascade) engine = InnoDB default character set utf8mb4`,
      grants: [`grant select, delete on ${shopName}.notes to '${roles.auth}'@'%'`],
    },
    async columns() {
      const rows = await admin(`
        select table_name as \`table\`, column_name as \`column\` from information_schema.columns
        where table_schema = '${authName}' order by 1, 2`);
      return rows as unknown as Column[];
    },
    async drop() {
      await Promise.all([app.destroy(), owner.destroy()]);
      for (const role of Object.values(roles)) await admin(`drop user '${role}'@'%'`);
      await shop.drop();
      await auth.drop();
    },
  };
}
