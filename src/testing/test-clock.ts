/** A clock that stands still until it is moved. */

export interface TestClock {
  /** Milliseconds since the epoch: pass it as the `clock` option. */
  readonly now: () => number;
  advance(ms: number): void;
  set(ms: number): void;
}

/** @param start milliseconds since the epoch; the present by default, so that real verifiers agree. */
export function testClock(start: number = new Date().getTime()): TestClock {
  let time = start;
  return {
    now: () => time,
    advance: (ms) => void (time += ms),
    set: (ms) => void (time = ms),
  };
}
