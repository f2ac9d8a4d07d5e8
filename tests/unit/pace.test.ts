// A flood is slowed down, and nobody else is (docs/decisions/fair-turns.md).
import { setTimeout as sleep } from 'node:timers/promises';
import { Pace } from '../../src/kit/pace.js';

/** Which of `count` answers with one key are there after a moment. */
async function answeredAtOnce(pace: Pace, key: string, count: number): Promise<number> {
  let answered = 0;
  for (let i = 0; i < count; i += 1) void pace.wait(key).then(() => (answered += 1));
  await sleep(50);
  return answered;
}

it('answers as many with one key at once as it is told, and delays the others', async () => {
  const pace = new Pace(5);
  // Ends a second of the machine, so that the calls fall into one.
  await sleep(1_000 - (performance.now() % 1_000));
  expect(await answeredAtOnce(pace, 'flood', 20)).toBe(5);
  expect(await answeredAtOnce(pace, 'visitor', 1)).toBe(1);
  const started = performance.now();
  await pace.wait('flood');
  expect(performance.now() - started).toBeGreaterThan(400);
});

it('begins again with every second', async () => {
  const pace = new Pace(5);
  expect(await answeredAtOnce(pace, 'client', 5)).toBe(5);
  await sleep(1_000);
  expect(await answeredAtOnce(pace, 'client', 5)).toBe(5);
});
