/** `svc-auth user create` and `invite`. */
import { UsageError, type Arguments, type Options } from './arguments.js';
import { bySystem, noArguments, type Command } from './command.js';
import { formatTime, nameOf } from './format.js';
import { readNewPassword } from './terminal.js';

const newUserOptions: Options = {
  role: { value: '<role>', multiple: true, help: 'A role of the user. Repeat it for several roles.' },
  metadata: { value: '<json>', help: 'The metadata of the user, as a JSON object.' },
};

export const createCommand: Command = {
  isRecorded: true,
  synopsis: '--email <address> [options]',
  summary: 'Creates a user.',
  details: 'The password is never an argument: other users of the machine could read it.',
  options: {
    email: { value: '<address>', help: 'The email address.' },
    verified: { help: 'The address counts as verified.' },
    username: { value: '<name>', help: 'The user name. Required without --email.' },
    'external-id': { value: '<id>', help: 'The id of the user in your application.' },
    password: { help: 'Ask for a password, or read it from standard input.' },
    ...newUserOptions,
  },
  plan: (args, report) => {
    noArguments(args);
    const [email, username] = [args.text('email'), args.text('username')];
    if (email === undefined && username === undefined) throw new UsageError('Pass --email or --username.');
    const input = {
      email,
      username,
      externalId: args.text('external-id'),
      emailVerified: args.has('verified'),
      roles: args.list('role'),
      metadata: metadataOf(args),
    };
    return async ({ users }) => {
      const password = args.has('password') ? await readNewPassword(report.terminal) : undefined;
      const user = await users.create({ ...input, password }, bySystem);
      report.print(user, `Created ${nameOf(user)}.`);
    };
  },
};

export const inviteCommand: Command = {
  isRecorded: true,
  synopsis: '<address> --config <file> [options]',
  summary: 'Creates a user and mails a link to sign up.',
  details: 'A user who has not verified the address yet gets another link, and keeps roles and metadata.',
  options: {
    ...newUserOptions,
    'redirect-to': { value: '<url>', help: 'The target of the link. Its origin must be allowed.' },
  },
  plan: (args, report) => {
    const [email, ...rest] = args.positionals;
    if (email === undefined || rest.length > 0) throw new UsageError('Name one address to invite.');
    if (args.text('config') === undefined)
      throw new UsageError(
        'An invite is a mail. Pass --config <file> with a configuration that has a sender.',
      );
    const input = {
      email,
      roles: args.list('role'),
      metadata: metadataOf(args),
      redirectTo: args.text('redirect-to'),
    };
    return async ({ users }) => {
      const invite = await users.invite(input, bySystem);
      const again = invite.created ? '' : ' again';
      const until = `${formatTime(invite.expiresAt)} UTC`;
      report.print(invite, `Invited ${nameOf(invite.user)}${again}. The link is valid until ${until}.`);
    };
  },
};

function metadataOf(args: Arguments): Record<string, unknown> | undefined {
  const text = args.text('metadata');
  if (text === undefined) return undefined;
  try {
    // The service refuses everything but an object.
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new UsageError('--metadata must be JSON.');
  }
}
