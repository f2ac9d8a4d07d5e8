// What the command does with the errors and the names of an old database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteClient } from '../../../src/adapters/portable/sqlite-adapter.js';
import { loadKnex } from '../../../src/runtime/load-databases.js';
import { openSource } from '../../../src/cli/import/open-source.js';
import { openDatabase, type OldDatabase } from '../../../src/cli/import/open-database.js';
import { withoutQualifiers } from '../../../src/cli/import/qualified-columns.js';
import { useFiles } from './collect.js';

const { sqliteWith } = useFiles();

describe('an old database', () => {
  let database: OldDatabase;
  beforeEach(() => {
    database = openDatabase(sqliteWith('create table notes (id integer primary key)'));
  });
  afterEach(async () => {
    await database.close();
  });

  it('reports only the message of the database, without the statement and its values', async () => {
    const error = await database
      .knex('absent')
      .where('mail', 'secret@example.com')
      .then(
        () => null,
        (caught: unknown) => caught as Error,
      );
    expect(error?.message).toMatch(/no such table: absent$/);
    expect(`${error?.message} ${error?.stack}`).not.toMatch(/select|secret@example/);
  });
});

describe('--map of a database', () => {
  it('reads columns that are named with their table', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-old-'));
    const file = join(folder, 'old.db');
    const made = loadKnex()({
      client: sqliteClient(),
      connection: { filename: file },
      useNullAsDefault: true,
    });
    await made.raw('create table people (id integer primary key, mail text)');
    await made('people').insert({ id: 7, mail: 'a@b.test' });
    await made.destroy();
    const map = { externalId: 'people.id', email: 'people.mail' };
    const source = { title: 'a database', tables: null };
    const opened = await openSource({ source, database: file, map, hashForm: null });
    try {
      expect(opened.map).toEqual({ table: 'people', externalId: 'id', email: 'mail' });
      for await (const record of opened.records())
        expect(record).toMatchObject({ row: { mail: 'a@b.test' } });
    } finally {
      await opened.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('--map', () => {
  const columns = ['mail', 'profile'].map((name) => ({ name, type: 'text' }));
  const users = { schema: 'app', name: 'people', key: 'id', columns };

  it('accepts columns with their table and schema before them, and keeps paths', () => {
    const map = { email: 'app.people.mail', username: 'people.profile.nick', language: 'profile.language' };
    expect(withoutQualifiers(map, [users])).toEqual({
      ...{ email: 'mail', username: 'profile.nick', language: 'profile.language' },
      table: 'people',
    });
    expect(withoutQualifiers({ email: 'mail', table: 'app.people' }, [users])['table']).toBe('people');
    expect(withoutQualifiers({ email: 'mail' }, [users])).toEqual({ email: 'mail' });
  });
});
