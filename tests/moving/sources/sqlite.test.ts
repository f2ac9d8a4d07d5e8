// Files of SQLite: other encodings, bytes that are not text, and files that are not databases.
// cspell:ignore rgen
import { mkdirSync, truncateSync, statSync } from 'node:fs';
import path from 'node:path';
import { collect, useFiles } from './collect.js';

const { fileWith, folder, sqliteWith } = useFiles();

describe('A file of SQLite', () => {
  it.each(['UTF-8', 'UTF-16le', 'UTF-16be'])('is read in %s', async (encoding) => {
    const database = sqliteWith(`
      pragma encoding = '${encoding}';
      create table users (id text primary key, email text, name text, password blob, created integer);
      insert into users values ('ä-1', 'ada@acme.test', 'Ädä 😀', x'00ff', 1704067200), ('b-2', 'bob@acme.test', null, null, null);
      create table federated_credentials (user_id text, provider text, subject text);
      insert into federated_credentials values ('ä-1', 'google', '1122');`);
    const map =
      'table=users,externalId=id,email=email,metadata.name=name,createdAt=created,identities=federated_credentials:user_id:provider:subject';
    const { users } = await collect('passport', { database, map });
    expect(users).toEqual([
      {
        ...{ externalId: 'b-2', email: 'bob@acme.test' },
      },
      {
        ...{ externalId: 'ä-1', email: 'ada@acme.test', metadata: { name: 'Ädä 😀' } },
        createdAt: new Date('2024-01-01Z'),
        identities: [{ provider: 'google', providerAccountId: '1122' }],
      },
    ]);
  });

  it('refuses a user with bytes that are not text, and reads the others', async () => {
    const database = sqliteWith(`
      create table users (id integer primary key, email text, name text);
      insert into users values (1, 'ada@acme.test', cast(x'4afc7267656e' as text)), (2, 'bob@acme.test', 'Bob'), (3, 'eve@acme.test', 'Eve');
      create table identities (user_id integer, provider text, uid text);
      insert into identities values (3, 'google', cast(x'ff' as text));`);
    const map = 'table=users,externalId=id,email=email,identities=identities:user_id:provider:uid';
    const { faults, users } = await collect('passport', { database, map });
    expect(users.map(({ externalId }) => externalId)).toEqual([2]);
    expect(faults).toMatchObject([
      { place: 'users 1', reason: 'encoding_invalid', message: expect.stringContaining('column name') },
      { place: 'users 3', reason: 'encoding_invalid', message: expect.stringContaining('column uid') },
    ]);
    const { opened } = await collect('passport', { database });
    expect(opened.map).toMatchObject({ table: 'users', externalId: 'id', email: 'email' });
  });

  it('reads each user once if keys are text in another order than their bytes', async () => {
    const rows = Array.from({ length: 1_201 }, (_, n) => `('${n % 2 ? 'K' : 'k'}${n}', 'u${n}@acme.test')`);
    const database = sqliteWith(`
      create table users (id text collate nocase primary key, email text);
      insert into users values ${rows.join(', ')}`);
    const { users } = await collect('passport', { database, map: 'table=users,externalId=id,email=email' });
    expect(new Set(users.map(({ email }) => email)).size).toBe(1_201);
    expect(users).toHaveLength(1_201);
  });

  it('is refused with the reason if it is not a database', async () => {
    mkdirSync(path.join(folder, 'folder.db'));
    const refused: [string, string][] = [
      [path.join(folder, 'missing.db'), 'does not exist'],
      [path.join(folder, 'folder.db'), 'not a folder'],
      [fileWith('empty.db', ''), 'is empty'],
      [fileWith('text.db', 'id,email\n1,ada@acme.test\n'.repeat(100)), 'is not a database of SQLite'],
    ];
    for (const [database, message] of refused)
      await expect(collect('passport', { database })).rejects.toThrow(message);
  });

  it('is refused if it is cut off', async () => {
    const rows = Array.from({ length: 2_000 }, (_, n) => `(${n + 1}, 'u${n}@acme.test')`);
    const database = sqliteWith(
      `create table users (id integer primary key, email text); insert into users values ${rows.join(', ')}`,
    );
    truncateSync(database, Math.floor(statSync(database).size / 2));
    await expect(collect('passport', { database })).rejects.toThrow('cannot be read');
  });
});
