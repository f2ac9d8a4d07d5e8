#!/usr/bin/env node
/**
 * `npx svc-auth`: administers users and clients, imports and exports users, changes the schema, purges, rotates keys, looks for mistakes, builds password filters, generates secrets,
 * and prints or issues licenses.
 */
import { runDoctor } from './cli/doctor.js';
import { exportSummary, runExport } from './cli/export.js';
import { grantsSummary, runGrants } from './cli/grants.js';
import { importSummary, runImport } from './cli/import/import-command.js';
import { lockdownSummary, runLockdown } from './cli/lockdown.js';
import { runLicense } from './cli/license.js';
import { migrateSummary, runMigrate } from './cli/migrate.js';
import { runPages } from './cli/eject-pages.js';
import { runPasswords } from './cli/passwords.js';
import { purgeSummary, runPurge } from './cli/purge.js';
import { rotateKeySummary, runRotateKey } from './cli/rotate-key.js';
import {
  clientSummaries,
  guarded,
  printHelp,
  runClients,
  runSecret,
  runUser,
  userSummaries,
} from './cli/run.js';
import { UsageError } from './cli/arguments.js';
import { packageVersion } from './cli/package-files.js';

const help = `Usage:
${userSummaries}
      "svc-auth user <command> --help" describes a command.
${clientSummaries}
      "svc-auth oauth-clients <command> --help" describes a command.
  svc-auth import --from <source> (--database <url> | --file <file>)
      ${importSummary}
  svc-auth export --all --file <file>
      ${exportSummary}
  svc-auth migrate status | plan | up
      ${migrateSummary}
  svc-auth grants [--role <role>] [--app-role <role>] [--app-owner <role>]
      ${grantsSummary}
  svc-auth purge [--limit <number>]
      ${purgeSummary}
  svc-auth rotate-key --config <file>
      ${rotateKeySummary}
  svc-auth lockdown [--org <org> | --user <user>] [--yes]
      ${lockdownSummary}
  svc-auth doctor --config <file> [--json]
      Looks for mistakes in the configuration, the application, the database and the senders. Changes nothing.
  svc-auth passwords build <list> --out <file> [--min-count <number>]
      Builds a filter of common or leaked passwords (the option emailPassword.commonPasswords.file).
  svc-auth pages eject [<folder>] [--only <template>]
      Writes the templates of the pages (svc-auth/pages) into your project, to change them.
  svc-auth secret
      Prints a random secret for the option session.secret or encryptionKey.
  svc-auth license community | keygen | issue
      Prints the community license, which unlocks every feature, or issues licenses.
  svc-auth --help
  svc-auth --version`;

// A reader that stops early, such as `head`, is not a failure.
process.stdout.on('error', () => process.exit());
void run(process.argv.slice(2)).then((code) => {
  // A configuration file may have opened connections or timers that would keep the process running.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
});

/** Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
async function run([command = '--help', ...rest]: string[]): Promise<number> {
  const terminal = { input: process.stdin, output: process.stdout, errors: process.stderr };
  const surroundings = { terminal, env: process.env };
  if (command === 'user') return runUser(rest, surroundings);
  if (command === 'oauth-clients') return runClients(rest, surroundings);
  if (command === 'export') return runExport(rest, surroundings);
  if (command === 'import') return runImport(rest, surroundings);
  if (command === 'migrate') return runMigrate(rest, surroundings);
  if (command === 'grants') return runGrants(rest, surroundings);
  if (command === 'purge') return runPurge(rest, surroundings);
  if (command === 'rotate-key') return runRotateKey(rest, surroundings);
  if (command === 'lockdown') return runLockdown(rest, surroundings);
  if (command === 'doctor') return runDoctor(rest, surroundings);
  if (command === 'passwords') return runPasswords(rest, surroundings);
  if (command === 'pages') return runPages(rest, surroundings);
  if (command === 'secret') return runSecret(rest, surroundings);
  if (command === 'license') return runLicense(rest, surroundings);
  if (command === '--version' || command === '-v') {
    console.log(packageVersion());
    return 0;
  }
  if (['--help', '-h', 'help'].includes(command)) return printHelp(help, surroundings);
  return guarded('', surroundings, async () => {
    throw new UsageError(`Unknown ${command.startsWith('-') ? 'option' : 'command'} "${command}".`);
  });
}
