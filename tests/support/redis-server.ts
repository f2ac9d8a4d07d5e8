/** A private Redis on a loopback port, if the program is installed. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis as IoRedis } from 'ioredis';
import { freePort } from './free-port.js';

const program = process.env['REDIS_PATH'] ?? 'redis-server';

// Redis may be missing locally. In the merge gate, which can install it, a skipped test would look like a passed one.
const isRequired = process.env['CI_REQUIRES_REDIS'] === '1';
const isInstalled = spawnSync(program, ['--version']).status === 0;

/** `describe` if Redis is installed. Otherwise one line of the output says what was left out. */
export const describeWithRedis = isInstalled || isRequired ? describe : describe.skip;

export interface RedisServer {
  url: string;
  /** Stops the server as a crash would. Its data remain only in a saved file. */
  kill: () => Promise<void>;
  /** Starts it again on the same port. */
  start: () => Promise<void>;
  /** Suspends the process: connections stay open, and nothing responds. */
  hang: () => void;
  resume: () => void;
  /** Ends the server and removes its data. */
  stop: () => Promise<void>;
}

/** @param settings command line arguments. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...settings];
  let server: ChildProcess;
  let watchdog: ChildProcess;
  const url = `redis://127.0.0.1:${port}`;
  const start = async () => {
    server = spawn(program, args, { stdio: 'ignore' });
    watchdog = watch(server, folder);
    await responds(url);
  };
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
    watchdog.kill('SIGKILL');
  };
  await start();
  return {
    url,
    start,
    kill,
    hang: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the server when this process ends, even by SIGKILL. */
function watch(server: ChildProcess, folder: string): ChildProcess {
  const script = fileURLToPath(new URL('./postgres-watchdog.mjs', import.meta.url));
  const watchdog = spawn(process.execPath, [script, String(server.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  (watchdog.stdin as unknown as { unref(): void }).unref();
  return watchdog;
}

async function responds(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const client = new IoRedis(url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    const answer = await client.ping().catch(() => null);
    client.disconnect();
    if (answer === 'PONG') return;
    await pause(20);
  }
  throw new Error('Redis did not start.');
}
