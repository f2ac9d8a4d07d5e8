/** Runs the command `svc-auth` in a process, and searches its whole output for secrets after it has ended. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { LeakScan } from './leak-scan.js';

const repository = path.resolve(import.meta.dirname, '../..');

export interface CommandOutput {
  code: number | null;
  out: string;
  err: string;
}

interface CommandOptions {
  folder: string;
  env?: NodeJS.ProcessEnv;
  /** Standard input. Default: none. */
  input?: string;
  leaks?: LeakScan;
}

export function runCommandLine(
  args: readonly string[],
  { folder, env = process.env, input = '', leaks = new LeakScan() }: CommandOptions,
): Promise<CommandOutput> {
  const started = [
    '--import',
    path.join(repository, 'node_modules/tsx/dist/loader.mjs'),
    path.join(repository, 'src/cli.ts'),
    ...args,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, started, { cwd: folder, env, stdio: 'pipe' });
    const output: CommandOutput = { code: null, out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
    // A command that reads no input may end before it is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (code) => {
      leaks.scan('what svc-auth wrote', output);
      resolve({ ...output, code });
    });
  });
}
