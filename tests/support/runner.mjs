// The runner of jest.config.ts: runs test files in two child processes of plain Node.js, which inherit `--import tsx`. What Jest's own runner does besides, worker.ts does.
import { createRunner } from 'jest-light-runner';

const none = 'A test file must contain at least one test.';

export default class extends createRunner({ runtime: 'child_process' }) {
  runTests(tests, watcher, onStart, onResult, onFailure) {
    const refuseEmpty = (test, result) => {
      const { numPassingTests, numFailingTests, numPendingTests } = result;
      const isEmpty = numPassingTests + numFailingTests + numPendingTests === 0;
      return isEmpty ? onFailure(test, { message: none, stack: none }) : onResult(test, result);
    };
    return super.runTests(tests, watcher, onStart, refuseEmpty, onFailure);
  }
}
