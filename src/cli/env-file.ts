/** Reads the variables of a file, as `node --env-file` does. */
import { readFileSync } from 'node:fs';
import * as util from 'node:util';
import { UsageError } from './arguments.js';

/** Adds the variables of a file to `env`, except those that are set. @throws UsageError if the file cannot be read. */
export function readEnvFile(file: string, env: NodeJS.ProcessEnv): void {
  // Since Node.js 20.12.
  const { parseEnv } = util as Partial<typeof util>;
  if (!parseEnv) throw new UsageError('--env-file requires Node.js 20.12 or later.');
  for (const [name, value] of Object.entries(parseEnv(readText(file)))) env[name] ??= value;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`Cannot read the file ${file} of --env-file.`);
  }
}
