/**
 * A private MariaDB server from the programs of the machine. Loopback only, random password, in a temporary folder.
 * Used by the tests (through global-setup.ts) and by the benchmark.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { freePort } from './free-port.js';
import { hasEnded, makeFolder, spawnWithLog, stopServer, watch } from './server-process.js';
import { unprivilegedAccount } from './unprivileged-account.js';

export interface MariaDbServer {
  /** URL of an account with all privileges, without a database. */
  url: string;
  /** Kills the server with SIGKILL, as a crash would. Its data remain. */
  crash: () => Promise<void>;
  /** Starts it again after `crash()`, on the same port and data. Resolves when it accepts connections. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}

const locate = (name: string) =>
  ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

const programs = { server: locate('mariadbd'), install: locate('mariadb-install-db') };

export const isMariaDbInstalled = programs.server !== undefined && programs.install !== undefined;

// Without writes to the disk at every commit: the tests end the server only when they have ended.
const settings = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-buffer-pool-size=128M',
  '--max-connections=500',
  '--skip-log-bin',
  '--skip-name-resolve',
  '--bind-address=127.0.0.1',
];

/**
 * Starts a server; it ends with `stop()`, or with this process.
 * @param moreSettings options of `mariadbd`.
 */
export async function startMariaDb(moreSettings: readonly string[] = []): Promise<MariaDbServer> {
  const { server: serverPath, install } = programs;
  if (serverPath === undefined || install === undefined) throw new Error('MariaDB is not installed.');
  const account = await unprivilegedAccount();
  const folder = await makeFolder('svc-auth-mariadb-', account);
  try {
    const [data, log] = [join(folder, 'data'), join(folder, 'server.log')];
    const options = { cwd: folder, ...account };
    const installArgs = ['--no-defaults', `--datadir=${data}`, '--skip-test-db'];
    const installing = spawnWithLog(
      install,
      [...installArgs, '--auth-root-authentication-method=normal'],
      log,
      options,
    );
    const [code] = (await once(installing, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`mariadb-install-db failed: ${await readFile(log, 'utf8')}`);
    const password = randomBytes(16).toString('hex');
    // One statement a line.
    const accounts = join(folder, 'accounts.sql');
    await writeFile(
      accounts,
      `create user if not exists svc_auth@'127.0.0.1' identified by '${password}';\ngrant all on *.* to svc_auth@'127.0.0.1' with grant option;\n`,
      { mode: 0o600 },
    );
    if (account) await chown(accounts, account.uid, account.gid);
    const port = await freePort();
    const place = [`--datadir=${data}`, `--socket=${join(folder, 's.sock')}`, `--port=${port}`];
    const init = [`--init-file=${accounts}`, `--tmpdir=${folder}`];
    const args = ['--no-defaults', ...place, ...init, ...settings, ...moreSettings];
    const url = `mysql://svc_auth:${password}@127.0.0.1:${port}/`;
    const launch = async () => {
      const launched = spawnWithLog(serverPath, args, log, options);
      await once(launched, 'spawn');
      // It must not keep this process alive.
      launched.unref();
      await waitUntilReady(launched, url, log);
      return launched;
    };
    let server = await launch();
    let watchdog = watch(server, folder);
    return {
      url,
      async crash() {
        const ended = once(server, 'exit');
        server.ref();
        server.kill('SIGKILL');
        await ended;
      },
      async restart() {
        server = await launch();
        const former = watchdog;
        watchdog = watch(server, folder);
        former.kill('SIGKILL');
      },
      async stop() {
        await stopServer(server, 'SIGTERM');
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

async function waitUntilReady(server: ChildProcess, url: string, log: string): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!(await accepts(url))) {
    if (hasEnded(server) || Date.now() > deadline)
      throw new Error(`MariaDB did not start: ${await readFile(log, 'utf8')}`);
    await sleep(50);
  }
}

async function accepts(url: string): Promise<boolean> {
  try {
    await (await createConnection(url)).end();
    return true;
  } catch {
    return false;
  }
}
