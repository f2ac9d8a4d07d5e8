#!/usr/bin/env node
/** `npx svc-auth`: administers users, builds password filters, generates secrets, and issues licenses. */
import { readFileSync } from 'node:fs';
import { runLicense } from './cli/license.js';
import { runPages } from './cli/eject-pages.js';
import { runPasswords } from './cli/passwords.js';
import { runSecret, runUser, userSummaries } from './cli/run.js';

const help = `Usage:
${userSummaries}
      "svc-auth user <command> --help" describes a command.
  svc-auth passwords build <list> --out <file> [--min-count <number>]
      Builds a filter of common or leaked passwords (the option emailPassword.commonPasswords.file).
  svc-auth pages eject [<folder>] [--only <template>]
      Writes the templates of the pages (svc-auth/pages) into your project, to change them.
  svc-auth secret
      Prints a random secret for the option session.secret or encryptionKey.
  svc-auth license keygen [--out <folder>]
      Writes license-private.pem (keep it secret) and license-public.pem (the licensePublicKey option).
  svc-auth license issue --private-key <file> --holder <name> [--expires <date> | --days <number>]
      Prints a license key (the licenseKey option). Valid for 365 days by default.
  svc-auth license dev
      Prints a license for local development as two environment variables. Valid for 30 days.
  svc-auth --help
  svc-auth --version`;

// A reader that stops early, such as `head`, is not a failure.
process.stdout.on('error', () => process.exit());
void run(process.argv.slice(2)).then((code) => {
  // A configuration file may have opened connections or timers that would keep the process running.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
});

async function run(args: string[]): Promise<number> {
  const [command, ...rest] = args;
  const terminal = { input: process.stdin, output: process.stdout, errors: process.stderr };
  const surroundings = { terminal, env: process.env };
  if (command === 'user') return runUser(rest, surroundings);
  if (command === 'passwords') return runPasswords(rest, surroundings);
  if (command === 'pages') return runPages(rest, surroundings);
  if (command === 'secret') return runSecret(rest, surroundings);
  if (command === '--version' || command === '-v') {
    console.log(version());
    return 0;
  }
  return runLicense(args, help);
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
