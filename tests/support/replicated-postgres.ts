/** A PostgreSQL with a streaming replica, if the programs of Debian's package are installed. The npm package has no `pg_basebackup`. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.js';
import { unprivilegedAccount } from './unprivileged-account.js';

const root = '/usr/lib/postgresql';
const [version] = existsSync(root) ? readdirSync(root).filter((name) => Number(name) >= 14) : [];
const program = (name: string) => join(root, version ?? '', 'bin', name);

/** `describe` if the programs are installed. */
export const describeWithReplica = existsSync(program('pg_basebackup')) ? describe : describe.skip;

export interface ReplicatedPostgres {
  primary: string;
  replica: string;
  /** Runs a statement on the replica. */
  onReplica: (sql: string) => Promise<unknown>;
  /** Promotes another replica, and returns its URL. The old primary continues, and the replica follows it. */
  promoteAnother: () => Promise<string>;
  hangReplica: () => void;
  resumeReplica: () => void;
  stop: () => Promise<void>;
}

export async function startReplicated(): Promise<ReplicatedPostgres> {
  const account = await unprivilegedAccount();
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-replica-'));
  if (account) await chown(folder, account.uid, account.gid);
  const run = (name: string, args: string[]) =>
    promisify(execFile)(program(name), args, { cwd: folder, ...account });
  const [primaryData, replicaData] = [join(folder, 'primary'), join(folder, 'replica')];
  await run('initdb', ['-D', primaryData, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C']);
  await appendFile(
    join(primaryData, 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nwal_level = replica\n`,
  );
  const servers: ChildProcess[] = [];
  const start = async (data: string, port: number): Promise<string> => {
    servers.push(
      spawn(program('postgres'), ['-D', data, '-p', String(port)], {
        cwd: folder,
        ...account,
        stdio: 'ignore',
      }),
    );
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    for (let tries = 0; tries < 300; tries += 1) {
      if (await query(url, 'select 1').then(Boolean, () => false)) return url;
      await pause(50);
    }
    throw new Error('PostgreSQL did not start.');
  };
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];
  const primary = await start(primaryData, primaryPort);
  const startReplica = async (data: string, port: number) => {
    await run('pg_basebackup', ['--dbname', primary, '-D', data, '-R', '-c', 'fast']);
    return start(data, port);
  };
  const replica = await startReplica(replicaData, replicaPort);
  return {
    primary,
    replica,
    onReplica: (sql) => query(replica, sql),
    async promoteAnother() {
      const promoted = await startReplica(join(folder, 'promoted'), await freePort());
      await query(promoted, 'select pg_promote()');
      return promoted;
    },
    hangReplica: () => void servers[1]!.kill('SIGSTOP'),
    resumeReplica: () => void servers[1]!.kill('SIGCONT'),
    async stop() {
      for (const server of servers.reverse()) {
        server.kill('SIGCONT');
        const ended = once(server, 'exit');
        server.kill('SIGQUIT');
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // The server may end the connection.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}
