/** Runs the commands that a guide shows, in the folder of their application. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LeakScan } from '../../support/leak-scan.js';
import { querySql } from '../../support/postgres.js';
import { apps } from './application.js';

const bin = path.resolve(import.meta.dirname, 'bin');

/**
 * Runs a script such as `passport/move-bcrypt.sh` with `sh`, and fails if one of its commands does.
 * @returns everything that it has written.
 */
export async function runCommands(
  script: string,
  env: Readonly<Record<string, string>>,
  leaks = new LeakScan(),
): Promise<string> {
  const child = spawn('sh', ['-e', path.basename(script)], {
    cwd: apps(path.dirname(script)),
    env: { ...process.env, ...env, PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void output.push(chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const text = output.join('');
  leaks.scan(`what ${script} wrote`, text);
  if (code !== 0) throw new Error(`${script} has failed:\n${text}`);
  return text;
}

/** Runs a file of SQL that a guide shows, such as `passport/rollback-bcrypt.sql`. */
export async function runSql(databaseUrl: string, file: string): Promise<void> {
  await querySql(databaseUrl, readFileSync(apps(file), 'utf8'));
}
