/** Finds the command, runs it and turns its failure into a message and an exit code. */
import { randomToken } from '../crypto/random.js';
import { isServiceError } from '../errors/service-error.js';
import { Arguments, describeOptions, UsageError } from './arguments.js';
import { auditCommands } from './audit.js';
import { commonOptions, Report, type Command } from './command.js';
import { readEnvFile } from './env-file.js';
import { printable } from './format.js';
import { clientCommands } from './oauth-clients.js';
import { withService } from './open-service.js';
import type { Terminal } from './terminal.js';
import {
  blockCommand,
  setPasswordCommand,
  setRolesCommand,
  signOutCommand,
  unblockCommand,
} from './user-changes.js';
import { createCommand, inviteCommand } from './user-creation.js';
import { findCommand, listCommand, showCommand } from './user-queries.js';

export interface Surroundings {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
}

const userCommands: Record<string, Command> = {
  list: listCommand,
  show: showCommand,
  find: findCommand,
  create: createCommand,
  invite: inviteCommand,
  block: blockCommand,
  unblock: unblockCommand,
  'sign-out': signOutCommand,
  'set-roles': setRolesCommand,
  'set-password': setPasswordCommand,
};

const userNote = '<user> is an id, an email address, a phone number such as +14155550100, or a user name.';

const clientNote = '<client> is the id of a client.';

/** The commands on one kind of record. */
interface CommandGroup {
  name: string;
  commands: Record<string, Command>;
  /** What the first argument is. */
  subject: string;
  note: string;
}

const users: CommandGroup = { name: 'user', commands: userCommands, subject: '<user>', note: userNote };
const clients: CommandGroup = {
  name: 'oauth-clients',
  commands: clientCommands,
  subject: '<client>',
  note: clientNote,
};

const audit: CommandGroup = {
  name: 'audit',
  commands: auditCommands,
  subject: '<record>',
  note: 'The option audit must be on, so pass --config: without it, the commands know neither the option nor the secret.',
};

function summariesOf({ commands, name: group }: CommandGroup): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  return Object.entries(commands)
    .map(([name, { summary }]) => `  svc-auth ${group} ${name.padEnd(width)}  ${summary}`)
    .join('\n');
}

/** Lists the commands on users, for the help of `svc-auth`. */
export const userSummaries = summariesOf(users);
/** Lists the commands on clients of the OAuth server. */
export const clientSummaries = summariesOf(clients);

/** Lists the commands on the audit log. */
export const auditSummaries = summariesOf(audit);

function groupHelp(group: CommandGroup): string {
  return `Usage: svc-auth ${group.name} <command>

${summariesOf(group)}

${group.note}
Set DATABASE_URL (postgres://, mysql://, mariadb://, sqlite: or file:), or pass --config <file>. "svc-auth ${group.name} <command> --help" describes a command.`;
}

const secretHelp = `Usage: svc-auth secret

Prints a random secret for the option session.secret or encryptionKey: 48 bytes in base64url.`;

/** Runs `svc-auth user <args>`. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export const runUser = (args: string[], surroundings: Surroundings) => runGroup(users, args, surroundings);

/** Runs `svc-auth oauth-clients <args>`. Returns the exit code, as `runUser`. */
export const runClients = (args: string[], surroundings: Surroundings) =>
  runGroup(clients, args, surroundings);

/** Runs `svc-auth audit <args>`. Returns the exit code, as `runUser`. */
export const runAudit = (args: string[], surroundings: Surroundings) => runGroup(audit, args, surroundings);

async function runGroup(
  group: CommandGroup,
  [name = '', ...args]: string[],
  surroundings: Surroundings,
): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) return printHelp(groupHelp(group), surroundings);
  const command = Object.hasOwn(group.commands, name) ? group.commands[name] : undefined;
  return guarded(command ? `${group.name} ${name}` : group.name, surroundings, async () => {
    if (!command)
      throw new UsageError(name === '' ? 'Name a command.' : `Unknown command "${group.name} ${name}".`);
    const options = { ...command.options, ...commonOptions };
    const parsed = Arguments.parse(args, options);
    if (parsed.has('help')) return void printHelp(helpOf(group, name, command), surroundings);
    const task = command.plan(parsed, new Report(surroundings.terminal, parsed.has('json')));
    const envFile = parsed.text('env-file');
    if (envFile !== undefined) readEnvFile(envFile, surroundings.env);
    await withService(parsed.text('config'), surroundings, task, { isRecorded: command.isRecorded });
  });
}

/** Runs `svc-auth secret`. Returns the exit code. */
export async function runSecret(args: string[], surroundings: Surroundings): Promise<number> {
  return guarded('secret', surroundings, async () => {
    const parsed = Arguments.parse(args, {});
    if (parsed.has('help')) return void printHelp(secretHelp, surroundings);
    if (parsed.positionals.length > 0) throw new UsageError('This command takes no arguments.');
    surroundings.terminal.output.write(`${randomToken(48)}\n`);
  });
}

function helpOf(
  { name: group, note, subject }: CommandGroup,
  name: string,
  { synopsis, summary, details, options }: Command,
): string {
  const text = [
    `Usage: svc-auth ${group} ${name} ${synopsis}`,
    details === undefined ? summary : `${summary} ${details}`,
    `Options:\n${describeOptions({ ...options, ...commonOptions })}`,
  ];
  return [...text, ...(synopsis.startsWith(subject) ? [note] : [])].join('\n\n');
}

export function printHelp(text: string, { terminal }: Surroundings): number {
  terminal.output.write(`${text}\n`);
  return 0;
}

/** Runs a command. Returns its exit code, and prints its failure. */
export async function guarded(
  name: string,
  { terminal }: Surroundings,
  run: () => Promise<void>,
): Promise<number> {
  try {
    await run();
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const hint = isUsage ? `\nRun svc-auth ${name === '' ? '' : `${name} `}--help.` : '';
    // Messages repeat names of columns and files, which others have chosen.
    const lines = `${describe(error)}${hint}`.split('\n').map(printable);
    terminal.errors.write(`svc-auth: ${lines.join('\n')}\n`);
    return isUsage ? 2 : 1;
  }
}

/** Returns the message and the code of an error, and the cause of one that only an operator can solve. */
function describe(error: unknown): string {
  if (!(error instanceof Error) && !isServiceError(error)) return String(error);
  if (!isServiceError(error)) return error.message;
  const code = error.reason === undefined ? error.code : `${error.code}: ${error.reason}`;
  const { cause } = error;
  const isOperational = ['internal_error', 'email_send_failed'].includes(error.code);
  // The message may say it already.
  const isOpen = isOperational && cause instanceof Error && !error.message.includes(cause.message);
  const why = isOpen ? `\n  ${cause.message}` : '';
  return `${error.message} (${code})${why}`;
}
