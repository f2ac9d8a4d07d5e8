import { coalesce } from '../../src/adapters/shared/coalesce.js';

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

/** Queries that run until the test ends them. */
function slowRecorder() {
  const batches: string[][] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const find = coalesce<Row>(
    (ids) =>
      new Promise((resolve, reject) => {
        batches.push(ids);
        ends.push((failure) => (failure ? reject(failure) : resolve(ids.map((id) => ({ id })))));
      }),
    (row) => row.id,
  );
  return { find, batches, end: (index: number, failure?: Error) => ends[index]?.(failure) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it('coalesce() combines the lookups of one turn into one query, with each key once', async () => {
  const { find, batches } = recorder();
  const rows = await Promise.all(['a', 'b', 'a', 'unknown'].map(find));
  expect(rows).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'a' }, null]);
  expect(batches).toEqual([['a', 'b', 'unknown']]);
});

it('coalesce() defers a lookup made during a query to the next query', async () => {
  const { find, batches } = recorder();
  const first = find('a');
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, find('a')]);
  expect(batches).toEqual([['a'], ['a']]);
});

it('coalesce() starts a query at once if none is running, and the next one when it has ended', async () => {
  const { find, batches, end } = slowRecorder();
  const first = find('a');
  await Promise.resolve();
  expect(batches).toEqual([['a']]);
  const others = [find('b'), find('c'), find('b')];
  await Promise.resolve();
  expect(batches).toEqual([['a']]);
  end(0);
  expect(await first).toEqual({ id: 'a' });
  expect(batches).toEqual([['a'], ['b', 'c']]);
  end(1);
  expect(await Promise.all(others)).toEqual([{ id: 'b' }, { id: 'c' }, { id: 'b' }]);
});

it('coalesce() does not let lookups wait for a query that hangs', async () => {
  const { find, batches, end } = slowRecorder();
  const hanging = find('a');
  await Promise.resolve();
  const second = find('b');
  await until(() => batches.length === 2);
  end(1);
  expect(await second).toEqual({ id: 'b' });
  end(0);
  expect(await hanging).toEqual({ id: 'a' });
});

it('coalesce() sends at most 500 keys in one query', async () => {
  const { find, batches, end } = slowRecorder();
  const keys = Array.from({ length: 1_100 }, (_, index) => String(index));
  const rows = Promise.all(keys.map(find));
  await until(() => batches.length === 3);
  expect(batches.map((batch) => batch.length)).toEqual([500, 500, 100]);
  expect(batches.flat()).toEqual(keys);
  for (const index of [0, 1, 2]) end(index);
  expect(await rows).toEqual(keys.map((id) => ({ id })));
});

it('coalesce() starts the waiting query when the running one fails', async () => {
  const { find, batches, end } = slowRecorder();
  const failing = find('a');
  await Promise.resolve();
  const waiting = find('b');
  end(0, new Error('away'));
  await expect(failing).rejects.toThrow('away');
  expect(batches).toEqual([['a'], ['b']]);
  end(1);
  expect(await waiting).toEqual({ id: 'b' });
});

it('coalesce() passes a failure to every caller of the turn, and the next turn works', async () => {
  const { find, fail } = recorder();
  fail(new Error('away'));
  const outcomes = await Promise.allSettled([find('a'), find('b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fail(null);
  expect(await find('a')).toEqual({ id: 'a' });
});

it('coalesce() works under fake timers of the application', async () => {
  jest.useFakeTimers();
  try {
    const { find } = recorder();
    expect(await find('a')).toEqual({ id: 'a' });
  } finally {
    jest.useRealTimers();
  }
});
