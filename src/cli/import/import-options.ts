/** The options of `svc-auth import`. */
import { existsSync, statSync } from 'node:fs';
import type { ImportOptions } from '../../domain/imported-user.js';
import { closestName } from '../../errors/closest-name.js';
import { commonOptions } from '../command.js';
import { UsageError, type Arguments, type Options } from '../arguments.js';
import { readFirebaseConfig } from './firebase-config.js';
import { bcryptHasher } from '../../core/passwords/bcrypt-hasher.js';
import { firebaseHasher } from '../../core/passwords/foreign/keyed-hashers.js';
import type { PasswordHasher } from '../../core/passwords/password-hasher.js';
import { parseMap, type ColumnMap } from './column-map.js';
import { parseHashForm } from './hash-form.js';
import { sources } from './source-table.js';
import type { HashForm, Source } from './source.js';

export const importOptions: Options = {
  from: { value: '<source>', help: `One of ${Object.keys(sources).join(', ')}.` },
  database: {
    value: '<url>',
    help: 'The old database: postgres://, mysql://, mariadb://, or an SQLite file. It is only read.',
  },
  'database-env': {
    value: '<name>',
    help: 'The variable that has the URL, so that other users of the machine do not see its password.',
  },
  schema: {
    value: '<name>',
    help: 'The schema of the old tables on PostgreSQL. Default: the current one; auth for Supabase.',
  },
  file: { value: '<file>', help: 'An export: CSV, lines of JSON, or a JSON array. UTF-8.' },
  hashes: { value: '<file>', help: 'For Auth0: the file of password hashes that its support sends.' },
  map: {
    value: '<pairs>',
    help: 'Columns with other names, such as email=mail,passwordHash=pw_hash, or a JSON file of them. Default: a proposal.',
  },
  hash: {
    value: '<pairs>',
    help: 'The form of hashes that do not name it, such as format=pbkdf2,digest=sha256,iterations=310000.',
  },
  'firebase-config': {
    value: '<file>',
    help: 'For Firebase, without --config: the hash configuration of the project, as its console shows it.',
  },
  'secret-env': {
    value: '<name>',
    help: 'The variable with the secret of the old application, by which authenticator apps are encrypted. Default: BETTER_AUTH_SECRET or APP_KEY.',
  },
  'trust-addresses': { help: 'Every address counts as verified: the old system lets no one sign in before.' },
  'trust-phones': {
    help: 'Every phone number counts as verified: the old system stores none without a code that was sent to it.',
  },
  'any-username': { help: 'Keep user names that a sign-up would refuse.' },
  'external-id-prefix': {
    value: '<text>',
    help: 'Stands before the external ids, such as shop: for shop:7, if another system with the same ids was imported.',
  },
  'update-passwords': {
    help: 'Bring passwords that were changed in the old system since the last import, unless the user has signed in with one here.',
  },
  'on-conflict': {
    value: '<action>',
    help: 'If an address, name or identity belongs to another account: fail (default), skip or merge.',
  },
  'batch-size': { value: '<number>', help: 'Users in one transaction: 1 to 5000. Default: 500.' },
  limit: { value: '<number>', help: 'Import only the first users, to try it.' },
  report: { value: '<file>', help: 'Writes every fault to a file that ends with .csv or .jsonl.' },
  'dry-run': { help: 'Show what would be done, and change nothing.' },
  yes: { help: 'Do not ask for confirmation.' },
  ...commonOptions,
};

export interface ImportChoice {
  source: Source;
  database: string | undefined;
  schema: string | undefined;
  file: string | undefined;
  hashes: string | undefined;
  map: ColumnMap | null;
  hashForm: HashForm | null;
  secret: string | null;
  /** For a service without a configuration file. */
  hasher: PasswordHasher | undefined;
  limit: number;
  report: string | undefined;
  isDryRun: boolean;
  engine: Pick<
    ImportOptions,
    | 'anyUsername'
    | 'batchSize'
    | 'emailVerified'
    | 'externalIdPrefix'
    | 'onConflict'
    | 'phoneVerified'
    | 'updatePasswords'
  >;
}

/** @throws UsageError */
export function readImportOptions(args: Arguments, env: NodeJS.ProcessEnv): ImportChoice {
  // Not repeated in the message: it may be a URL with a password.
  if (args.positionals.length > 0) throw new UsageError('This command takes only options.');
  const source = sourceNamed(args.text('from'));
  const database = databaseOf(args, env);
  const file = args.text('file');
  mustHaveInput(source, database, file);
  const hashes = args.text('hashes');
  if (hashes !== undefined && source !== sources['auth0'])
    throw new UsageError('--hashes is for --from auth0 only.');
  const report = args.text('report');
  mustNotOverwrite(report, [file, database, hashes]);
  const [map, hash] = [args.text('map'), args.text('hash')];
  const batchSize = numberOf(args, 'batch-size', 1, 5000);
  const externalIdPrefix = args.text('external-id-prefix');
  return {
    source,
    database,
    schema: args.text('schema'),
    file,
    hashes,
    map: map === undefined ? null : parseMap(map),
    hashForm: hash === undefined ? null : parseHashForm(hash),
    secret: variable(args, 'secret-env', env) ?? usualSecret(source, env),
    hasher: hasherOf(source, args),
    limit: numberOf(args, 'limit', 0, Number.MAX_SAFE_INTEGER) ?? Number.POSITIVE_INFINITY,
    report,
    isDryRun: args.has('dry-run'),
    engine: {
      onConflict: actionOf(args.text('on-conflict')),
      ...(args.has('trust-addresses') && { emailVerified: 'trust-all' }),
      ...(args.has('trust-phones') && { phoneVerified: 'trust-all' }),
      ...(args.has('any-username') && { anyUsername: true }),
      ...(args.has('update-passwords') && { updatePasswords: true }),
      ...(externalIdPrefix !== undefined && { externalIdPrefix }),
      ...(batchSize !== undefined && { batchSize }),
    },
  };
}

function sourceNamed(name: string | undefined): Source {
  const source = name !== undefined && Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (source) return source;
  const known = Object.keys(sources);
  const suggestion = name === undefined ? undefined : closestName(name, known);
  throw new UsageError(
    suggestion === undefined
      ? `Pass --from with one of ${known.join(', ')}.`
      : `--from: did you mean ${suggestion}?`,
  );
}

function databaseOf(args: Arguments, env: NodeJS.ProcessEnv): string | undefined {
  const url = args.text('database');
  if (url !== undefined && args.text('database-env') !== undefined)
    throw new UsageError('Use --database or --database-env, not both.');
  return url ?? variable(args, 'database-env', env);
}

function hasherOf(source: Source, args: Arguments): PasswordHasher | undefined {
  const file = args.text('firebase-config');
  if (file === undefined) return undefined;
  if (source !== sources['firebase']) throw new UsageError('--firebase-config is for --from firebase only.');
  if (args.text('config') !== undefined)
    throw new UsageError(
      'With --config, configure firebaseHasher in the file, and leave out --firebase-config.',
    );
  return bcryptHasher({ previous: firebaseHasher(readFirebaseConfig(file)) });
}

const usualSecret = ({ secret }: Source, env: NodeJS.ProcessEnv) => (secret && env[secret.variable]) || null;

/** Returns the value of the variable that an option names. @throws UsageError if it is not set. */
function variable(args: Arguments, option: string, env: NodeJS.ProcessEnv): string | undefined {
  const name = args.text(option);
  if (name === undefined) return undefined;
  const value = env[name];
  // Not repeated: the secret itself may have been passed by mistake.
  if (!value) throw new UsageError(`--${option} must be the name of a variable that is set.`);
  return value;
}

/** @throws UsageError if the report would replace a file that the import reads. */
function mustNotOverwrite(report: string | undefined, inputs: readonly (string | undefined)[]): void {
  const idOf = (path: string) => {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found && `${found.dev} ${found.ino}`;
  };
  const own = report === undefined ? undefined : idOf(report);
  if (own === undefined) return;
  if (inputs.some((input) => input !== undefined && existsSync(input) && idOf(input) === own))
    throw new UsageError('--report must be another file than those that are read.');
}

function mustHaveInput(
  { file: files, tables, title }: Source,
  database: string | undefined,
  file: string | undefined,
): void {
  if (database !== undefined && file !== undefined)
    throw new UsageError('Use --database or --file, not both.');
  // Not repeated in a message that the file is missing: it may contain a password.
  if (file !== undefined && /^[a-z][a-z\d+.-]+:\/\//i.test(file))
    throw new UsageError('--file must be a file. Pass the URL of a database with --database.');
  if (database === undefined && file === undefined)
    throw new UsageError(
      tables === undefined
        ? `Pass --file: ${files ?? ''}.`
        : files === undefined
          ? `Pass --database with the database of ${title}.`
          : 'Pass --database or --file.',
    );
  if (database !== undefined && tables === undefined)
    throw new UsageError(`${title} is read from a file. Pass --file: ${files ?? ''}.`);
  if (file !== undefined && files === undefined)
    throw new UsageError(
      `${title} is read from its database. Pass --database, or --from csv or jsonl with --map for an export.`,
    );
}

function actionOf(text = 'fail'): 'fail' | 'skip' | 'merge' {
  if (text === 'fail' || text === 'skip' || text === 'merge') return text;
  throw new UsageError('--on-conflict must be fail, skip or merge.');
}

function numberOf(args: Arguments, name: string, min: number, max: number): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(
    `--${name} must be a whole number${max < Number.MAX_SAFE_INTEGER ? ` from ${min} to ${max}` : ''}.`,
  );
}
