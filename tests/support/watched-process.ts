/** Processes that tests start. The leak scan reads their output line by line. */
import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { LeakScan, reportLeaks } from './leak-scan.js';

/** Matches a labeled code in the output. A process that does not report its mails leaks codes that only their label reveals. */
const namedCode = /\b(?:code|otp)\\?["']?\s*[:=]\s*\\?["']?\d{6}\b/i;

const closings = new WeakMap<ChildProcess, Promise<unknown>>();

/** Starts a script of the tests. Its stderr is shown, as it would be without the scan. */
export function forkWatched(
  script: string,
  leaks = new LeakScan(),
  options: Pick<ForkOptions, 'serialization'> = {},
): { child: ChildProcess; written: () => string } {
  const child = fork(script, { ...options, execArgv: ['--import', 'tsx'], silent: true });
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  return { child, written: watchOutput(child, path.basename(script), leaks) };
}

/** @param leaks knows the secrets that the process received and returned. @returns a function that returns its output so far. */
export function watchOutput(child: ChildProcess, name: string, leaks = new LeakScan()): () => string {
  const written: string[] = [];
  const where = `what ${name} wrote`;
  // The process does not emit `close` after a disconnect.
  const ends: Promise<unknown>[] = [new Promise((resolve) => child.once('exit', resolve))];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) throw new Error(`The output cannot be read: ${where}.`);
    const lines = createInterface({ input: stream });
    ends.push(once(lines, 'close'));
    lines.on('line', (line) => {
      written.push(`${line}\n`);
      leaks.scan(where, line);
      if (namedCode.test(line)) reportLeaks([`${where}: a code, by its name`]);
    });
  }
  closings.set(child, Promise.all(ends));
  return () => written.join('');
}

/** Resolves when the process has exited and all its output has been scanned. */
export const waitForExit = (child: ChildProcess): Promise<unknown> =>
  closings.get(child) ?? Promise.resolve();
