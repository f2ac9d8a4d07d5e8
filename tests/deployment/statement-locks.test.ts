/** The locks that `svc-auth migrate plan` names, compared with those that PostgreSQL takes. */
import pg from 'pg';
import { locksOf as portableLocksOf } from '../../src/adapters/portable/migrations/locks.js';
import { migrations as portableMigrations } from '../../src/adapters/portable/migrations/migrate.js';
import { locksOf } from '../../src/adapters/postgres/migrations/locks.js';
import { migrations } from '../../src/adapters/postgres/migrations/migrate.js';
import { createDatabase } from '../support/postgres.js';

const modes: Readonly<Record<string, string>> = {
  AccessExclusiveLock: 'ACCESS EXCLUSIVE',
  ExclusiveLock: 'EXCLUSIVE',
  ShareRowExclusiveLock: 'SHARE ROW EXCLUSIVE',
  ShareLock: 'SHARE',
  ShareUpdateExclusiveLock: 'SHARE UPDATE EXCLUSIVE',
};

/** Locks on tables from which others could wait. Statements take weaker ones on what they read. */
const readLocks = `
  select cast(c.relname as text) as table, l.mode from pg_locks l join pg_class c on c.oid = l.relation
  where l.pid = pg_backend_pid() and l.granted and c.relkind = 'r' and c.relname = any($1)`;

const readTables = `select cast(tablename as text) as name from pg_tables where schemaname = 'public'`;

it('names the lock that PostgreSQL takes for each statement of each migration', async () => {
  const { url, drop } = await createDatabase();
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of migrations.flatMap(({ statements }) => statements)) {
      const tables = (await client.query<{ name: string }>(readTables)).rows.map(({ name }) => name);
      await client.query('begin');
      await client.query(statement);
      const { rows } = await client.query<{ table: string; mode: string }>(readLocks, [tables]);
      await client.query('commit');
      const taken = rows
        .filter(({ mode }) => mode in modes)
        .map(({ table, mode }) => `${table} ${modes[mode]}`);
      const named = locksOf(statement).map(({ table, mode }) => `${table} ${mode}`);
      expect({ statement, locks: named.sort() }).toEqual({ statement, locks: taken.sort() });
    }
  } finally {
    await client.end();
    await drop();
  }
});

it('knows the locks of each index that is created or dropped while its table is in use', () => {
  const changes = migrations.flatMap(({ indexes = [] }) => indexes);
  for (const change of changes) {
    const sql =
      'drop' in change
        ? `drop index concurrently if exists public.${change.drop}`
        : `create ${change.unique ? 'unique index' : 'index'} concurrently if not exists ${change.create} on ${change.on}`;
    const named = locksOf(sql).map(({ mode }) => mode);
    expect({ sql, named }).toEqual({ sql, named: 'drop' in change ? [] : ['SHARE UPDATE EXCLUSIVE'] });
  }
});

it.each([true, false])('knows the locks of every statement of the other databases (file: %s)', (isFile) => {
  for (const statement of portableMigrations.flatMap(({ statements }) => statements))
    expect(() => portableLocksOf(statement, isFile)).not.toThrow();
  const column = portableLocksOf('alter table svc_users add column x integer', isFile);
  expect(column.map(({ table }) => table)).toEqual([isFile ? 'the file' : 'svc_users']);
});

it('refuses a statement whose locks are not known', () => {
  const statement = 'alter table svc_users alter column email type varchar(10)';
  expect(() => locksOf(statement)).toThrow('The locks of a statement are not known');
  expect(() => portableLocksOf(statement, false)).toThrow('The locks of a statement are not known');
});
