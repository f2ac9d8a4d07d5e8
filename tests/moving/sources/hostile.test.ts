// The command `svc-auth import` with input that would harm who runs it: each is refused before anything is read or written.
// cspell:ignore cret
import { readFile } from 'node:fs/promises';
import { PassThrough, Writable } from 'node:stream';
import { runImport } from '../../../src/cli/import/import-command.js';
import { openSource } from '../../../src/cli/import/open-source.js';
import { sources } from '../../../src/cli/import/source-table.js';
import { parseMap } from '../../../src/cli/import/column-map.js';
import { useFiles } from './collect.js';

const { fileWith, sqliteWith } = useFiles();

async function run(...args: string[]) {
  let errors = '';
  const collect = () =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        errors += chunk.toString();
        done();
      },
    });
  const terminal = { input: new PassThrough(), output: collect(), errors: collect() };
  const code = await runImport([...args, '--yes'], { terminal, env: {} });
  return { code, errors };
}

describe('svc-auth import', () => {
  it('does not repeat the URL of a database that is passed as a file', async () => {
    const { code, errors } = await run('--from', 'csv', '--file', 'postgres://bob:s3cret@localhost/db');
    expect(code).toBe(2);
    expect(errors).toContain('--database');
    expect(errors).not.toContain('s3cret');
  });

  it('does not replace the file that it reads with the report', async () => {
    const text = 'id,email\n1,ada@example.com\n';
    const file = fileWith('users.csv', text);
    const { code, errors } = await run('--from', 'csv', '--file', file, '--report', file);
    expect([code, errors]).toEqual([2, expect.stringContaining('--report must be another file')]);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('escapes what would control the terminal in the messages of its errors', async () => {
    const file = fileWith('users.csv', 'n\u001b]0;owned\u0007ame,created\n1,2\n');
    const { code, errors } = await run('--from', 'csv', '--file', file);
    expect(code).toBe(2);
    expect(errors).toContain(String.raw`n\u001b]0;owned\u0007ame`);
    // eslint-disable-next-line no-control-regex
    expect(errors).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it.each([
    ['an address', '7a,ada@acme.test,x', 'ada@acme'],
    ['a hash', `ada;$2b$10$${'a'.repeat(53)};x`, 'aaa'],
    ['a digest', `ada,${'0123abcd'.repeat(8)}`, '0123'],
    ['a salt and a digest', `ada,${'0a'.repeat(8)}.${'1b'.repeat(32)}`, '0a0a'],
    ['a number', '1,Ada Lovelace', 'Lovelace'],
    ['a phone number', 'Ada Lovelace,+43 660 1234567', '660'],
    ['a time', 'Ada Lovelace,2024-01-02T03:04:05Z', 'Lovelace'],
    ['a UUID', 'Ada Lovelace,4f8a1f6e-1b7a-4c52-9f0e-1a2b3c4d5e6f', '4f8a'],
    ['one value twice', 'lovelace,lovelace', 'lovelace'],
    ['empty values', 'lovelace,,', 'lovelace'],
  ])('prints nothing of a table whose first line has %s instead of names', async (_, line, value) => {
    const file = fileWith('values.csv', `${line}\n${line}\n`);
    for (const args of [[], ['--map', 'email=email']]) {
      const { code, errors } = await run('--from', 'csv', '--file', file, ...args);
      expect(code).toBe(2);
      expect(errors).toMatch(/column/);
      expect(errors).not.toContain(value);
    }
  });

  it('prints no addresses that an object of JSON has as names', async () => {
    const file = fileWith('by-address.jsonl', '{"ada@acme.test":{"role":"admin"},"version":{}}\n');
    const { code, errors } = await run('--from', 'jsonl', '--file', file);
    expect([code, errors]).toEqual([2, expect.stringContaining('It has: version and 1 more.')]);
  });

  it('reads a table with one column that has no name', async () => {
    const file = fileWith(
      'pandas.csv',
      ',id,email_address.primary_value_of_the_old_system\n0,7,ada@acme.test\n',
    );
    const opened = await openSource({
      ...{ source: sources['csv']!, database: undefined, schema: undefined, file },
      ...{ map: parseMap('id=id'), hashForm: null },
    });
    const rows = [];
    for await (const record of opened.records()) if ('row' in record) rows.push(record.row['id']);
    await opened.close();
    expect(rows).toEqual(['7']);
  });

  it.each([
    ['empty', 'null'],
    ['repeated', 'n / 2'],
  ])('refuses a table without a primary key whose ids are %s', async (_, id) => {
    const database = sqliteWith(
      `create table users as with recursive c (n) as (select 1 union all select n + 1 from c where n < 1100)
       select ${id} as id, 'user' || n || '@example.com' as email from c`,
    );
    const opened = await openSource({
      source: sources['passport']!,
      database,
      map: parseMap('table=users,email=email'),
      hashForm: null,
    });
    const read = async () => {
      let count = 0;
      for await (const _row of opened.records()) if ((count += 1) > 5_000) return;
    };
    await expect(read()).rejects.toThrow('Give the table a primary key');
    await opened.close();
  });
});
