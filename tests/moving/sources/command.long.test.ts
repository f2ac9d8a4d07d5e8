// `svc-auth import` as a process: SQLite and PostgreSQL, with what it prints and how it ends.
// cspell:ignore cret databse pasport
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import bcryptPackage from 'bcrypt';
import { bcryptHasher, knexAdapter, sqliteAdapter, type StorageAdapter } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { runCommandLine } from '../../support/command-line.js';
import { LeakScan } from '../../support/leak-scan.js';
import { makeService, type TestService } from '../../support/make-service.js';
import { createDatabase, createMigratedDatabase, querySql } from '../../support/postgres.js';
import { querySqlite } from '../../support/sqlite.js';
import { useFiles } from './collect.js';

const { fileWith, sqliteWith } = useFiles();
const password = 'correct horse battery';
const hash = bcryptPackage.hashSync(password, 4);
const leaks = new LeakScan();

interface Place {
  name: string;
  /** The new database, and the application on it. */
  open: () => Promise<{ url: string; app: TestService; close: () => Promise<void> }>;
  /** Creates the old database. Returns its URL. */
  create: (sql: string) => Promise<string>;
  close: () => Promise<void>;
}

const appOn = (adapter: StorageAdapter) =>
  makeService({
    adapter,
    clock: testClock(Date.now()),
    providers: { emailPassword: { hasher: bcryptHasher() } },
  });

const drops: (() => Promise<void>)[] = [];

const places: Place[] = [
  {
    name: 'SQLite',
    async open() {
      const folder = await mkdtemp(path.join(tmpdir(), 'svc-auth-import-'));
      const file = path.join(folder, 'new.db');
      const app = await appOn(sqliteAdapter(file));
      const close = async () => {
        await app.service.close();
        await rm(folder, { recursive: true });
      };
      return { url: pathToFileURL(file).href, app, close };
    },
    create: async (sql) => sqliteWith(sql.replaceAll('serial primary key', 'integer primary key')),
    close: async () => undefined,
  },
  {
    name: 'PostgreSQL',
    async open() {
      const database = await createMigratedDatabase();
      const app = await appOn(
        knexAdapter({ client: 'pg', connection: database.url, pool: { min: 0, max: 2 } }),
      );
      const close = async () => {
        await app.service.close();
        await database.drop();
      };
      return { url: database.url, app, close };
    },
    async create(sql) {
      const database = await createDatabase();
      drops.push(database.drop);
      await querySql(database.url, sql);
      return database.url;
    },
    close: async () => {
      for (const drop of drops.splice(0)) await drop();
    },
  },
];

describe.each(places)('svc-auth import on $name', ({ open, create, close }) => {
  let target: Awaited<ReturnType<Place['open']>>;
  let old: string;
  beforeAll(async () => {
    target = await open();
    old = await create(`
      create table users (id serial primary key, username text, email text, password_hash text, confirmed_at text, role text);
      create table notes (id serial primary key, text text);
      insert into users (id, username, email, password_hash, confirmed_at, role) values
        (1, 'ada', 'ada@acme.test', '${hash}', '2024-01-02', 'editor'), (2, 'bob', 'bob@acme.test', '${hash}', null, null),
        (3, 'eve', 'not an address', '${hash}', null, null), (4, 'mallory', 'mallory@acme.test', 'plain text password', null, null);`);
  });
  afterAll(async () => {
    await target.close();
    await close();
  });

  const run = (...args: string[]) =>
    runCommandLine(['import', '--from', 'passport', '--database', old, ...args], {
      ...{ folder: process.cwd(), leaks },
      env: { ...process.env, DATABASE_URL: target.url },
    });

  it('shows what it would do, and changes nothing', async () => {
    const { code, out } = await run('--dry-run');
    expect(code).toBe(1);
    expect(out).toMatch(/^WARNING: 3 of 4 addresses are not marked as verified\. .*--trust-addresses\.\n/);
    expect(out).toMatch(
      /Users +4\n {2}with an address +4\n {2}with a verified address +1\nPassword hashes\n {2}bcrypt +3\n/,
    );
    expect(out).toMatch(/Roles\n {2}editor +1\nTo create +1?2\n/);
    expect(out).toContain('email_invalid 1, hash_unknown 1');
    expect(out).not.toContain('plain text');
    expect(await target.app.service.users.find({ externalId: '1' })).toBeNull();
  });

  it('asks before it starts, and without a terminal needs --yes', async () => {
    const { code, err } = await run();
    expect(code).toBe(2);
    expect(err).toContain('Pass --yes');
  });

  it('imports what it can, writes the faults, and has nothing to do the second time', async () => {
    const faults = fileWith('faults.csv', '');
    const first = await run('--yes', '--report', faults);
    expect(first).toMatchObject({ code: 1 });
    expect(first.err).toContain('--map table=users,externalId=id,email=email');
    expect(first.out).toContain('Imported 2 users.');
    expect(await readFile(faults, 'utf8')).toMatch(
      /^place,externalId,reason,field,message\n"users 3","3","email_invalid","email",".*"\n"users 4","4","hash_unknown","passwordHash",".*"\n$/,
    );
    const { users, emailPassword } = target.app.service;
    expect(await users.find({ externalId: '1' })).toMatchObject({
      email: 'ada@acme.test',
      emailVerified: true,
      username: 'ada',
      roles: ['editor'],
    });
    await emailPassword.login({ email: 'ada@acme.test', password });
    const second = await run('--yes', '--json');
    expect(JSON.parse(second.out)).toMatchObject({
      read: 4,
      created: 0,
      merged: 0,
      unchanged: 2,
      refused: 2,
    });
  });

  it('ends before it starts if a record belongs to another account', async () => {
    const other = await create(
      `create table users (id serial primary key, email text, password_hash text); insert into users (id, email, password_hash) values (99, 'ada@acme.test', '${hash}')`,
    );
    const args = ['import', '--from', 'nestjs', '--database', other, '--yes'];
    const options = { folder: process.cwd(), leaks, env: { ...process.env, DATABASE_URL: target.url } };
    const failed = await runCommandLine(args, options);
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.err).toContain('Pass --on-conflict skip or merge.');
    const skipped = await runCommandLine([...args, '--on-conflict', 'skip'], options);
    expect(skipped.out).toContain('1 left out because of conflicts');
  });

  it('refuses --yes if the proposed map leaves out passwords, and says what to pass', async () => {
    const other = await create(
      `create table users (id serial primary key, email text, a text, b text); insert into users (id, email, a, b) values (71, 'seven@acme.test', '${hash}', '${hash}')`,
    );
    const args = ['import', '--from', 'passport', '--database', other];
    const options = { folder: process.cwd(), leaks, env: { ...process.env, DATABASE_URL: target.url } };
    const refused = await runCommandLine([...args, '--yes'], options);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('Pass --map table=users,externalId=id,email=email,passwordHash=a');
    expect(await target.app.service.users.find({ externalId: '71' })).toBeNull();
    expect((await runCommandLine([...args, '--dry-run'], options)).err).toContain('is left out');
    const [, map = ''] = /without them, pass --map (\S+)/.exec(refused.err) ?? [];
    const without = await runCommandLine([...args, '--yes', '--map', map], options);
    expect(without).toMatchObject({ code: 0 });
  });

  it('keeps the users of a second system apart, and brings a changed password', async () => {
    const other = (of: string) =>
      create(
        `create table users (id serial primary key, email text, password_hash text); insert into users (id, email, password_hash) values (1, 'first@blog.test', '${of}')`,
      );
    const options = { folder: process.cwd(), leaks, env: { ...process.env, DATABASE_URL: target.url } };
    const importing = async (database: string, ...args: string[]) =>
      runCommandLine(['import', '--from', 'passport', '--database', database, '--yes', ...args], options);
    const first = await other(hash);
    const differing = await importing(first);
    expect(differing).toMatchObject({ code: 1 });
    expect(differing.err).toMatch(
      /WARNING: 1 records have the ids of accounts .* pass --external-id-prefix\./,
    );
    const prefix = ['--external-id-prefix', 'blog:'];
    expect(await importing(first, ...prefix)).toMatchObject({ code: 0 });
    expect(await target.app.service.users.find({ externalId: 'blog:1' })).toMatchObject({
      email: 'first@blog.test',
    });
    const changed = await other(bcryptPackage.hashSync('another password', 4));
    const { code, out } = await importing(changed, ...prefix, '--update-passwords');
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 got a changed password'),
    });
    await target.app.service.emailPassword.login({ email: 'first@blog.test', password: 'another password' });
  });

  it('never writes to the old database', async () => {
    const query = old.startsWith('postgres')
      ? querySql(old, 'select count(*) as n from users')
      : querySqlite(pathToFileURL(old).href, 'select count(*) as n from users');
    expect(Number((await query)[0]?.['n'])).toBe(4);
  });
});

describe('svc-auth import', () => {
  const run = (args: string[], env: NodeJS.ProcessEnv = {}) =>
    runCommandLine(['import', ...args], {
      folder: process.cwd(),
      leaks,
      env: { PATH: process.env['PATH'], ...env },
    });
  const secretUrl = 'postgres://app:s3cret-of-the-url@127.0.0.1:1/old';

  it.each([
    [['--from', 'pasport'], 'did you mean passport?'],
    [['--from', 'csv'], 'Pass --file'],
    [['--from', 'firebase', '--database', secretUrl], 'is read from a file'],
    [['--from', 'django', '--file', 'x.csv'], 'is read from its database'],
    [['--from', 'passport', '--database', secretUrl, '--file', 'x'], 'not both'],
    [['--from', 'passport', secretUrl], 'takes only options'],
    [['--from', 'passport', '--database-env', secretUrl], 'must be the name of a variable'],
    [
      ['--from', 'passport', '--database', secretUrl, '--on-conflict', 'replace'],
      'must be fail, skip or merge',
    ],
    [['--from', 'passport', '--database', secretUrl, '--batch-size', '0'], 'from 1 to 5000'],
    [['--from', 'passport', '--database', secretUrl, '--yes', '--report', 'x.txt'], '.csv or .jsonl'],
    [['--from', 'passport', '--database', 'oracle://x:s3cret-of-the-url@y', '--yes'], 'must be a URL of'],
    [['--from', 'passport', '--database', 'missing.sqlite', '--yes'], 'does not exist'],
    [['--from', 'csv', '--file', 'missing.csv', '--yes'], 'does not exist'],
    [['--from', 'passport', '--databse', secretUrl], 'Unknown option --databse'],
  ])('%j is refused without repeating the URL', async (args, message) => {
    const { code, err, out } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).not.toContain('s3cret');
  });

  it('says that a database cannot be reached, without its URL', async () => {
    const { code, err } = await run(['--from', 'passport', '--database-env', 'OLD', '--yes'], {
      OLD: secretUrl,
    });
    expect(code).toBe(1);
    expect(err).toBe('svc-auth: The database of --database cannot be read (ECONNREFUSED).\n');
  });

  it('escapes what would control the terminal, and reads a file of Firebase with its key', async () => {
    const target = await places[0]!.open();
    try {
      const users = [
        { localId: 'a\u001b[31m', email: 'nobody' },
        {
          localId: 'b',
          email: 'ada@acme.test',
          emailVerified: true,
          passwordHash: Buffer.alloc(64, 1).toString('base64'),
          salt: 'c2FsdA==',
        },
      ];
      const file = fileWith('firebase.json', JSON.stringify({ users }));
      const config = fileWith(
        'hash-config.txt',
        `hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: ${Buffer.alloc(64, 5).toString('base64')},\n  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}`,
      );
      const args = ['--from', 'firebase', '--file', file, '--yes'];
      const without = await run([...args, '--dry-run'], { DATABASE_URL: target.url });
      expect(without.out).toContain('hash_');
      const { code, err, out } = await run([...args, '--firebase-config', config], {
        DATABASE_URL: target.url,
      });
      expect(code).toBe(1);
      expect(out).toContain('Imported 1 users.');
      expect(err + out).not.toContain('\u001b');
    } finally {
      await target.close();
    }
  });

  it('ends after a batch at Ctrl-C, and continues when it runs again', async () => {
    const target = await places[0]!.open();
    try {
      const lines = Array.from({ length: 20_000 }, (_, at) => `${at + 1},user${at}@acme.test,1`);
      const file = fileWith('many.csv', `id,email,email_verified\n${lines.join('\n')}\n`);
      const interrupted = path.join(path.dirname(file), 'interrupt.mjs');
      // Presses Ctrl-C when the first batch of the import is stored.
      await writeFile(
        interrupted,
        `const write = process.stderr.write.bind(process.stderr);
         const end = setInterval(() => {
           if (!globalThis.isImporting) return;
           clearInterval(end);
           process.kill(process.pid, 'SIGINT');
         }, 1);
         process.stderr.write = (text, ...rest) => {
           if (String(text).includes('To create')) globalThis.isImporting = true;
           return write(text, ...rest);
         };`,
      );
      const args = ['--from', 'csv', '--file', file, '--yes', '--batch-size', '100'];
      const env = { DATABASE_URL: target.url, NODE_OPTIONS: `--import ${pathToFileURL(interrupted).href}` };
      const first = await run(args, env);
      const created = Number(/^Imported ([\d,]+) users/m.exec(first.out)?.[1]?.replace(',', ''));
      expect(first.code).toBe(1);
      expect(first.err).toContain('Run the same command again to continue');
      expect(created).toBeLessThan(20_000);
      const second = await run(args, { DATABASE_URL: target.url });
      expect(second.code).toBe(0);
      expect(second.out).toContain(`Imported ${(20_000 - created).toLocaleString('en-US')} users.`);
    } finally {
      await target.close();
    }
  });
});
