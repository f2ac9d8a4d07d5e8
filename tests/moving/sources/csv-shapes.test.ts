// What spreadsheets, databases and identity services make of CSV.
import { readCsv } from '../../../src/cli/import/csv-records.js';
import { sources } from '../../../src/cli/import/source-table.js';
import { openSource } from '../../../src/cli/import/open-source.js';
import type { SourceRecord } from '../../../src/cli/import/source.js';
import { useFiles } from './collect.js';

const { fileWith } = useFiles();

async function read(text: string): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  for await (const record of readCsv(fileWith('users.csv', text))) records.push(record);
  return records;
}

const ada = { id: '1', email: 'ada@acme.test' };
const bob = { id: '2', email: 'bob@acme.test' };

describe('A CSV file', () => {
  it.each([
    ['\r\n', '\n'],
    ['\n', '\r\n'],
    ['\n', '\r'],
    ['\r', '\r'],
    ['\r', '\n'],
  ])('is read if its names end with %j and its other lines with %j', async (first, others) => {
    const text = `id,email${first}1,ada@acme.test${others}2,bob@acme.test${others}`;
    expect(await read(text)).toEqual([
      { place: 'line 2', row: ada },
      { place: 'line 3', row: bob },
    ]);
  });

  it('ends a line at a lone CR, also in a field without quotes', async () => {
    const [first, second] = await read('id,email\n1,ada\r@acme.test\n2,bob@acme.test\n');
    expect(first).toMatchObject({ place: 'line 2', row: { id: '1', email: 'ada' } });
    expect(second).toMatchObject({ place: 'line 3', fault: { reason: 'csv_invalid' } });
  });

  it.each(['sep=;\r\n', '\r\n\r\n'])('is read after the line %j', async (before) => {
    const records = await read(`${before}id;email\r\n1;ada@acme.test\r\n`);
    expect(records.map((record) => 'row' in record && record.row)).toEqual([ada]);
  });

  it.each([
    'app_metadata.stripe_customer_subscription_identifier2',
    'user_metadata.address_line_1',
    'HTTP_X_FORWARDED_FOR',
  ])('can have a column %s', async (name) => {
    const [record] = await read(`id,${name}\n1,x\n`);
    expect(record).toMatchObject({ row: { id: '1', [name]: 'x' } });
  });

  it('of Firebase is refused, because it has no names and no identities, unless a map says what it has', async () => {
    const open = (text: string, map?: Record<string, string>) =>
      openSource({
        ...{ source: sources['firebase']!, database: undefined, schema: undefined, hashForm: undefined },
        ...{ file: fileWith('users.csv', text), map },
      } as never);
    await expect(open('4f8a,ada@acme.test,true,,\n')).rejects.toThrow('auth:export users.json --format=json');
    const opened = await open('uid,mail\n4f8a,ada@acme.test\n', { email: 'mail' });
    expect(opened.place).toContain('users.csv');
  });
});
