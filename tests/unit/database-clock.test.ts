import { DatabaseClock } from '../../src/core/support/database-clock.js';
import { silentLogger } from '../../src/core/support/logger.js';

const minute = 60_000;

/** A process and a database, each with a clock, and a network between them. */
function machine({ process = 0, database = 0, roundTripMs = 0 } = {}) {
  const state = { process, database, roundTripMs, asked: 0, warnings: [] as object[], isAway: false };
  const pass = (ms: number) => {
    state.process += ms;
    state.database += ms;
  };
  const read = async () => {
    state.asked += 1;
    if (state.isAway) throw new Error('away');
    pass(state.roundTripMs / 2);
    const time = state.database;
    pass(state.roundTripMs / 2);
    return time;
  };
  const logger = { ...silentLogger, warn: (fields: object) => void state.warnings.push(fields) };
  const clock = new DatabaseClock(() => state.process, read, logger);
  /** Reads the clock and waits for a comparison that the read has started. */
  const now = async () => {
    clock.now();
    await new Promise((resolve) => setImmediate(resolve));
    return clock.now();
  };
  return { state, clock, pass, now };
}

describe('DatabaseClock', () => {
  it('now() returns the time of the process before the first comparison', () => {
    const { state, clock } = machine({ process: 1000 * minute });
    expect(clock.now()).toBe(1000 * minute);
    expect(state.asked).toBe(0);
  });

  it.each([16 * minute, -16 * minute, 101, -101])(
    'synchronize() corrects a difference of %d ms',
    async (skew) => {
      const { state, clock } = machine({ process: 1000 * minute + skew, database: 1000 * minute });
      await clock.synchronize();
      expect(clock.now()).toBe(state.database);
    },
  );

  it.each([100, -100, 0])('synchronize() ignores a difference of %d ms', async (skew) => {
    const { state, clock } = machine({ process: minute + skew, database: minute });
    await clock.synchronize();
    expect(clock.now()).toBe(state.process);
  });

  it('synchronize() does not treat the time of a slow round trip as a difference', async () => {
    const { state, clock } = machine({ process: minute + 900, database: minute, roundTripMs: 2_000 });
    await clock.synchronize();
    expect(clock.now()).toBe(state.process);
  });

  it('a difference of five seconds or more is logged once until the clocks agree again', async () => {
    const { state, clock, pass, now } = machine({ process: minute + 5_000, database: minute });
    await clock.synchronize();
    expect(state.warnings).toEqual([{ event: 'clock_skew', skewMs: 5_000 }]);
    state.process += 1_000;
    pass(minute);
    expect(await now()).toBe(state.database);
    expect(state.warnings).toHaveLength(1);
    state.process = state.database;
    pass(2 * minute);
    expect(await now()).toBe(state.database);
    state.process -= 7_000;
    pass(2 * minute);
    expect(await now()).toBe(state.database);
    expect(state.warnings.slice(1)).toEqual([{ event: 'clock_skew', skewMs: -7_000 }]);
  });

  it('the clock is compared again after a minute of use, once regardless of the number of reads', async () => {
    const { state, clock, pass, now } = machine({ process: minute, database: minute });
    await clock.synchronize();
    const queriesBefore = state.asked;
    pass(minute - 1);
    await now();
    expect(state.asked).toBe(queriesBefore);
    pass(1);
    for (let i = 0; i < 10; i += 1) clock.now();
    await now();
    expect(state.asked).toBe(queriesBefore + 1);
  });

  it('the correction is kept while the database is unreachable', async () => {
    const { state, clock, pass, now } = machine({ process: minute, database: 2 * minute });
    await clock.synchronize();
    state.isAway = true;
    pass(minute);
    expect(await now()).toBe(state.database);
  });

  it('a time of the database that cannot be read is ignored', async () => {
    const { state, clock } = machine({ process: minute, database: Number.NaN });
    await clock.synchronize();
    expect(clock.now()).toBe(state.process);
  });
});
