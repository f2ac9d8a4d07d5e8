/**
 * How long and from which seed properties are tested: the only place that reads FUZZ_SEED, FUZZ_SECONDS, FUZZ_RUNS, FUZZ_PATH and
 * FUZZ_STEPS. `npm test` runs a short pass from a fixed seed; `npm test -- --fuzz` (run.ts) sets the variables.
 */
import path from 'node:path';
import fc from 'fast-check';
import type { StorageName } from '../../support/databases.js';

const { FUZZ_SEED, FUZZ_SECONDS, FUZZ_RUNS, FUZZ_PATH, FUZZ_STEPS } = process.env;

const seed = Number(FUZZ_SEED ?? 20_251);
const seconds = FUZZ_SECONDS === undefined ? undefined : Number(FUZZ_SECONDS);
const fixedRuns = FUZZ_RUNS === undefined ? undefined : Number(FUZZ_RUNS);

/** Whether this is the long pass, which also tests the SQL storages. */
export const isLong = seconds !== undefined || fixedRuns !== undefined || FUZZ_PATH !== undefined;

/** The storages on which properties are tested. */
export const storages: readonly StorageName[] = isLong ? ['memory', 'PGlite', 'PostgreSQL'] : ['memory'];

/** The maximum length of a printed failure. */
const maxMessageLength = 6_000;

/** The steps of a model to replay. */
export const replaySteps = FUZZ_STEPS;

export interface Pass {
  /** Number of runs in the short pass. */
  runs?: number;
  /** Share of the seconds of the long pass. */
  weight?: number;
  /** Time limit of one run in milliseconds: a longer one hangs. */
  timeoutMs?: number;
}

type Property<Ts> = fc.IAsyncPropertyWithHooks<Ts> | fc.IPropertyWithHooks<Ts>;

/** Defines a test of a property for generated values. A failure prints the command that replays it. */
export function itHolds<Ts extends [unknown, ...unknown[]]>(
  name: string,
  property: () => Property<Ts>,
  pass: Pass = {},
): void {
  const { runs = 100, weight = 1, timeoutMs = 20_000 } = pass;
  const limitMs = seconds === undefined ? undefined : seconds * weight * 1000;
  it(
    name,
    async () => {
      const { observed, isOver } = observeRuns(property());
      const asserted = fc.assert(observed as fc.IAsyncProperty<Ts>, {
        seed,
        numRuns: fixedRuns ?? (seconds === undefined ? runs : 1_000_000_000),
        timeout: timeoutMs,
        ...(limitMs !== undefined && FUZZ_PATH === undefined && { interruptAfterTimeLimit: limitMs }),
        ...(FUZZ_PATH !== undefined && { path: FUZZ_PATH, endOnFailure: true }),
        reporter: report,
      });
      // An interrupted run continues for a moment, and would disturb the next test.
      await Promise.resolve(asserted).finally(isOver);
    },
    (limitMs ?? 0) + 120_000,
  );
}

function observeRuns<Ts>(property: Property<Ts>) {
  let running: unknown;
  const run = property.run.bind(property) as (value: Ts) => unknown;
  const observed = Object.assign(property, { run: (value: Ts) => (running = run(value)) });
  return { observed, isOver: async () => void (await running) };
}

function report<Ts>(details: fc.RunDetails<Ts>): void {
  if (!details.failed) return;
  const { testPath = '', currentTestName = '' } = expect.getState();
  const message = fc.defaultReportMessage(details) ?? '';
  const steps = /replayPath="([^"]+)"/.exec(message)?.[1];
  const variables = [
    `FUZZ_SEED=${details.seed}`,
    `FUZZ_PATH=${details.counterexamplePath ?? ''}`,
    ...(steps === undefined ? [] : [`FUZZ_STEPS=${steps}`]),
  ];
  const file = path.relative(process.cwd(), testPath);
  const replay = `${variables.join(' ')} npm test -- --fuzz ${file} -t '${currentTestName}'`;
  const reason = String(details.errorInstance).slice(0, maxMessageLength);
  throw new Error(`${reason}\n\n${message.slice(0, maxMessageLength)}\n\nTo replay:\n${replay}`, {
    cause: details.errorInstance,
  });
}
