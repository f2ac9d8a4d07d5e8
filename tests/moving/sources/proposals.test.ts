// The map that is proposed for tables and files of any application.
// cspell:ignore adresse aktiv emial geheim kunden seit
import { parseMap, writeMap } from '../../../src/cli/import/column-map.js';
import { parseHashForm, writeHashForm } from '../../../src/cli/import/hash-form.js';
import { sources } from '../../../src/cli/import/source-table.js';
import { collect, useFiles } from './collect.js';

const { fileWith, sqliteWith } = useFiles();
const bcrypt = (letter: string) => `$2b$10$${letter.repeat(53)}`;

it('--from has every system of the guides and of the sources', () => {
  expect(Object.keys(sources)).toEqual(
    (
      'passport nestjs better-auth authjs lucia supabase firebase auth0 clerk keycloak django devise laravel ' +
      'csv jsonl'
    ).split(' '),
  );
});

describe('A proposal', () => {
  it('finds the table of users of Passport, its hashes and its identities', async () => {
    const database = sqliteWith(`
      create table users (id integer primary key, username text unique, hashed_password blob, salt blob, name text);
      create table federated_credentials (id integer primary key, user_id integer not null, provider text not null, subject text not null, unique (provider, subject));
      create table sessions (sid varchar primary key, sess json, expired datetime, username text);
      create table svc_users (id text primary key, email text, password_hash text);
      insert into users values (1, 'ada', x'${'0a'.repeat(32)}', x'${'0b'.repeat(16)}', 'Ada'), (2, null, null, null, 'Grace');
      insert into federated_credentials values (1, 2, 'https://accounts.google.com', '1122');`);
    const { opened, users } = await collect('passport', { database });
    expect(opened.map).toEqual({
      ...{
        table: 'users',
        externalId: 'id',
        username: 'username',
        passwordHash: 'hashed_password',
        salt: 'salt',
      },
      ...{ 'metadata.name': 'name', identities: 'federated_credentials:user_id:provider:subject' },
    });
    expect(opened.hashForm).toEqual({
      format: 'pbkdf2',
      digest: 'sha256',
      iterations: 310_000,
      encoding: 'hex',
    });
    expect(opened.proposal?.remarks.join()).toContain('compare it with your code');
    expect(users).toEqual([
      {
        ...{ externalId: 1, username: 'ada', metadata: { name: 'Ada' } },
        passwordHash: {
          ...{ format: 'pbkdf2', digest: 'sha256', iterations: 310_000, encoding: 'hex' },
          ...{ salt: '0b'.repeat(16), hash: '0a'.repeat(32) },
        },
      },
      {
        externalId: 2,
        metadata: { name: 'Grace' },
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      },
    ]);
  });

  it('looks at values if names say nothing, and reads both columns of an application that has changed its hasher', async () => {
    const database = sqliteWith(`
      create table kunden (nr integer primary key, adresse text, geheim text, hash text, aktiv_seit datetime, active integer, google_id text);
      insert into kunden values (1, 'ada@acme.test', '${bcrypt('a')}', null, '2024-01-02', 1, '1122'), (2, 'bob@acme.test', '${bcrypt('b')}', null, '2024-01-02', 0, null);`);
    const { opened, users } = await collect('nestjs', { database });
    expect(opened.map).toMatchObject({
      email: 'adresse',
      passwordHash: 'geheim',
      blocked: '!active',
      'identity.google': 'google_id',
    });
    expect(users[0]).toMatchObject({
      identities: [{ provider: 'google', providerAccountId: '1122' }],
      blocked: false,
    });
    expect(users[1]).toMatchObject({ blocked: true });

    const both = sqliteWith(`
      create table users (id integer primary key, email text, password_hash text, hashed_password blob, salt blob);
      insert into users values (1, 'ada@acme.test', null, x'${'0a'.repeat(32)}', x'${'0b'.repeat(16)}'), (2, 'bob@acme.test', '${bcrypt('a')}', null, null);`);
    const changed = await collect('passport', { database: both });
    expect(changed.opened.map['passwordHash']).toBe('password_hash|hashed_password');
    expect(changed.users[0]?.passwordHash).toMatchObject({ format: 'pbkdf2', salt: '0b'.repeat(16) });
    expect(changed.users[1]?.passwordHash).toBe(bcrypt('a'));
  });

  it('leaves out a column of passwords that are not hashed, and does not repeat them', async () => {
    const { opened, users } = await collect('csv', {
      file: fileWith('plain.csv', 'id,email,password\n1,ada@acme.test,correct horse\n'),
    });
    expect(opened.map).toEqual({ externalId: 'id', email: 'email' });
    expect(opened.proposal?.remarks[0]).toBe(
      'The column password does not contain hashes of a known format, and is left out.',
    );
    expect(users).toEqual([{ externalId: '1', email: 'ada@acme.test' }]);
  });

  it.each([
    ['email_verified_at', "'2024-01-02'", false],
    ['is_verified', '1', true],
    ['confirmed_at', "'2024-01-02'", true],
    ['emailVerified', '1', false],
    ['verified_on', "'2024-01-02'", true],
  ])(
    'takes %s for the proof of an address, and asks to check a name that does not say so',
    async (column, value, asks) => {
      const database = sqliteWith(`
      create table users (id integer primary key, email text, ${column} text);
      insert into users values (1, 'ada@acme.test', ${value}), (2, 'bob@acme.test', null)`);
      const { opened, users } = await collect('passport', { database });
      expect(opened.map['emailVerified']).toBe(column);
      expect(users.map(({ emailVerified }) => emailVerified)).toEqual([true, undefined]);
      expect(opened.proposal?.remarks.join().includes('counts as a proof of the address')).toBe(asks);
    },
  );

  it('keeps ids that are UUIDs as ids, and takes others as external ids', async () => {
    const id = '4f8a1f6e-1b7a-4c52-9f0e-1a2b3c4d5e6f';
    const table = 'create table users (id blob primary key, email text);';
    const uuid = sqliteWith(`${table} insert into users values ('${id}', 'ada@acme.test')`);
    expect((await collect('passport', { database: uuid })).opened.map).toMatchObject({ id: 'id' });
    const bytes = sqliteWith(
      `${table} insert into users values (x'${id.replaceAll('-', '')}', 'a@acme.test')`,
    );
    expect((await collect('passport', { database: bytes })).users).toEqual([{ id, email: 'a@acme.test' }]);
    const mixed = sqliteWith(
      `${table} insert into users values ('${id}', 'a@acme.test'), ('7', 'b@acme.test')`,
    );
    expect((await collect('passport', { database: mixed })).opened.map).toMatchObject({ externalId: 'id' });
  });

  const lost = async (sql: string) => {
    const { opened } = await collect('passport', { database: sqliteWith(sql) });
    return opened.proposal?.lost;
  };

  it('reports a column of hashes that it has not mapped', async () => {
    const users = 'create table users (id integer primary key, email text';
    const insert = (values: string) => `insert into users values (1, 'ada@acme.test', ${values})`;
    const digest = '0b'.repeat(32);
    expect(
      await lost(`${users}, a text, b text); ${insert(`'${bcrypt('a')}', '${bcrypt('b')}'`)}`),
    ).toMatchObject({ column: 'a', isElsewhere: false });
    expect(await lost(`${users}, secret text, pin text); ${insert(`'${digest}', null`)}`)).toMatchObject({
      column: 'secret',
    });
    expect(await lost(`${users}, password text); ${insert("'sEcr3t of another form'")}`)).toMatchObject({
      column: 'password',
      isHash: false,
    });
    expect(
      await lost(`${users}, password text, old text); ${insert(`'${bcrypt('a')}', null`)};
        insert into users values (2, 'bob@acme.test', null, '${bcrypt('b')}')`),
    ).toMatchObject({ column: 'old' });
    expect(
      await lost(`${users}); insert into users values (1, 'ada@acme.test');
        create table logins (user_id integer, pw text); insert into logins values (1, '${bcrypt('a')}')`),
    ).toMatchObject({ table: 'logins', column: 'pw', isElsewhere: true });
    expect(
      await lost(
        `${users}, password text, reset_token text, etag text); ${insert(`'${bcrypt('a')}', '${digest}', '${digest}'`)}`,
      ),
    ).toBeNull();
    expect(
      await lost(`${users}, password_changed_at text, avatar text); ${insert(`'2024-01-02', '${digest}'`)}`),
    ).toBeNull();
  });

  it.each([
    [
      `${'0a'.repeat(8)}.${'0b'.repeat(32)}`,
      { format: 'scrypt', n: 16_384, r: 8, p: 1, saltIsText: true, layout: 'salt.hash' },
    ],
    [
      `${'0b'.repeat(64)}.${'0a'.repeat(8)}`,
      { format: 'scrypt', n: 16_384, r: 8, p: 1, saltIsText: true, layout: 'hash.salt' },
    ],
  ])('splits hashes with their salt in one column', async (hash, form) => {
    const { opened, users } = await collect('jsonl', {
      file: fileWith('salted.jsonl', JSON.stringify({ email: 'ada@acme.test', password: hash })),
    });
    expect(opened.hashForm).toEqual(form);
    expect(users[0]?.passwordHash).toMatchObject({ format: 'scrypt', salt: '0a'.repeat(8) });
  });

  it('recognizes passport-local-mongoose', async () => {
    const record = { username: 'ada', hash: '0b'.repeat(512), salt: '0a'.repeat(32), email: 'ada@acme.test' };
    const { users } = await collect('passport', {
      file: fileWith('mongoose.json', JSON.stringify([record])),
    });
    expect(users[0]?.passwordHash).toEqual({
      ...{ format: 'pbkdf2', digest: 'sha256', iterations: 25_000, saltIsText: true },
      ...{ salt: record.salt, hash: record.hash },
    });
  });

  it('is refused with the names of what there is if nothing looks like users', async () => {
    const database = sqliteWith('create table orders (id integer primary key, total integer)');
    await expect(collect('passport', { database })).rejects.toThrow('The tables are: orders.');
    await expect(collect('csv', { file: fileWith('orders.csv', 'id,total\n1,2\n') })).rejects.toThrow(
      'It has: id, total.',
    );
  });
});

describe('--map', () => {
  const database = () =>
    sqliteWith(`
      create table people (nr integer primary key, mail text, confirmed_on date, pw text, tags text);
      insert into people values (7, 'ada@acme.test', '2024-01-02', '${bcrypt('a')}', '["x","y"]');`);

  it('names columns, of which dates and booleans prove an address', async () => {
    const map = 'table=people,externalId=nr,email=mail,emailVerified=confirmed_on,passwordHash=pw,roles=tags';
    const { users } = await collect('passport', { database: database(), map });
    expect(users).toEqual([
      {
        externalId: 7,
        email: 'ada@acme.test',
        emailVerified: true,
        passwordHash: bcrypt('a'),
        roles: ['x', 'y'],
      },
    ]);
    const file = fileWith('map.json', JSON.stringify(parseMap(map)));
    expect((await collect('passport', { database: database(), map: file })).users).toEqual(users);
  });

  it('finds the table by its columns', async () => {
    const { opened } = await collect('nestjs', { database: database(), map: 'email=mail,passwordHash=pw' });
    expect(opened.place).toBe('SQLite, table people');
  });

  it.each([
    ['email', 'must be pairs such as email=mail'],
    ['emial=mail', 'emial is not a known key; did you mean email?'],
    ['email=mail,email=other', 'has email twice'],
    ['email=', 'email has no column'],
    ['email=nothing', 'no table with the columns of --map'],
    ['table=people,email=nothing', 'the table people has no column nothing. It has: nr, mail'],
    ['table=persons,email=mail', 'has no table persons'],
    ['email=mail,identities=accounts', 'identities must be table:userColumn:providerColumn:idColumn'],
  ])('%s is refused', async (map, message) => {
    await expect(collect('passport', { database: database(), map })).rejects.toThrow(message);
  });

  it('is written so that a shell returns it', () => {
    const map = { email: "user's mail", blocked: '!active' };
    expect(writeMap(map)).toBe(`'email=user'\\''s mail,blocked=!active'`);
    expect(parseMap(`email=user's mail,blocked=!active`)).toEqual(map);
  });
});

describe('--hash', () => {
  it('describes hashes that do not name their form', () => {
    const text =
      'format=pbkdf2,digest=sha512,iterations=1000,encoding=base64,saltIsText=true,layout=salt:hash';
    expect(writeHashForm(parseHashForm(text))).toBe(text);
  });

  it.each([
    'format=md5',
    'format=pbkdf2,digest=sha256,rounds=3',
    'format=scrypt,n=16384,r=8',
    'format=pbkdf2,digest=sha256,iterations=-1',
    'format=sha256,layout=hash',
  ])('%s is refused', (text) => expect(() => parseHashForm(text)).toThrow('--hash'));
});
