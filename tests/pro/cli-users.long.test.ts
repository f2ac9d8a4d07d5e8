// `svc-auth user` on PostgreSQL. Configuration files and the process itself: cli-configuration.long.test.ts.
import { bcryptHasher, knexAdapter, type UserRecord } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { LeakScan } from '../support/leak-scan.js';
import { makeService, type TestService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';
import { runUserCommand, type CommandSetup } from '../support/command-terminal.js';

const leaks = new LeakScan();
let database: TestDatabase;
/** The application, another process on the same database. */
let app: TestService;
beforeAll(async () => {
  database = await createMigratedDatabase();
  app = await makeService({
    adapter: knexAdapter({ client: 'pg', connection: database.url, pool: { min: 0, max: 4 } }),
    clock: testClock(Date.now()),
    providers: { emailPassword: { hasher: bcryptHasher() } },
  });
});
afterAll(async () => {
  await app.service.close();
  await database.drop();
});

const run = (args: string[], setup: CommandSetup = {}) =>
  runUserCommand(args, { url: database.url, ...setup }, leaks);

async function json(args: string[], setup?: CommandSetup): Promise<UserRecord> {
  const { code, out, err } = await run([...args, '--json'], setup);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as UserRecord;
}

let count = 0;
const uniqueEmail = () => `user${++count}@example.com`;
function makeUser(input = {}): Promise<UserRecord> {
  // Lists are in the order of creation.
  app.clock.advance(1);
  return app.service.users.create({ email: uniqueEmail(), ...input });
}
const storedUser = (id: string) => app.service.users.get(id);
const knownPassword = (password: string) => {
  leaks.learnPhrase('a password', password);
  return password;
};
/** Signs in with the password, and returns a token that ends with the sessions of the user. */
async function tokenOf({ email, id }: UserRecord, password: string): Promise<string> {
  await app.service.emailPassword.login({ email: email!, password });
  return app.service.createSessionToken(id).token;
}

describe('svc-auth user create', () => {
  it('creates a user with the given address, user name, roles and metadata', async () => {
    const email = uniqueEmail();
    const options = ['--role', 'support', '--role', 'admin', '--metadata', '{"plan":"pro"}'];
    const { code, out, err } = await run(['create', '--email', email, '--username', 'Grace', ...options]);
    const user = await app.service.users.find({ email });
    expect({ code, out, err }).toEqual({ code: 0, out: `Created ${email} (${user!.id}).\n`, err: '' });
    expect(user).toMatchObject({ username: 'Grace', roles: ['admin', 'support'], metadata: { plan: 'pro' } });
    expect(user).toMatchObject({ emailVerified: false, hasPassword: false });
  });

  it('prints the stored user with --json', async () => {
    const user = await json(['create', '--email', uniqueEmail(), '--verified']);
    expect(user.emailVerified).toBe(true);
    expect(user).toEqual(JSON.parse(JSON.stringify(await storedUser(user.id))));
  });

  it.each(['\n', '\r\n', ''])('sets the password that standard input ends with %j', async (end) => {
    const password = knownPassword('battery staple 1');
    const input = `${password}${end}`;
    const user = await json(['create', '--email', uniqueEmail(), '--verified', '--password'], { input });
    expect(await outcomeOf(() => tokenOf(user, password))).toBe('ok');
  });
});

describe('svc-auth user show, find and list', () => {
  it('show accepts an id, an address, a phone number and a user name, without regard to case', async () => {
    const user = await makeUser({ username: 'Hopper', externalId: 4711 });
    const phone = '+14155550123';
    const identity = {
      id: '01890a5d-ac96-774b-bcce-b302099a8057',
      userId: user.id,
      provider: 'phone',
      providerAccountId: phone,
      createdAt: new Date(),
    };
    expect(await app.adapter.identities.link(identity, 0)).toBe(true);
    for (const name of [user.id, user.id.toUpperCase(), user.email!.toUpperCase(), phone, 'hopper'])
      expect((await json(['show', name])).id).toBe(user.id);
    for (const option of [
      ['--email', user.email!],
      ['--phone', phone],
      ['--username', 'HOPPER'],
      ['--external-id', '4711'],
      ['--provider', 'phone', '--account', phone],
    ])
      expect((await json(['find', ...option])).id).toBe(user.id);
  });

  it('show prints one aligned line per property', async () => {
    const { id, email } = await makeUser({ roles: ['support'], metadata: { plan: 'pro' } });
    await app.service.users.block(id, { reason: 'Spam', until: new Date('2099-01-01') });
    const { out } = await run(['show', email!]);
    const lines = out.split('\n');
    expect(lines).toContain(`Id             ${id}`);
    expect(lines).toContain(`Address        ${email}`);
    expect(lines).toContain('Reason         Spam');
    expect(lines).toContain('Metadata       {"plan":"pro"}');
    expect(out).toMatch(/^Blocked {8}since \d{4}-\d\d-\d\d \d\d:\d\d UTC, until 2099-01-01 00:00 UTC$/m);
  });

  it('escapes characters that would control the terminal, as text and as JSON', async () => {
    const { id } = await makeUser({ metadata: { name: 'A\u009b31m\u202e' } });
    await app.service.users.block(id, { reason: 'x\u001b[2J\ny' });
    for (const options of [[], ['--json']]) {
      const { out } = await run(['show', id, ...options]);
      expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(out).toContain('\\u009b31m\\u202e');
    }
    expect((await json(['show', id])).blocked!.reason).toBe('x\u001b[2J\ny');
  });

  it('list prints a table with aligned columns, wide characters included', async () => {
    await makeUser({ username: '山田', roles: ['wide'] });
    await makeUser({ username: 'lovelace', roles: ['wide'], emailVerified: true });
    const { out, err } = await run(['list', '--role', 'wide']);
    const [header, first, second, ...rest] = out.split('\n');
    expect([err, rest]).toEqual(['', ['']]);
    expect(header).toMatch(/^ID +ADDRESS +USER NAME +ROLES +STATUS +CREATED \(UTC\) +LAST SIGN-IN \(UTC\)$/);
    expect(first).toMatch(/ lovelace {3}wide {3}active /);
    expect(second).toMatch(/ 山田 {7}wide {3}unverified /);
    expect(first!.indexOf('wide')).toBe(header!.indexOf('ROLES'));
    // The two characters fill four columns.
    expect(second!.indexOf('wide')).toBe(header!.indexOf('ROLES') - 2);
  });

  it('list returns pages, in the given order, of the users who match every condition', async () => {
    const role = ['--role', 'pages'];
    const first = await makeUser({ roles: ['pages'], emailVerified: true });
    const second = await makeUser({ roles: ['pages'] });
    await app.service.users.block(second.id);
    const idsOf = async (...options: string[]) => {
      const { out } = await run(['list', ...role, ...options, '--json']);
      return (JSON.parse(out) as { users: UserRecord[] }).users.map(({ id }) => id);
    };
    expect(await idsOf()).toEqual([second.id, first.id]);
    expect(await idsOf('--sort', 'oldest')).toEqual([first.id, second.id]);
    expect(await idsOf('--blocked')).toEqual([second.id]);
    expect(await idsOf('--no-blocked')).toEqual([first.id]);
    expect(await idsOf('--verified')).toEqual([first.id]);
    expect(await idsOf('--no-verified', '--no-guest')).toEqual([second.id]);
    expect(await idsOf('--guest')).toEqual([]);
    expect(await idsOf('--search', first.email!)).toEqual([first.id]);
    expect(await idsOf('--search', first.email!.slice(1), '--within', 'words')).toEqual([first.id]);
    expect((await run(['list', '--within', 'names'])).err).toContain('--within must be');
    expect(await idsOf('--created-after', '2099-01-01')).toEqual([]);
    expect(await idsOf('--created-before', '2099-01-01T00:00:00Z')).toHaveLength(2);
    const page = await run(['list', ...role, '--limit', '1']);
    const [, cursor] = /^For the next page, add --cursor (\S+)\n$/.exec(page.err)!;
    expect(await idsOf('--limit', '1', '--cursor', cursor!)).toEqual([first.id]);
    expect((await run(['list', '--role', 'nothing'])).out).toBe('No users.\n');
  });
});

describe('svc-auth user block, unblock, sign-out, set-roles and set-password', () => {
  const oldPassword = knownPassword('correct horse 2');
  const signedIn = async () => {
    const user = await makeUser({ emailVerified: true, password: oldPassword });
    const token = await tokenOf(user, oldPassword);
    return { ...user, session: () => outcomeOf(() => app.service.getSessionUser(token)) };
  };

  it('block ends the sessions in the running application until unblock', async () => {
    const { id, email, session } = await signedIn();
    expect(await session()).toBe('ok');
    const options = ['--reason', 'spam', '--until', '2099-01-01', '--yes'];
    const { code, out, err } = await run(['block', email!, ...options]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`Blocked ${email} (${id}) until 2099-01-01 00:00 UTC.\n`);
    expect((await storedUser(id)).blocked).toMatchObject({
      reason: 'spam',
      until: new Date('2099-01-01T00:00:00Z'),
    });
    expect(await session()).toBe('token_invalid');
    expect((await run(['unblock', email!])).out).toBe(`${email} (${id}) is not blocked.\n`);
    expect((await storedUser(id)).blocked).toBeNull();
  });

  it('sign-out ends every session', async () => {
    const { id, email, session } = await signedIn();
    expect((await run(['sign-out', id, '--yes'])).out).toBe(`Signed ${email} (${id}) out everywhere.\n`);
    expect(await session()).toBe('token_invalid');
  });

  it('set-roles replaces the roles, and --none removes them', async () => {
    const { id, email } = await makeUser({ roles: ['old'] });
    const { out } = await run(['set-roles', email!, 'support', 'billing']);
    expect(out).toBe(`Roles of ${email} (${id}): billing, support.\n`);
    expect((await storedUser(id)).roles).toEqual(['billing', 'support']);
    expect((await json(['set-roles', id, '--none'])).roles).toEqual([]);
  });

  it('set-password sets the password from standard input and ends every session', async () => {
    const { session, ...user } = await signedIn();
    const password = knownPassword('another staple 3');
    const { out } = await run(['set-password', user.email!, '--yes'], { input: `${password}\n` });
    expect(out).toBe(`Set the password of ${user.email} (${user.id}).\n`);
    expect(await session()).toBe('token_invalid');
    expect(await outcomeOf(() => tokenOf(user, oldPassword))).toBe('invalid_credentials');
    expect(await outcomeOf(() => tokenOf(user, password))).toBe('ok');
  });

  it.each(['block', 'sign-out', 'set-password'])(
    '%s exits 2 and changes nothing without a terminal and without --yes',
    async (command) => {
      const { id, updatedAt, session } = await signedIn();
      const { code, out, err } = await run([command, id], { input: 'another staple 4\n' });
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain('--yes');
      expect(await session()).toBe('ok');
      expect((await storedUser(id)).updatedAt).toEqual(updatedAt);
    },
  );

  it.each([
    ['y\n', 0, 'token_invalid'],
    ['YES\n', 0, 'token_invalid'],
    ['n\n', 1, 'ok'],
    ['\n', 1, 'ok'],
    ['\u0003', 1, 'ok'],
    ['\u0004', 1, 'ok'],
  ])('sign-out asks on a terminal, and the answer %j leads to exit code %i', async (answer, code, state) => {
    const { id, email, session } = await signedIn();
    const output = await run(['sign-out', id], { typed: [['[y/N] ', answer]] });
    expect(output.code).toBe(code);
    expect(output.err).toContain(`Sign ${email} (${id}) out everywhere? [y/N] `);
    expect(output.err.includes('Canceled.')).toBe(code === 1);
    expect(await session()).toBe(state);
  });

  it('set-password asks twice for the password on a terminal, and does not show it', async () => {
    const { session, ...user } = await signedIn();
    const password = knownPassword('typed staple 5');
    const output = await run(['set-password', user.id], {
      typed: [
        ['[y/N] ', 'y\n'],
        ['New password: ', `${password}\r`],
        ['Repeat the password: ', `${password}\r`],
      ],
    });
    expect(output.code).toBe(0);
    expect(`${output.out}${output.err}`).not.toContain('staple');
    expect(await session()).toBe('token_invalid');
    expect(await outcomeOf(() => tokenOf(user, password))).toBe('ok');
  });

  it('set-password exits 2 and changes nothing if the two passwords differ', async () => {
    const { session, ...user } = await signedIn();
    const typed = [
      ['New password: ', 'typed staple 6\r'],
      ['Repeat the password: ', 'typed staple 7\r'],
    ] as const;
    const output = await run(['set-password', user.id, '--yes'], { typed });
    expect([output.code, output.out]).toEqual([2, '']);
    expect(output.err).toContain('not the same');
    expect(await session()).toBe('ok');
  });
});

describe('The exit code of svc-auth user', () => {
  const closedPort = 'postgres://user@127.0.0.1:1/none';
  const aPassword = 'a password as argument';

  it.each<[string, string[], CommandSetup?]>([
    ['no command', []],
    ['an unknown command', ['remove']],
    ['a command of every object', ['constructor']],
    ['no database', ['list'], { url: '' }],
    ['a URL of another database', ['list'], { url: 'mongodb://127.0.0.1/none' }],
    ['an unknown option', ['list', '--all']],
    ['an option without its value', ['list', '--role']],
    ['an argument of list', ['list', 'ada@example.com']],
    ['opposite conditions', ['list', '--blocked', '--no-blocked']],
    ['an unknown order', ['list', '--sort', 'name']],
    ['a page of 0 users', ['list', '--limit', '0']],
    ['a page of 201 users', ['list', '--limit', '201']],
    ['a day outside the calendar', ['list', '--created-after', '2030-02-31']],
    ['show without a user', ['show']],
    ['show with two users', ['show', 'ada@example.com', 'bob@example.com']],
    ['find without a property', ['find']],
    ['find with two properties', ['find', '--email', 'ada@example.com', '--username', 'ada']],
    ['find with half an identity', ['find', '--provider', 'google']],
    ['create without an address', ['create']],
    ['create with a password as argument', ['create', '--email', 'ada@example.com', '--password', aPassword]],
    ['create with a password as value', ['create', '--email', 'ada@example.com', `--password=${aPassword}`]],
    ['set-password with a password as argument', ['set-password', 'ada@example.com', aPassword, '--yes']],
    ['malformed metadata', ['create', '--email', 'ada@example.com', '--metadata', '{']],
    ['invite without a configuration file', ['invite', 'ada@example.com']],
    ['invite without an address', ['invite', '--config', 'svc-auth.mjs']],
    ['a configuration file that is missing', ['list', '--config', 'no.mjs']],
    ['an end of a block that is not a date', ['block', 'ada@example.com', '--until', 'tomorrow', '--yes']],
    ['set-roles without roles', ['set-roles', 'ada@example.com']],
    ['set-roles with roles and --none', ['set-roles', 'ada@example.com', 'support', '--none']],
  ])('is 2 for %s, before a connection is opened', async (_name, args, ...[setup]) => {
    const { code, out, err } = await run(args, { url: closedPort, ...setup });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^svc-auth: [A-Z-][^\n]*\.\nRun svc-auth user[a-z -]* --help\.\n$/);
    expect(err).not.toContain(aPassword);
  });

  it.each<[string, string | Buffer]>([
    ['no password', ''],
    ['an empty line', '\n'],
    ['two lines', 'battery staple\nbattery staple\n'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x61])],
    ['more than a password', 'x'.repeat(70_000)],
  ])('is 2 for %s on standard input', async (_name, input) => {
    const email = uniqueEmail();
    const { code, err } = await run(['create', '--email', email, '--password'], { input });
    expect(code).toBe(2);
    expect(err).toContain('standard input');
    expect(await app.service.users.find({ email })).toBeNull();
  });

  it.each<[string, string[], string, CommandSetup?]>([
    ['an unknown address', ['show', 'unknown@example.com'], 'user_not_found'],
    ['an unknown id', ['unblock', '01890a5d-ac96-774b-bcce-b302099a8057'], 'user_not_found'],
    ['an unknown user name', ['find', '--username', 'unknown'], 'user_not_found'],
    ['a malformed address', ['show', 'ada@'], 'invalid_request'],
    ['a reserved user name', ['create', '--username', 'root'], 'invalid_request: username_reserved'],
    ['metadata that is not an object', ['create', '--username', 'x1', '--metadata', '1'], 'invalid_request'],
    [
      'a password that is too short',
      ['create', '--username', 'x2', '--password'],
      'weak_password',
      { input: 'abc' },
    ],
    ['a database that does not answer', ['list'], 'internal_error', { url: closedPort }],
  ])(
    'is 1 for %s, with the code of the error and without a stack',
    async (_name, args, error, ...[setup]) => {
      const { code, out, err } = await run(args, setup);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^svc-auth: [A-Za-z]/);
      expect(err).toContain(`(${error}`);
      expect(err).not.toMatch(/^\s+at /m);
    },
  );

  it('is 1 for an address that another user has, and for a block that ends in the past', async () => {
    const { email } = await makeUser();
    const taken = await run(['create', '--email', email!]);
    expect([taken.code, taken.err]).toEqual([1, expect.stringContaining('(email_exists)')]);
    const past = await run(['block', email!, '--until', '2001-01-01', '--yes']);
    expect([past.code, past.err]).toEqual([1, expect.stringContaining('until must be in the future')]);
  });

  it.each('list show find create invite block unblock sign-out set-roles set-password'.split(' '))(
    'is 0 for %s --help, which describes the command without a database',
    async (command) => {
      const { code, out, err } = await run([command, '--help'], { url: '' });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`Usage: svc-auth user ${command} `);
      expect(out).toMatch(/^ {2}--json +Print JSON\.$/m);
      expect((await run(['--help'], { url: '' })).out).toContain(`svc-auth user ${command} `);
    },
  );
});
