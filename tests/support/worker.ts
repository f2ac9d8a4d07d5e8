/**
 * Runs once in each process that runs test files, before the first of them, and adds what the light runner leaves out: time
 * limits, uncaught errors, fake timers, and the leak scan, which belongs to every file although its module is loaded once.
 */
import { basename } from 'node:path';
import { ModernFakeTimers } from '@jest/fake-timers';
import type { Circus, Config } from '@jest/types';
import { addEventHandler } from 'jest-circus';
import { ModuleMocker } from 'jest-mock';
import { endLeakScan, failOnLeaks, takeLeaks, takeStoredSecrets } from './leak-scan.js';

/** The least limit, in milliseconds, of tests and hooks: it ends those that hang, and not those that a busy machine delays. */
const timeLimit = process.env['STRESS'] === '1' ? 900_000 : 180_000;
/** Taken before a test can replace them. */
const { setTimeout, clearTimeout, setImmediate } = globalThis;

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({
  config: { fakeTimers: { enableGlobally: false } } as Config.ProjectConfig,
  // Not globalThis itself, because then the fake timers would also replace what `node:timers` exports, which tests use to wait.
  global: new Proxy(globalThis, {}),
});

globalThis.jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (config?: Config.FakeTimersConfig) => timers.useFakeTimers(config),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (ms: number) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms: number) => timers.advanceTimersByTimeAsync(ms),
  getTimerCount: () => timers.getTimerCount(),
} as unknown as typeof jest;

/** Errors that no test has caught, by the promise or the error itself. */
const uncaught = new Map<unknown, unknown>();
let isInFile = false;

process.on('uncaughtException', (error) => fail(error, error));
process.on('unhandledRejection', (reason, promise) => fail(promise, reason));
process.on('rejectionHandled', (promise) => uncaught.delete(promise));

function fail(key: unknown, error: unknown): void {
  if (isInFile) return void uncaught.set(key, error);
  console.error(error);
  process.exit(1);
}

function failOnUncaught(): void {
  const [error] = uncaught.values();
  const { size } = uncaught;
  uncaught.clear();
  if (size > 0) throw error instanceof Error ? error : new Error(`Uncaught: ${String(error)}`);
}

async function afterEveryTest(): Promise<void> {
  // Node reports an unhandled rejection at the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  failOnUncaught();
  failOnLeaks();
}

async function afterEveryFile(): Promise<void> {
  mocker.restoreAllMocks();
  timers.useRealTimers();
  try {
    await afterEveryTest();
    failOnLeaks([...takeLeaks(), ...takeStoredSecrets()]);
  } finally {
    endLeakScan();
    isInFile = false;
  }
}

function limited(fn: () => unknown, ownLimit = timeLimit): () => Promise<unknown> {
  // Only the tests of the runner have a limit below a second.
  const limit = ownLimit < 1_000 ? ownLimit : Math.max(ownLimit, timeLimit);
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => {
        // What was uncaught explains better why it takes too long.
        const [error] = uncaught.values();
        reject(error instanceof Error ? error : new Error(`Exceeded the time limit of ${limit} ms.`));
      }, limit);
    });
    try {
      return await Promise.race([fn(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The runner begins every file with a new root, the only sign that a file begins. */
let root: Circus.DescribeBlock | undefined;
const ours = new WeakSet<Circus.Hook>();

addEventHandler((event: Circus.Event, { rootDescribeBlock, currentDescribeBlock }: Circus.State) => {
  if (event.name === 'add_hook' || event.name === 'add_test') {
    const { hooks, children } = currentDescribeBlock;
    const added = event.name === 'add_hook' ? hooks.at(-1) : children.at(-1);
    if (added && 'fn' in added && added.fn) added.fn = limited(added.fn as () => unknown, event.timeout);
    if (currentDescribeBlock === rootDescribeBlock) refuseImported();
  } else if (event.name === 'start_describe_definition') {
    // The new block has become the current one already.
    if (currentDescribeBlock.parent === rootDescribeBlock) refuseImported();
  } else return;
  if (root !== rootDescribeBlock) {
    root = rootDescribeBlock;
    isInFile = true;
    root.hooks.push(hookOf('afterEach', afterEveryTest, root), hookOf('afterAll', afterEveryFile, root));
  }
  // Ours are the last, so that the hooks of the file are scanned too.
  root.hooks.sort((one, other) => Number(ours.has(one)) - Number(ours.has(other)));
});

function hookOf(type: Circus.HookType, fn: () => Promise<void>, parent: Circus.DescribeBlock): Circus.Hook {
  const hook = {
    type,
    fn: limited(fn),
    parent,
    asyncError: new Error(),
    seenDone: false,
    timeout: undefined,
  };
  ours.add(hook);
  return hook;
}

/** A module that registers tests or hooks when it is imported would do so for the first file of a worker only. */
function refuseImported(): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const { testPath = '' } = expect.getState();
  if (stack.includes(basename(testPath))) return;
  throw new Error(
    'A test or a hook is registered by an import. Only the test file itself may do that, or a function that it calls.',
  );
}
