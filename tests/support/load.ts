/** A load on the processors, under which no test may fail: `STRESS=1 npm test`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const busyProcesses = 20;
const script = fileURLToPath(new URL('busy.mjs', import.meta.url));

/** Starts busy processes. Returns how to end them. */
export function startLoad(): () => Promise<void> {
  const children = Array.from({ length: busyProcesses }, () =>
    fork(script, { execArgv: [], stdio: 'inherit' }),
  );
  // They must not keep this process alive, and end with it.
  for (const child of children) {
    child.unref();
    child.channel?.unref();
  }
  return async () => {
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.ref();
        child.kill('SIGKILL');
        await ended;
      }),
    );
  };
}
