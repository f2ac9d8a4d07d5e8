import { jest } from '@jest/globals';
import { coalesce } from '../../src/adapters/sql/coalesce.js';

interface Row {
  id: string;
}

function recorder() {
  const batches: string[][] = [];
  let failure: Error | null = null;
  const find = coalesce<Row>(
    async (ids) => {
      batches.push(ids);
      if (failure) throw failure;
      return ids.filter((id) => id !== 'unknown').map((id) => ({ id }));
    },
    (row) => row.id,
  );
  return { find, batches, fail: (error: Error | null) => (failure = error) };
}

it('look-ups of one turn make one query, each key once', async () => {
  const { find, batches } = recorder();
  const rows = await Promise.all(['a', 'b', 'a', 'unknown'].map(find));
  expect(rows).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'a' }, null]);
  expect(batches).toEqual([['a', 'b', 'unknown']]);
});

it('a look-up made while a query is under way waits for the next', async () => {
  const { find, batches } = recorder();
  const first = find('a');
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, find('a')]);
  expect(batches).toEqual([['a'], ['a']]);
});

it('a failure reaches every caller of its turn, and the next turn works', async () => {
  const { find, fail } = recorder();
  fail(new Error('away'));
  const outcomes = await Promise.allSettled([find('a'), find('b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fail(null);
  expect(await find('a')).toEqual({ id: 'a' });
});

it('works under fake timers of a host', async () => {
  jest.useFakeTimers();
  try {
    const { find } = recorder();
    expect(await find('a')).toEqual({ id: 'a' });
  } finally {
    jest.useRealTimers();
  }
});
