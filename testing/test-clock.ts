/** A clock for tests that only moves when a test moves it. */

export interface TestClock {
  /** Milliseconds since the epoch: pass it as the `clock` option. */
  readonly now: () => number;
  advance(ms: number): void;
  set(ms: number): void;
}

/**
 * Creates a stopped clock. @param start milliseconds since the epoch. Default: the current time, so
 * that verifiers with a real clock agree.
 */
export function testClock(start: number = new Date().getTime()): TestClock {
  let time = start;
  return {
    now: () => time,
    advance: (ms) => void (time += ms),
    set: (ms) => void (time = ms),
  };
}
