// The command `svc-auth import` with input that would harm who runs it: each is refused before anything is read or written.
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
    const file = fileWith('users.csv', 'n\u001b]0;owned\u0007ame,foo\n1,2\n');
    const { code, errors } = await run('--from', 'csv', '--file', file);
    expect(code).toBe(2);
    expect(errors).toContain(String.raw`n\u001b]0;owned\u0007ame`);
    // eslint-disable-next-line no-control-regex
    expect(errors).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
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
