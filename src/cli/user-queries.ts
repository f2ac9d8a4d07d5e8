/** `svc-auth user list`, `show` and `find`. */
import { UsageError, type Arguments } from './arguments.js';
import { existing, noArguments, onlyUser, userOf, type Command } from './command.js';
import { userDetails, userTable } from './format.js';

export const listCommand: Command = {
  synopsis: '[options]',
  summary: 'Lists users, newest first.',
  details: 'Every condition that is given must be met.',
  options: {
    search: { value: '<text>', help: 'The beginning of an address or a user name, or an id.' },
    within: {
      value: '<where>',
      help: 'words: the search finds its text anywhere in an address or a user name. Default: beginning.',
    },
    role: { value: '<role>', help: 'Users with this role.' },
    'external-id': { value: '<id>', help: 'The user with this external id.' },
    blocked: { help: 'Users who are blocked.' },
    'no-blocked': { help: 'Users who are not blocked.' },
    verified: { help: 'Users whose address is verified.' },
    'no-verified': { help: 'Users whose address is not verified.' },
    guest: { help: 'Guests.' },
    'no-guest': { help: 'Users who are not guests.' },
    'created-after': { value: '<date>', help: 'Users created at this time or later.' },
    'created-before': { value: '<date>', help: 'Users created before this time.' },
    sort: {
      value: '<order>',
      help: 'newest or oldest. Default: newest. A search is ordered by address or user name.',
    },
    limit: { value: '<number>', help: 'Users per page, 1 to 200. Default: 50.' },
    cursor: { value: '<cursor>', help: 'The page after this cursor, which the page before printed.' },
  },
  plan: (args, report) => {
    noArguments(args);
    const query = {
      search: args.text('search'),
      within: withinOf(args),
      role: args.text('role'),
      externalId: args.text('external-id'),
      blocked: args.choice('blocked'),
      verified: args.choice('verified'),
      guest: args.choice('guest'),
      createdAfter: args.date('created-after'),
      createdBefore: args.date('created-before'),
      sort: sortOf(args),
      limit: limitOf(args),
      cursor: args.text('cursor'),
    };
    return async ({ users }) => {
      const page = await users.list(query);
      report.print(page, page.users.length === 0 ? 'No users.' : userTable(page.users));
      if (page.nextCursor !== null) report.remark(`For the next page, add --cursor ${page.nextCursor}`);
    };
  },
};

export const showCommand: Command = {
  synopsis: '<user> [options]',
  summary: 'Shows everything about one user.',
  options: {},
  plan: (args, report) => {
    const name = onlyUser(args);
    return async (service) => {
      const user = await userOf(service, name);
      report.print(user, userDetails(user));
    };
  },
};

export const findCommand: Command = {
  synopsis: '(--email | --phone | --username | --external-id | --provider and --account) <value> [options]',
  summary: 'Finds one user by an exact property.',
  details: 'Exits 1 if there is no such user.',
  options: {
    email: { value: '<address>', help: 'The email address.' },
    phone: { value: '<number>', help: 'The phone number, such as +14155550100.' },
    username: { value: '<name>', help: 'The user name.' },
    'external-id': { value: '<id>', help: 'The id of the user in your application.' },
    provider: { value: '<name>', help: 'The identity provider, such as google, with --account.' },
    account: { value: '<id>', help: 'The id of the account at the identity provider.' },
  },
  plan: (args, report) => {
    noArguments(args);
    const lookup = lookupOf(args);
    return async ({ users }) => {
      const user = existing(await users.find(lookup));
      report.print(user, userDetails(user));
    };
  },
};

function sortOf(args: Arguments): 'newest' | 'oldest' | undefined {
  const sort = args.text('sort');
  if (sort === undefined || sort === 'newest' || sort === 'oldest') return sort;
  throw new UsageError('--sort must be newest or oldest.');
}

function withinOf(args: Arguments): 'beginning' | 'words' | undefined {
  const within = args.text('within');
  if (within === undefined || within === 'beginning' || within === 'words') return within;
  throw new UsageError('--within must be beginning or words.');
}

function limitOf(args: Arguments): number {
  const text = args.text('limit') ?? '50';
  const limit = Number(text);
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= 200) return limit;
  throw new UsageError('--limit must be a number from 1 to 200.');
}

function lookupOf(args: Arguments) {
  const [email, phone, username] = [args.text('email'), args.text('phone'), args.text('username')];
  const externalId = args.text('external-id');
  const [provider, providerAccountId] = [args.text('provider'), args.text('account')];
  const lookups = [
    ...(email === undefined ? [] : [{ email }]),
    ...(phone === undefined ? [] : [{ phone }]),
    ...(username === undefined ? [] : [{ username }]),
    ...(externalId === undefined ? [] : [{ externalId }]),
    ...(provider === undefined || providerAccountId === undefined ? [] : [{ provider, providerAccountId }]),
  ];
  const [lookup, ...rest] = lookups;
  const isHalf = (provider === undefined) !== (providerAccountId === undefined);
  if (lookup === undefined || rest.length > 0 || isHalf)
    throw new UsageError(
      'Use one of --email, --phone, --username, --external-id, or --provider with --account.',
    );
  return lookup;
}
