// Pacing delays a flood and no other client (docs/decisions/fair-turns.md).
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Pace } from '../../src/core/queues/pace.js';

/** Returns how many of `count` calls with one key resolve immediately. */
async function immediateCount(pace: Pace, key: string, count: number): Promise<number> {
  let resolved = 0;
  for (let i = 0; i < count; i += 1) void pace.wait(key).then(() => (resolved += 1));
  await endOfTurn();
  return resolved;
}

it('wait() resolves immediately for the configured number of calls with one key, and delays further calls', async () => {
  const pace = new Pace(5, () => 7_000);
  expect(await immediateCount(pace, 'flood', 20)).toBe(5);
  expect(await immediateCount(pace, 'visitor', 1)).toBe(1);
  // It is delayed by a timer, and resolves.
  await pace.wait('flood');
});

it('wait() starts a new count every second', async () => {
  let now = 7_999;
  const pace = new Pace(5, () => now);
  expect(await immediateCount(pace, 'client', 6)).toBe(5);
  now = 8_000;
  expect(await immediateCount(pace, 'client', 6)).toBe(5);
});
