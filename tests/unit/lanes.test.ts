// Waiting lines by key: two at a time, and nobody waits for ever, nor takes a place with them that they gave up.
import { jest } from '@jest/globals';
import { Lanes } from '../../src/kit/lanes.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Work that ends when it is told to. */
function held(lanes: Lanes, names: string[]) {
  return (name: string) => {
    let end = () => undefined as void;
    const done = lanes.run('one', () => {
      names.push(name);
      return new Promise<void>((resolve) => (end = resolve));
    });
    return { done, end: () => end() };
  };
}

const settle = () => jest.advanceTimersByTimeAsync(0);

it('lets two work at a time, the others in their turn', async () => {
  const started: string[] = [];
  const start = held(new Lanes(), started);
  const [a, b, c] = [start('a'), start('b'), start('c')];
  await settle();
  expect(started).toEqual(['a', 'b']);
  a.end();
  await settle();
  expect(started).toEqual(['a', 'b', 'c']);
  [b, c].forEach(({ end }) => end());
  await Promise.all([a.done, b.done, c.done]);
});

it('lets go ahead who has waited for two seconds, and keeps no place for them: the next comes in as ever', async () => {
  const started: string[] = [];
  const start = held(new Lanes(), started);
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
  // And the lane is as wide as it was.
  const [c, d] = [start('c'), start('d')];
  await settle();
  expect(started.slice(4)).toEqual(['c', 'd']);
  [c, d].forEach(({ end }) => end());
});

it('gives the place of who fails to the next', async () => {
  const lanes = new Lanes();
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map((each) => lanes.run('one', () => Promise.reject(new Error(String(each))))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await lanes.run('one', async () => 'in')).toBe('in');
});
