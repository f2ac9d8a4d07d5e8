/** A PgBouncer in transaction mode in front of a test database, if the program is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { unprivilegedAccount } from './unprivileged-account.js';

const program = process.env['PGBOUNCER_PATH'] ?? '/usr/sbin/pgbouncer';

// PgBouncer may be missing locally. In the merge gate, which can install it, a skipped test would look like a passed one.
const isRequired = process.env['CI_REQUIRES_PGBOUNCER'] === '1';

/** `describe` if PgBouncer is installed or required. */
export const describeWithPgBouncer = existsSync(program) || isRequired ? describe : describe.skip;

export interface PgBouncer {
  url: string;
  stop: () => Promise<void>;
}

/** @param database URL of the database. @param poolSize server connections. */
export async function startPgBouncer(database: string, poolSize: number): Promise<PgBouncer> {
  const account = await unprivilegedAccount();
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-pgbouncer-'));
  const { hostname, port: serverPort, pathname, username, password } = new URL(database);
  const port = await freePort();
  const name = pathname.slice(1);
  const config = join(folder, 'pgbouncer.ini');
  await writeFile(
    config,
    `[databases]
${name} = host=${hostname} port=${serverPort} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
`,
  );
  if (account) await Promise.all([folder, config].map((path) => chown(path, account.uid, account.gid)));
  await chmod(config, 0o600);
  const child = spawn(program, [config], { ...account, cwd: folder, stdio: 'ignore' });
  await waitForConnections(port);
  const url = new URL(database);
  url.port = String(port);
  return {
    url: url.href,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitForConnections(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await pause(50);
  }
  throw new Error('PgBouncer did not start.');
}
