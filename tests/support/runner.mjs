// The runner of jest.config.ts: runs test files in two child processes of plain Node.js, which inherit `--import tsx`. What Jest's own runner does besides, worker.ts does.
import { createRunner } from 'jest-light-runner';

const none = 'A test file must contain at least one test.';

/**
 * The channel by which one process asks for its configuration. The runner's own channel is shared, and answers all processes when the
 * first of them asks: one that is still starting misses the answer, and waits for it forever.
 */
function channelTo(workerData) {
  let send;
  return {
    onMessage: (listener) => (send = listener),
    postMessage: (message) =>
      message === 'jest-light-runner-get-worker-data' &&
      send({ type: 'jest-light-runner-worker-data', workerData }),
  };
}

/** The pools of the runner, by their configuration. */
class Pools extends Map {
  constructor(globalConfig) {
    super();
    this.globalConfig = globalConfig;
  }

  set(projectConfig, { pool }) {
    const workerData = { globalConfig: this.globalConfig, projectConfig, runtime: 'child_process' };
    const run = (test) => pool.run(test.path, { channel: channelTo(workerData) });
    return super.set(projectConfig, { pool, run });
  }
}

export default class extends createRunner({ runtime: 'child_process' }) {
  constructor(globalConfig) {
    super(globalConfig);
    this._testRunners = new Pools(globalConfig);
  }

  runTests(tests, watcher, onStart, onResult, onFailure) {
    const refuseEmpty = (test, result) => {
      const { numPassingTests, numFailingTests, numPendingTests } = result;
      const isEmpty = numPassingTests + numFailingTests + numPendingTests === 0;
      return isEmpty ? onFailure(test, { message: none, stack: none }) : onResult(test, result);
    };
    return super.runTests(tests, watcher, onStart, refuseEmpty, onFailure);
  }
}
