// A JSON file whose records are not all in one array of objects: what is not read is a fault with its place.
import { readJson } from '../../../src/cli/import/json-records.js';
import type { SourceRecord } from '../../../src/cli/import/source.js';
import { useFiles } from './collect.js';

const { fileWith } = useFiles();
const one = '{"id":1,"email":"a@b.c"}';
const two = '{"id":2,"list":[[],"]"]}';

async function read(content: string) {
  const records: SourceRecord[] = [];
  for await (const record of readJson(fileWith('arrays.json', content), ['users', 'data']))
    records.push(record);
  const ids = records.flatMap((record) => ('row' in record ? [record.row['id']] : []));
  const faults = records.flatMap((record) =>
    'fault' in record ? [`${record.place}: ${record.fault.reason}`] : [],
  );
  return { ids, faults };
}

it.each([
  ['another array', `[${one}]\n[${two}]`, 'line 2'],
  ['another array in the same line', `[${one}][${two}]`, 'line 1'],
  ['lines', `[\n${one}\n]\n${two}\n${two}\n`, 'line 4'],
  ['another export', `{"users":[${one}]}\n{"users":[${two}]}`, 'line 2'],
  ['a word', `[${one}]\r\n\r\n"a text"`, 'line 3'],
  ['a bracket', `[${one}]\n]`, 'line 2'],
])('reports %s after the end of the array', async (_, content, place) => {
  expect(await read(content)).toEqual({ ids: [1], faults: [`${place}: json_invalid`] });
});

it('reports nothing for white space and other properties after the array', async () => {
  expect(await read(`[${one},${two}]\r\n \t\n`)).toEqual({ ids: [1, 2], faults: [] });
  const object = `{"total":[1],"users":[${one}, ${two}],"others":["x",[{}]],"data":[]}\n`;
  expect(await read(object)).toEqual({ ids: [1, 2], faults: [] });
});

it('reads the array after an empty one, and reports a second one with records', async () => {
  expect(await read(`{"data":[],"users":[${one}]}`)).toEqual({ ids: [1], faults: [] });
  expect(await read(`{\n"data":[${one}],\n"users":[${two},${two}]}`)).toEqual({
    ids: [1],
    faults: ['line 3: json_invalid'],
  });
});

it('reports each item that is not an object', async () => {
  const items = ['"a, text"', '1', 'null', one, `[${two}]`, '-2.5e3', 'true', two, '"{"'];
  expect(await read(`[\n${items.join(',\n')}\n]`)).toEqual({
    ids: [1, 2],
    faults: [2, 3, 4, 6, 7, 8, 10].map((line) => `line ${line}: json_invalid`),
  });
});

it('reports a file that ends before what contains its array', async () => {
  for (const content of [`{"users":[${one}]`, `{"data":[],"users":[${one}`, `{"users":[${one}],"more":"x`]) {
    const { faults } = await read(content);
    expect(faults).toEqual(['end of file: file_incomplete']);
  }
});
