// Files that a spreadsheet, another program or an attacker has written.
// cspell:ignore rgen
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { readCsv } from '../../../src/cli/import/csv-records.js';
import { parseTime } from '../../../src/core/imports/record-fields.js';
import { csvField } from '../../../src/cli/import/fault-report.js';
import { readJson } from '../../../src/cli/import/json-records.js';
import type { SourceRecord } from '../../../src/cli/import/source.js';
import { collect, useFiles } from './collect.js';

const { fileWith, folder } = useFiles();
const tenMegabytes = 10 * 1024 * 1024;

async function all(records: AsyncIterable<SourceRecord>): Promise<SourceRecord[]> {
  const read: SourceRecord[] = [];
  for await (const record of records) read.push(record);
  return read;
}

const rowsOf = (records: readonly SourceRecord[]) =>
  records.flatMap((each) => ('row' in each ? [each.row] : []));
const faultsOf = (records: readonly SourceRecord[]) =>
  records.flatMap((each) => ('fault' in each ? [`${each.place}: ${each.fault.reason}`] : []));

describe('A CSV file', () => {
  it.each([',', ';', '\t', '|'])(
    'is read with the delimiter %j, a byte order mark, CRLF and quotes',
    async (delimiter) => {
      const lines = [
        ['id', 'email', `"na${delimiter}me"`],
        ['1', 'ada@acme.test', '"Ada ""the"" first"'],
        ['2', 'bob@acme.test', '"two\r\nlines"'],
        ['3', 'eve@acme.test', '5" tall'],
      ];
      const file = fileWith(
        'a.csv',
        `\uFEFF${lines.map((line) => line.join(delimiter)).join('\r\n')}\r\n\r\n`,
      );
      const name = `na${delimiter}me`;
      expect(await all(readCsv(file))).toEqual([
        { place: 'line 2', row: { id: '1', email: 'ada@acme.test', [name]: 'Ada "the" first' } },
        { place: 'line 3', row: { id: '2', email: 'bob@acme.test', [name]: 'two\r\nlines' } },
        { place: 'line 5', row: { id: '3', email: 'eve@acme.test', [name]: '5" tall' } },
      ]);
    },
  );

  it('keeps formulas as text, which a report makes harmless', async () => {
    const formulas = ['=cmd|"/C calc"!A0', '+1+1', '-1', '@SUM(A1)', '\t=1', 'plain'];
    const file = fileWith(
      'formulas.csv',
      `id,username\n${formulas.map((text, at) => `${at},"${text.replaceAll('"', '""')}"`).join('\n')}`,
    );
    const { users } = await collect('csv', { file, map: 'externalId=id,username=username' });
    expect(users.map(({ username }) => username)).toEqual(formulas.map((text) => text.trim()));
    expect(formulas.map(csvField)).toEqual([
      `"'=cmd|""/C calc""!A0"`,
      `"'+1+1"`,
      `"'-1"`,
      `"'@SUM(A1)"`,
      `"'\\u0009'=1"`,
      '"plain"',
    ]);
  });

  it('refuses a field over 1 MB with its line, and reads those after it', async () => {
    const long = 'x'.repeat(tenMegabytes);
    const quotes = '""'.repeat(tenMegabytes / 2);
    const file = fileWith(
      'long.csv',
      `id,name\n1,a\n2,"${long}\n${long}"\n3,${long}\n4,"${quotes}"\n5,b\n6,"${long}""",c\n7,d\n`,
    );
    const records = await all(readCsv(file));
    expect(rowsOf(records)).toEqual([
      { id: '1', name: 'a' },
      { id: '5', name: 'b' },
      { id: '7', name: 'd' },
    ]);
    expect(faultsOf(records)).toEqual([
      'line 3: field_too_long',
      'line 5: field_too_long',
      'line 6: field_too_long',
      'line 8: field_too_long',
    ]);
  });

  it('refuses a record over 8 MB or 10,000 fields with its line, and reads those after it', async () => {
    const wide = `,"${'x'.repeat(999_998)}"`.repeat(10);
    const many = (field: string) => `${field},`.repeat(10_000);
    const rest = `${wide},"a\nb",${'y'.repeat(2_000_000)},"c""`;
    const file = fileWith(
      'wide.csv',
      `id,name\n1,a\n2${rest}\n"\r\n3,b\n${many('')}\n${many('"4"')}\r\n5,"c\nd"\n6${wide}`,
    );
    const records = await all(readCsv(file));
    expect(rowsOf(records)).toEqual([
      { id: '1', name: 'a' },
      { id: '3', name: 'b' },
      { id: '5', name: 'c\nd' },
    ]);
    expect(faultsOf(records)).toEqual([3, 7, 8, 11].map((line) => `line ${line}: record_too_long`));
  });

  it('keeps no more of one record than it may have', async () => {
    const file = path.join(folder, 'endless.csv');
    const stream = createWriteStream(file);
    stream.write('id,name\n1');
    const fields = `,${'x'.repeat(1000)}`.repeat(1000);
    for (let part = 0; part < 150; part++) if (!stream.write(fields)) await once(stream, 'drain');
    stream.end('\n2,b\n');
    await once(stream, 'finish');
    let most = 0;
    const records: SourceRecord[] = [];
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 5);
    const before = process.memoryUsage().heapUsed;
    for await (const record of readCsv(file)) records.push(record);
    clearInterval(watch);
    expect(faultsOf(records)).toEqual(['line 2: record_too_long']);
    expect(most - before).toBeLessThan(100_000_000);
  });

  it('does not take the zero time of a language for the time of a proof or of a sign-in', async () => {
    const zeros = ['0001-01-01', '0001-01-01T00:00:00Z', '1970-01-01 00:00:00', '0000-00-00 00:00:00'];
    const rows = [...zeros, '2024-01-02'].map((time, at) => `${at + 1},a${at}@acme.test,${time},${time}`);
    const text = ['id,email,email_verified_at,last_login', ...rows].join('\n');
    const map = 'email=email,emailVerified=email_verified_at,lastSignInAt=last_login';
    const { users } = await collect('csv', { file: fileWith('zero.csv', text), map });
    expect(users.map(({ emailVerified, lastSignInAt }) => [emailVerified, lastSignInAt])).toEqual([
      ...zeros.map(() => [undefined, undefined]),
      [true, new Date('2024-01-02')],
    ]);
  });

  it('leaves days that the calendar does not have to the import, which refuses them, and proves no address with one', async () => {
    const days = ['2024-02-30', '2023-02-29 10:00', '2024-04-31T00:00:00Z', '31.04.2024'];
    const rows = days.map((time, at) => `${at + 1},a${at}@acme.test,${time},${time},${time}`);
    const text = ['id,email,confirmed,created,last_login', ...rows].join('\n');
    const map = 'email=email,emailVerified=confirmed,createdAt=created,lastSignInAt=last_login';
    const { counts, users } = await collect('csv', { file: fileWith('days.csv', text), map });
    expect(users.map(({ createdAt, lastSignInAt }) => [createdAt, lastSignInAt])).toEqual(
      days.map((day) => [day, day]),
    );
    expect(users.map(({ emailVerified }) => emailVerified)).toEqual(days.map(() => undefined));
    expect([...counts.omitted]).toEqual([[expect.stringContaining('`emailVerified`'), days.length]]);
    for (const day of days)
      expect(() => parseTime(day, 'createdAt')).toThrow('on a day that the calendar has');
  });

  it('refuses lines with too few or too many fields', async () => {
    const records = await all(readCsv(fileWith('ragged.csv', 'id,name\n1\n2,b\n3,c,d\n')));
    expect(rowsOf(records)).toEqual([{ id: '2', name: 'b' }]);
    expect(faultsOf(records)).toEqual(['line 2: csv_invalid', 'line 4: csv_invalid']);
  });

  it('reports a quote that is not closed with the line of its start', async () => {
    const short = await all(readCsv(fileWith('open.csv', 'id,name\n1,a\n2,"b\n3,c\n')));
    expect(faultsOf(short)).toEqual(['line 3: csv_invalid']);
    const rest = '\nid,name'.repeat(500_000);
    const long = await all(readCsv(fileWith('open-long.csv', `id,name\n1,a\n2,"b${rest}`)));
    expect(rowsOf(long)).toEqual([{ id: '1', name: 'a' }]);
    expect(faultsOf(long)).toEqual(['line 3: csv_invalid']);
  });

  it.each([
    ['UTF-16', Buffer.from('\uFEFFid,email\n1,a', 'utf16le'), 'is UTF-16'],
    ['Latin-1', Buffer.from('id,name\n1,J\u00fcrgen\n', 'latin1'), 'is not UTF-8 near line'],
    ['empty', Buffer.from(''), 'has no line'],
    ['named too long', Buffer.from(`${'a,'.repeat(10_000)}a\n1,2\n`), 'first line'],
    ['without unique names', Buffer.from('id,id\n1,2\n'), 'two columns with the same name'],
  ])('is refused as a whole if it is %s', async (name, content, message) => {
    await expect(all(readCsv(fileWith(`${name}.csv`, content)))).rejects.toThrow(message);
  });

  it('takes column names that mean something to JavaScript as names', async () => {
    const file = fileWith('names.csv', '__proto__,constructor,email\nx,y,ada@acme.test\n');
    const { users } = await collect('csv', {
      file,
      map: 'email=email,metadata.a=__proto__,metadata.b=constructor',
    });
    expect(users).toEqual([{ email: 'ada@acme.test', metadata: { a: 'x', b: 'y' } }]);
    expect(Object.getPrototypeOf(users[0])).toBe(Object.prototype);
  });
});

describe('A JSON file', () => {
  const lists = ['users'];

  it('is read as lines, as an array, and as an array in an object', async () => {
    const records = [
      { id: 1, text: '}]"\\' },
      { id: 2, users: [{ id: 3 }] },
    ];
    const forms = [
      records.map((each) => JSON.stringify(each)).join('\r\n'),
      `\uFEFF${JSON.stringify(records)}`,
      JSON.stringify(records, null, 2),
      JSON.stringify({ other: [{ id: 9 }], users: records, more: { users: [{ id: 9 }] } }),
      JSON.stringify({ other: [{ id: 9 }], users: records, more: { users: [{ id: 9 }] } }, null, '\t'),
    ];
    for (const [at, form] of forms.entries()) {
      const read = await all(readJson(fileWith(`form-${at}.json`, form), lists));
      expect(rowsOf(read)).toEqual(records);
      expect(faultsOf(read)).toEqual([]);
    }
  });

  it('refuses a record over 8 MB, of bad JSON, of other bytes, or too deep, with its line', async () => {
    const deep = `{"id":5,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const lines = [
      Buffer.from('{"id":1}\n'),
      Buffer.from(`{"id":2,"x":"${'x'.repeat(tenMegabytes)}"}\n`),
      Buffer.from('{"id":3\n[1]\n"text"\nnull\n\n'),
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]),
      Buffer.from(`${deep}\n{"id":6}`),
    ];
    const records = await all(readJson(fileWith('bad.jsonl', Buffer.concat(lines)), lists));
    expect(rowsOf(records)).toEqual([{ id: 1 }, { id: 6 }]);
    expect(faultsOf(records)).toEqual([
      ...['line 2: record_too_long', 'line 3: json_invalid', 'line 4: json_invalid', 'line 5: json_invalid'],
      ...['line 6: json_invalid', 'line 8: encoding_invalid', 'line 9: json_too_deep'],
    ]);
  });

  it('refuses a record over 8 MB in an array, and one that ends too early', async () => {
    const text = `[{"id":1},\n{"x":"${'x'.repeat(tenMegabytes)}"},\n{"id":2},{"id":`;
    const records = await all(readJson(fileWith('array.json', text), lists));
    expect(rowsOf(records)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(faultsOf(records)).toEqual(['line 2: record_too_long', 'end of file: file_incomplete']);
  });

  it('is refused without an array of records', async () => {
    await expect(
      all(readJson(fileWith('none.json', '{\n"a": {"users": [{"id": 1}]}\n}'), lists)),
    ).rejects.toThrow('nor an array of records');
  });

  it('cannot change prototypes or bring deep metadata', async () => {
    const nested = (levels: number): object => (levels === 0 ? { end: true } : { a: nested(levels - 1) });
    const record = `{"id":1,"email":"ada@acme.test","emailVerified":{"valueOf":1},"__proto__":{"roles":["admin"]},"metadata":{"__proto__":{"isAdmin":true},"x":${JSON.stringify(nested(50))}}}`;
    const file = fileWith('hostile.jsonl', record);
    const { users } = await collect('jsonl', {
      file,
      map: 'externalId=id,email=email,emailVerified=emailVerified,roles=roles,metadata=metadata',
    });
    expect(users[0]?.roles).toBeUndefined();
    expect(users[0]?.emailVerified).toBeUndefined();
    expect(Object.hasOwn(users[0]?.metadata ?? {}, '__proto__')).toBe(false);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect(JSON.stringify(users[0]?.metadata)).not.toContain('end');
  });

  it('unwraps the types of mongoexport', async () => {
    const record = {
      _id: { $oid: '507f1f77bcf86cd799439011' },
      email: 'ada@acme.test',
      createdAt: { $date: '2024-01-02T03:04:05Z' },
    };
    const { users } = await collect('jsonl', { file: fileWith('mongo.json', JSON.stringify(record)) });
    expect(users).toEqual([
      {
        externalId: '507f1f77bcf86cd799439011',
        email: 'ada@acme.test',
        createdAt: new Date('2024-01-02T03:04:05Z'),
      },
    ]);
  });
});

describe('A large file', () => {
  const write = async (name: string, head: string, line: (index: number) => string) => {
    const file = path.join(folder, name);
    const stream = createWriteStream(file);
    stream.write(head);
    for (let block = 0; block < 200; block++) {
      const lines = Array.from({ length: 1000 }, (_, index) => line(1000 * block + index));
      if (!stream.write(lines.join(''))) await once(stream, 'drain');
    }
    stream.end();
    await once(stream, 'close');
    return file;
  };
  const padding = 'x'.repeat(600);

  it.each([
    [
      'CSV',
      () => write('large.csv', 'id,email,name\n', (at) => `${at},u${at}@acme.test,${padding}\n`),
      readCsv,
    ],
    [
      'JSON',
      () => write('large.jsonl', '', (at) => `{"id":${at},"name":"${padding}"}\n`),
      (file: string) => readJson(file, ['users']),
    ],
  ])('of %s is read without being kept', async (_name, create, read) => {
    const file = await create();
    const fromMegabyte = process.memoryUsage().heapUsed;
    let [count, most] = [0, 0];
    for await (const _record of read(file)) {
      count++;
      if (count % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - fromMegabyte);
    }
    expect(count).toBe(200_000);
    // The records are 160 MB or more as objects; what the collector has not reached yet is less.
    expect(most).toBeLessThan(120 * 1024 * 1024);
  });
});
