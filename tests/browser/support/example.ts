/** The example application on a free port, with its own data folder, as `npm start` runs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Message, Site } from './site.js';
import { failOnLeaks } from '../../support/leak-scan.js';
import { waitForExit, watchOutput } from '../../support/watched-process.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** @param env of the process: `FRESH_SECONDS`, for example. */
export async function startExample(env: Record<string, string> = {}): Promise<Site> {
  const port = await freePort();
  const data = await mkdtemp(path.join(tmpdir(), 'svc-auth-example-'));
  const own = { PORT: String(port), DATA: data, NODE_ENV: 'development', ...env };
  const example = spawn(process.execPath, ['--import', 'tsx', 'example-app/server.ts'], {
    cwd: root,
    // SQLite, whatever database the shell has.
    env: { ...process.env, DATABASE_URL: '', ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  watchOutput(example, 'the example');
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready:')) resolve();
    };
    example.stdout.on('data', onData);
    example.stderr.on('data', onData);
    example.once('exit', () => reject(new Error(`The example ended:\n${output}`)));
    example.once('error', reject);
  });
  const origin = `http://localhost:${port}`;
  return {
    origin,
    messages: async () => (await (await fetch(`${origin}/inbox.json`)).json()) as Message[],
    async stop() {
      if (example.exitCode === null && example.signalCode === null) {
        const ended = once(example, 'exit');
        example.kill('SIGTERM');
        const patience = setTimeout(() => example.kill('SIGKILL'), 8_000);
        await ended;
        clearTimeout(patience);
      }
      await waitForExit(example);
      await rm(data, { recursive: true, force: true });
      // What the example had to complain of is what a failed test wants to know.
      if (process.env['EXAMPLE_LOG']) console.log(output);
      failOnLeaks();
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
