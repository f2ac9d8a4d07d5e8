/** Processes that tests start: what they write, their logs for example, is before the scan for leaks, line by line. */
import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { LeakScan, noteLeaks } from './leak-scan.js';

/** What a code is called where it is written; what was mailed by a process that does not tell us is known by nothing else. */
const namedCode = /\b(?:code|otp)\\?["']?\s*[:=]\s*\\?["']?\d{6}\b/i;

const closings = new WeakMap<ChildProcess, Promise<unknown>>();

/** A script of ours. Its errors show, as they would without the scan. */
export function forkWatched(
  script: string,
  leaks = new LeakScan(),
  options: Pick<ForkOptions, 'serialization'> = {},
): { child: ChildProcess; written: () => string } {
  const child = fork(script, { ...options, execArgv: ['--import', 'tsx'], silent: true });
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  return { child, written: watchOutput(child, path.basename(script), leaks) };
}

/** @param leaks knows what the process was given and has told. @returns what it has written so far. */
export function watchOutput(child: ChildProcess, name: string, leaks = new LeakScan()): () => string {
  const written: string[] = [];
  const where = `what ${name} wrote`;
  // Its own `close` does not come where we have disconnected from it.
  const ends: Promise<unknown>[] = [new Promise((resolve) => child.once('exit', resolve))];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) throw new Error(`Nobody can read ${where}.`);
    const lines = createInterface({ input: stream });
    ends.push(once(lines, 'close'));
    lines.on('line', (line) => {
      written.push(`${line}\n`);
      leaks.look(where, line);
      if (namedCode.test(line)) noteLeaks([`${where}: a code, by its name`]);
    });
  }
  closings.set(child, Promise.all(ends));
  return () => written.join('');
}

/** When it is gone and all that it wrote was looked at. */
export const closed = (child: ChildProcess): Promise<unknown> => closings.get(child) ?? Promise.resolve();
