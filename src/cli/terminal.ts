/** What a command reads from a person or a script: confirmations and passwords. Prompts go to standard error. */
import { createInterface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { UsageError } from './arguments.js';

export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Writable;
  errors: Writable & { isTTY?: boolean };
}

/** The person at the terminal did not confirm. Exit code 1. */
export class CanceledError extends Error {
  constructor() {
    super('Canceled. Nothing was changed.');
  }
}

const maxInputBytes = 64 * 1024;

/** Returns whether a person can read prompts and answer them. */
export function isInteractive({ input, errors }: Terminal): boolean {
  return input.isTTY === true && errors.isTTY === true;
}

/** @throws CanceledError unless the answer is yes. */
export async function confirm(terminal: Terminal, question: string): Promise<void> {
  const answer = await ask(terminal, `${question} [y/N] `, { echo: true });
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CanceledError();
}

/**
 * Reads a new password: from a person twice, without echo, otherwise one line of standard input.
 * @throws UsageError if there is none; CanceledError.
 */
export async function readNewPassword(terminal: Terminal): Promise<string> {
  if (!isInteractive(terminal)) return readLine(terminal.input);
  const password = await ask(terminal, 'New password: ', { echo: false });
  if ((await ask(terminal, 'Repeat the password: ', { echo: false })) !== password)
    throw new UsageError('The passwords are not the same.');
  return password;
}

function ask({ input, errors }: Terminal, question: string, { echo }: { echo: boolean }): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  // In terminal mode, readline turns off the echo of the terminal and writes what is typed itself.
  const lines = createInterface({ input, output: echo ? errors : silence, terminal: true, historySize: 0 });
  return new Promise<string>((resolve, reject) => {
    // Ctrl-C and Ctrl-D close the interface.
    lines.once('close', () => {
      if (!echo) errors.write('\n');
      reject(new CanceledError());
    });
    if (!echo) errors.write(question);
    lines.question(echo ? question : '', (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

async function readLine(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const part = Buffer.from(chunk as Buffer | string);
    bytes += part.length;
    if (bytes > maxInputBytes) throw new UsageError('The password on standard input is too long.');
    chunks.push(part);
  }
  const line = decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  if (line === '') throw new UsageError('There is no password on standard input.');
  // A password file with several lines is more likely a mistake than a password with a line break.
  if (/[\r\n]/.test(line)) throw new UsageError('The password on standard input must be one line.');
  return line;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError('The password on standard input must be UTF-8.');
  }
}
