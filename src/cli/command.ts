/** What every command on users and clients consists of, and the options that they share. */
import type { UserRecord } from '../domain/user-record.js';
import { isUuid } from '../domain/uuid.js';
import type { Service } from '../engine/service.js';
import { UserNotFoundError } from '../errors/catalog.js';
import { UsageError, type Arguments, type Options } from './arguments.js';
import { nameOf, toJson } from './format.js';
import { confirm, isInteractive, type Terminal } from './terminal.js';

export interface Command {
  /** What follows the name of the command. */
  synopsis: string;
  summary: string;
  /** More sentences for the help of the command. */
  details?: string;
  options: Options;
  /** Whether it makes a change that an audit log records: then an audited database needs --config. Default: no. */
  isRecorded?: true;
  /** Checks the arguments and returns the work. @throws UsageError before a service is opened. */
  plan: (args: Arguments, report: Report) => (service: Service) => Promise<void>;
}

/** Every change names the operator as the system. */
export const bySystem = { actor: { type: 'system' } } as const;

export const commonOptions: Options = {
  config: {
    value: '<file>',
    help: 'A module, also in TypeScript, that exports your Service or its configuration. Default: DATABASE_URL.',
  },
  'env-file': { value: '<file>', help: 'Sets variables that are not set yet, from a file such as .env.' },
  json: { help: 'Print JSON.' },
};

export const yesOption: Options = { yes: { help: 'Do not ask for confirmation.' } };

/** Prints the result of a command. */
export class Report {
  constructor(
    readonly terminal: Terminal,
    private readonly json: boolean,
  ) {}

  /** Prints `value` as JSON, or `text` for a person. */
  print(value: unknown, text: string): void {
    this.terminal.output.write(`${this.json ? toJson(value) : text}\n`);
  }

  /** As `print`, with the JSON on one line. */
  line(value: unknown, text: string): void {
    this.terminal.output.write(`${this.json ? JSON.stringify(value) : text}\n`);
  }

  /** Prints a remark for a person. */
  remark(text: string): void {
    if (!this.json) this.terminal.errors.write(`${text}\n`);
  }
}

/** @throws UsageError unless there is exactly one argument. */
export function onlyUser({ positionals }: Arguments): string {
  const [user, ...rest] = positionals;
  if (user === undefined) throw new UsageError('Name a user: an id, address, phone number or user name.');
  // Not repeated in the message: it may be a password.
  if (rest.length > 0) throw new UsageError('There are too many arguments. Name one user.');
  return user;
}

/** @throws UsageError if there is an argument without an option. */
export function noArguments({ positionals }: Arguments): void {
  if (positionals.length > 0) throw new UsageError('This command takes only options.');
}

/**
 * Returns the user with this id, address, phone number or user name. The forms exclude each other: a user name contains no "@", does not
 * start with "+", and does not have the form of an id.
 * @throws UserNotFoundError, InvalidRequestError
 */
export async function userOf({ users }: Service, name: string): Promise<UserRecord> {
  if (isUuid(name.toLowerCase())) return users.get(name.toLowerCase());
  const lookup = name.includes('@')
    ? { email: name }
    : name.startsWith('+')
      ? { phone: name }
      : { username: name };
  return existing(await users.find(lookup));
}

/** @throws UserNotFoundError */
export function existing(user: UserRecord | null): UserRecord {
  if (!user) throw new UserNotFoundError();
  return user;
}

/**
 * Returns a function that asks before a change which ends sessions.
 * @throws UsageError if no one can be asked and `--yes` is missing.
 */
export function confirmation(
  args: Arguments,
  report: Report,
): (user: UserRecord, question: (name: string) => string) => Promise<void> {
  const confirmed = asking(args, report);
  return (user, question) => confirmed(question(nameOf(user)));
}

/** As `confirmation`, for any question. @throws UsageError if no one can be asked and `--yes` is missing. */
export function asking(args: Arguments, { terminal }: Report): (question: string) => Promise<void> {
  if (args.has('yes')) return async () => undefined;
  if (!isInteractive(terminal))
    throw new UsageError('There is no terminal to ask for confirmation. Pass --yes to go ahead without it.');
  return (question) => confirm(terminal, question);
}
