/** `svc-auth export`: writes every user, with hashes and secrets, to a file that `svc-auth import` reads. */
import { existsSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import type { Service } from '../engine/service.js';
import { Arguments, describeOptions, UsageError, type Options } from './arguments.js';
import { commonOptions, noArguments, Report } from './command.js';
import { readEnvFile } from './env-file.js';
import { toTable } from './format.js';
import { Counts } from './import/mapped-users.js';
import { showProgress } from './import/progress.js';
import { withService } from './open-service.js';
import { guarded, printHelp, type Surroundings } from './run.js';

export const exportSummary =
  'Exports every user, with password hashes and the secrets of authenticator apps.';

const exportOptions: Options = {
  all: { help: 'Required: the file has everything that users sign in with.' },
  file: { value: '<file>', help: 'The file to create, with lines of JSON. Only you can read it.' },
  ...commonOptions,
};

const help = `Usage: svc-auth export --all --file <file> [options]

${exportSummary}
"svc-auth import --from jsonl --file <file>" reads the file. Authenticator apps are written decrypted, and need --config
with your encryptionKey. Sessions, guests, invites and API keys of organizations are not exported.

Options:
${describeOptions(exportOptions)}`;

/** Runs `svc-auth export <args>`. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runExport(args: string[], surroundings: Surroundings): Promise<number> {
  return guarded('export', surroundings, async () => {
    const parsed = Arguments.parse(args, exportOptions);
    if (parsed.has('help')) return void printHelp(help, surroundings);
    noArguments(parsed);
    const file = parsed.text('file');
    if (file === undefined) throw new UsageError('Pass --file with the name of the file to create.');
    if (!parsed.has('all'))
      throw new UsageError('Pass --all: the file will have everything that every user signs in with.');
    if (existsSync(file)) throw new UsageError(`${file} exists. Name another file.`);
    const envFile = parsed.text('env-file');
    if (envFile !== undefined) readEnvFile(envFile, surroundings.env);
    const report = new Report(surroundings.terminal, parsed.has('json'));
    await withService(parsed.text('config'), surroundings, async (service) => {
      const counts = await exportTo(file, service, surroundings);
      report.print(outcomeOf(file, counts), textOf(file, counts));
    });
  });
}

/** Creates the file when it is complete: one that ends early would look like all users. */
async function exportTo(file: string, service: Service, { terminal }: Surroundings): Promise<Counts> {
  const part = `${file}.part`;
  const handle = await createPrivate(part);
  try {
    const counts = await writeUsers(handle, service, terminal);
    await handle.sync();
    await handle.close();
    await rename(part, file);
    return counts;
  } catch (error) {
    await handle.close();
    await rm(part, { force: true });
    throw error;
  }
}

/** @throws UsageError */
async function createPrivate(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'EEXIST'
        ? `${file} is there, from another export. Delete it if none is running.`
        : `${file} cannot be created (${code ?? 'error'}).`,
    );
  }
}

const linesAtOnce = 200;

async function writeUsers(
  handle: FileHandle,
  service: Service,
  terminal: Surroundings['terminal'],
): Promise<Counts> {
  const counts = new Counts();
  const progress = showProgress(terminal, 'Exporting', null);
  let isEnded = false;
  const end = () => (isEnded = true);
  process.once('SIGINT', end);
  try {
    let lines: string[] = [];
    const flush = async () => {
      if (lines.length > 0) await handle.appendFile(lines.join(''));
      lines = [];
      progress.update(counts.users);
    };
    for await (const user of service.users.export()) {
      if (isEnded) throw new Error('Ended. No file was written.');
      counts.add(user);
      lines.push(`${JSON.stringify(user)}\n`);
      if (lines.length >= linesAtOnce) await flush();
    }
    await flush();
  } finally {
    process.off('SIGINT', end);
    progress.end();
  }
  return counts;
}

const total = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((sum, each) => sum + each, 0);

const numbersOf = (counts: Counts) => ({
  users: counts.users,
  passwords: total(counts.hashes),
  identities: total(counts.identities),
  ...Object.fromEntries(counts.others),
});

const outcomeOf = (file: string, counts: Counts) => ({ file, ...numbersOf(counts) });

function textOf(file: string, counts: Counts): string {
  const rows = Object.entries(numbersOf(counts)).map(([name, count]) => [
    `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    count.toLocaleString('en-US'),
  ]);
  return [
    `Exported ${counts.users.toLocaleString('en-US')} users to ${file}.`,
    toTable(rows),
    'WARNING: The file has password hashes, and the secrets of authenticator apps as plain text. Only you can read it. Delete it when you no longer need it.',
  ].join('\n');
}
