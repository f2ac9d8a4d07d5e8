/** A terminal for the commands on users: it records what they print and types what a person would. */
import { PassThrough } from 'node:stream';
import { runClients, runUser } from '../../src/cli/run.js';
import type { LeakScan } from './leak-scan.js';

export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

export interface CommandSetup {
  url?: string;
  /** Standard input, if it is not a terminal. */
  input?: string | Buffer;
  /** What a person types, in pairs of a prompt and the answer to it. Makes the streams a terminal. */
  typed?: readonly (readonly [prompt: string, answer: string])[];
}

/** Runs `svc-auth user` in this process. */
export const runUserCommand = (args: readonly string[], setup: CommandSetup, leaks: LeakScan) =>
  runCommand(runUser, args, setup, leaks);

/** Runs `svc-auth oauth-clients` in this process. */
export const runClientCommand = (args: readonly string[], setup: CommandSetup, leaks: LeakScan) =>
  runCommand(runClients, args, setup, leaks);

async function runCommand(
  run: typeof runUser,
  args: readonly string[],
  { url, input, typed }: CommandSetup,
  leaks: LeakScan,
): Promise<CommandResult> {
  const isTTY = typed !== undefined;
  const [output, stdin, errors] = [
    new PassThrough(),
    Object.assign(new PassThrough(), { isTTY }),
    Object.assign(new PassThrough(), { isTTY }),
  ];
  const written = { out: '', err: '' };
  const answers = [...(typed ?? [])];
  let read = 0;
  output.on('data', (chunk: Buffer) => (written.out += chunk.toString()));
  errors.on('data', (chunk: Buffer) => {
    written.err += chunk.toString();
    const [prompt, answer] = answers[0] ?? [];
    if (prompt === undefined || !written.err.slice(read).includes(prompt)) return;
    read = written.err.length;
    answers.shift();
    // After the command has begun to listen.
    setImmediate(() => stdin.write(answer));
  });
  if (!isTTY) stdin.end(input ?? '');
  const terminal = { input: stdin, output, errors };
  const code = await run([...args], { terminal, env: url === undefined ? {} : { DATABASE_URL: url } });
  await new Promise((resolve) => setImmediate(resolve));
  leaks.scan('what svc-auth wrote', written);
  return { code, ...written };
}
