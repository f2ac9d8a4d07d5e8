// Every reason of an error is documented (docs/errors.md).
import { readFile } from 'node:fs/promises';
import { readLibrary } from './source-graph.js';

it('every reason that the source gives an error is in docs/errors.md', async () => {
  const documented = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const files = readLibrary().filter(({ path }) => !/^(?:client|testing)\//.test(path));
  const reasons = files.flatMap(({ text }) =>
    [...text.replace(/\/\*[^]*?\*\//g, '').matchAll(/\breason: '(\w+)'/g)].map(([, reason]) => reason!),
  );
  expect(reasons.length).toBeGreaterThan(20);
  expect([...new Set(reasons)].filter((reason) => !documented.includes(`\`${reason}\``))).toEqual([]);
});
