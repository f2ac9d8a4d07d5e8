/** A database server as a child process in a temporary folder, for postgres-server.ts and mariadb-server.ts. */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SystemAccount, isReachable } from './unprivileged-account.js';

export async function makeFolder(prefix: string, account: SystemAccount | undefined): Promise<string> {
  // A server that must not run as root cannot use a TMPDIR that only root may enter.
  const parent = (await isReachable(tmpdir(), account)) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, prefix));
  if (account) await chown(folder, account.uid, account.gid);
  return folder;
}

// Into a file, not a pipe: a server waits on a full pipe, and a process busy with tests does not empty it.
export function spawnWithLog(
  command: string,
  args: string[],
  log: string,
  options: SpawnOptions,
): ChildProcess {
  const file = openSync(log, 'w');
  try {
    return spawn(command, args, { ...options, stdio: ['ignore', file, file] });
  } finally {
    closeSync(file);
  }
}

/** Stops the server and removes its folder when this process ends, even by SIGKILL. */
export function watch(server: ChildProcess, folder: string): ChildProcess {
  const script = fileURLToPath(new URL('./postgres-watchdog.mjs', import.meta.url));
  const watchdog = spawn(process.execPath, [script, String(server.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own process group: Ctrl-C must not end it before it has done its work.
    detached: true,
  });
  watchdog.unref();
  (watchdog.stdin as unknown as { unref(): void }).unref();
  return watchdog;
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** @param signal asks the server to close its connections and end. */
export async function stopServer(server: ChildProcess, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  if (hasEnded(server)) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.ref();
  // Fast shutdown: connections that a failed test left open do not matter.
  server.kill(signal);
  const timer = setTimeout(() => server.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}
