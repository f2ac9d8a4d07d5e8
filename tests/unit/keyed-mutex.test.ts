// Concurrency per key: a limited number of tasks run at the same time, none waits forever, and a
// task that gives up leaves its place.
import { gate } from '../support/password-accounts.js';
import { KeyedMutex } from '../../src/core/queues/keyed-mutex.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const twoAtATime = () => new KeyedMutex({ width: 2, maxWaiting: 3, timeoutMs: 2_000 });

async function inTurn<T>(mutex: KeyedMutex, key: string, work: () => Promise<T>): Promise<T> {
  const turn = await mutex.turn(key);
  try {
    return await work();
  } finally {
    turn.end();
  }
}

/** Starts tasks that end when the test ends them. */
function taskStarter(mutex: KeyedMutex, names: string[]) {
  return (name: string) => {
    let end = () => undefined as void;
    const work = () => {
      names.push(name);
      return new Promise<void>((resolve) => (end = resolve));
    };
    const done = inTurn(mutex, 'one', work);
    return { done, end: () => end() };
  };
}

const settle = () => jest.advanceTimersByTimeAsync(0);

it('run() runs two tasks of a key at the same time, and the others in order', async () => {
  const started: string[] = [];
  const start = taskStarter(twoAtATime(), started);
  const [a, b, c] = [start('a'), start('b'), start('c')];
  await settle();
  expect(started).toEqual(['a', 'b']);
  a.end();
  await settle();
  expect(started).toEqual(['a', 'b', 'c']);
  [b, c].forEach(({ end }) => end());
  await Promise.all([a.done, b.done, c.done]);
});

it('a task that has waited for two seconds runs anyway and leaves its place to the next task', async () => {
  const started: string[] = [];
  const start = taskStarter(twoAtATime(), started);
  const [a, b, impatient] = [start('a'), start('b'), start('impatient')];
  await jest.advanceTimersByTimeAsync(1_000);
  const next = start('next');
  await jest.advanceTimersByTimeAsync(999);
  expect(started).toEqual(['a', 'b']);
  await jest.advanceTimersByTimeAsync(1);
  expect(started).toEqual(['a', 'b', 'impatient']);
  a.end();
  await settle();
  expect(started).toEqual(['a', 'b', 'impatient', 'next']);
  [b, impatient, next].forEach(({ end }) => end());
  await Promise.all([a.done, b.done, impatient.done, next.done]);
  expect(jest.getTimerCount()).toBe(0);
  // The width has not changed.
  const [c, d] = [start('c'), start('d')];
  await settle();
  expect(started.slice(4)).toEqual(['c', 'd']);
  [c, d].forEach(({ end }) => end());
});

it('a task that fails frees its place for the next task', async () => {
  const mutex = twoAtATime();
  const fail = () => Promise.reject(new Error('no'));
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => inTurn(mutex, 'one', fail)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await inTurn(mutex, 'one', async () => 'in')).toBe('in');
});

it('a task beyond the maximum runs immediately, and other keys are not affected', async () => {
  const mutex = twoAtATime();
  const { opened, open } = gate();
  const run = (key: string) => inTurn(mutex, key, () => opened);
  const five = Array.from({ length: 5 }, () => run('one'));
  expect(await inTurn(mutex, 'one', async () => 'at once')).toBe('at once');
  const other = run('other');
  open();
  await Promise.all([...five, other]);
});
