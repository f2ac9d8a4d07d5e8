/**
 * How long and from which seed properties are tried: the one place that reads FUZZ_SEED, FUZZ_SECONDS, FUZZ_RUNS, FUZZ_PATH and FUZZ_STEPS.
 * Within `npm test` a short pass from a fixed seed; `npm run fuzz` (run.ts) sets them.
 */
import path from 'node:path';
import fc from 'fast-check';

const { FUZZ_SEED, FUZZ_SECONDS, FUZZ_RUNS, FUZZ_PATH, FUZZ_STEPS } = process.env;

const seed = Number(FUZZ_SEED ?? 20_251);
const seconds = FUZZ_SECONDS === undefined ? undefined : Number(FUZZ_SECONDS);
const fixedRuns = FUZZ_RUNS === undefined ? undefined : Number(FUZZ_RUNS);

/** Whether this is the long pass, which asks the SQL storages as well. */
export const isLong = seconds !== undefined || fixedRuns !== undefined || FUZZ_PATH !== undefined;

/** Where a property about the storage is tried. */
export const storages = isLong ? ['memory', 'PGlite', 'PostgreSQL'] : ['memory'];

/** Of what a failure prints of its case. */
const longest = 6_000;

/** Which steps of a model were taken, where one is to be seen again. */
export const replaySteps = FUZZ_STEPS;

export interface Pass {
  /** In the short pass. */
  runs?: number;
  /** Of the seconds of the long one. */
  weight?: number;
  /** Of one run, in milliseconds: what takes longer hangs. */
  patienceMs?: number;
}

type Property<Ts> = fc.IAsyncPropertyWithHooks<Ts> | fc.IPropertyWithHooks<Ts>;

/** A test that the property holds, whatever is drawn. Where it does not, the failure says how to see it again. */
export function holds<Ts extends [unknown, ...unknown[]]>(
  name: string,
  property: () => Property<Ts>,
  pass: Pass = {},
): void {
  const { runs = 100, weight = 1, patienceMs = 20_000 } = pass;
  const limitMs = seconds === undefined ? undefined : seconds * weight * 1000;
  it(
    name,
    async () => {
      const { tried, isOver } = watched(property());
      const asserted = fc.assert(tried as fc.IAsyncProperty<Ts>, {
        seed,
        numRuns: fixedRuns ?? (seconds === undefined ? runs : 1_000_000_000),
        timeout: patienceMs,
        ...(limitMs !== undefined && FUZZ_PATH === undefined && { interruptAfterTimeLimit: limitMs }),
        ...(FUZZ_PATH !== undefined && { path: FUZZ_PATH, endOnFailure: true }),
        reporter: report,
      });
      // Who is interrupted goes on for a moment, and would be in the way of the next test.
      await Promise.resolve(asserted).finally(isOver);
    },
    (limitMs ?? 0) + 120_000,
  );
}

function watched<Ts>(property: Property<Ts>) {
  let running: unknown;
  const run = property.run.bind(property) as (value: Ts) => unknown;
  const tried = Object.assign(property, { run: (value: Ts) => (running = run(value)) });
  return { tried, isOver: async () => void (await running) };
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
  const replay = `${variables.join(' ')} npm run fuzz -- ${file} -t '${currentTestName}'`;
  throw new Error(`${message.slice(0, longest)}\n\nTo see it again:\n${replay}`, {
    cause: details.errorInstance,
  });
}
